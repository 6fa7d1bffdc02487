"""Files of objects that a person boxed by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.errors import EvaluationError
from scenemind.evaluation.map_truth import LabelledObject, load_truth

TABLE = {"id": "table", "label": "table", "center": [2.0, 1.0, 0.4], "size": [2.0, 1.0, 0.8]}


def read(folder: Path, *objects: dict[str, Any], **more: Any) -> Any:
    path = folder / "truth.json"
    path.write_text(json.dumps({"objects": objects, **more}))
    return load_truth(path)


def test_the_three_ways_to_say_a_turned_box_agree() -> None:
    turn = math.radians(30.0)
    x, y = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
    middle = np.array([2.0, 1.0])
    corners = [middle + a * x + b * y / 2 for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    facing = {"center": [2, 1, 0.4], "size_along_facing": 2, "width": 1, "height": 0.8}
    around = [2 * abs(x[0]) + abs(y[0]), 2 * abs(x[1]) + abs(y[1]), 0.8]
    by_turn = LabelledObject.model_validate({**TABLE, "yaw_deg": 30.0})
    by_corners = LabelledObject.model_validate(
        {**TABLE, "size": around, "footprint": [corner.tolist() for corner in corners]}
    )
    by_facing = LabelledObject.model_validate(
        {**TABLE, "size": around, "obb": {**facing, "facing": x.tolist()}}
    )
    expected = np.array([(*corner, z) for z in (0.0, 0.8) for corner in corners])
    for one in (by_turn, by_corners, by_facing):
        assert np.allclose(one.turned_box.corners(), expected), one
        assert np.allclose(one.aligned_box.bounds(), (expected.min(0), expected.max(0))), one


@pytest.mark.parametrize(
    ("keys", "counts"),
    [
        ({}, True),
        ({"quality": "rough"}, False),
        ({"coco": None}, False),
        ({"coco": "dining table"}, True),
        ({"coco": None, "detectable": True}, True),
        ({"coco": "dining table", "detectable": False}, False),
    ],
)
def test_what_counts(keys: dict[str, Any], counts: bool) -> None:
    assert LabelledObject.model_validate({**TABLE, **keys}).counts is counts


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ([], "objects"),
        ([TABLE, TABLE], "two objects have the id 'table'"),
        ([{**TABLE, "size": [1, 0, 1]}], "objects.0.size.1"),
        ([{**TABLE, "yaw_deg": 1, "footprint": [[0, 0], [1, 0], [1, 1], [0, 1]]}], "say one of"),
        ([{**TABLE, "footprint": [[0, 0], [1, 1], [1, 0], [0, 1]]}], "no rectangle"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(
    tmp_path: Path, objects: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(EvaluationError, match=message):
        read(tmp_path, *objects)


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text("chairs")
    with pytest.raises(EvaluationError, match="no JSON"):
        load_truth(tmp_path / "rows.json")
    with pytest.raises(EvaluationError, match="cannot be read"):
        load_truth(tmp_path / "none.json")


def test_labels_of_a_real_room(shared_data: Path) -> None:
    """Their axis-aligned sizes were measured; the turned boxes stand in other keys."""
    truth = load_truth(shared_data / "labels" / "hololens.json")
    assert (len(truth.objects), sum(one.counts for one in truth.objects)) == (62, 20)
    turned = [one for one in truth.objects if one.footprint or one.obb]
    assert len(turned) == 25
    for one in turned:
        low, high = one.turned_box.bounds()
        assert np.allclose(high - low, one.size, atol=0.05), one.id
        assert np.allclose((high + low) / 2, one.center, atol=0.02), one.id
