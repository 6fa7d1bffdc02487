"""ScanRefer is read from its own file and from ZSVG3D's."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import read_scanrefer
from tests.unit.evaluation import made

ROW = {
    "scene_id": made.SCENE,
    "object_id": "3",
    "ann_id": "2",
    "description": "this is a desk. it is by the wall.",
}


def test_a_row(tmp_path: Path) -> None:
    made.write_json(tmp_path, "ScanRefer_filtered_val.json", [ROW])
    (row,) = read_scanrefer(tmp_path)
    assert (row.scene_id, row.target_id, row.text) == (made.SCENE, 3, ROW["description"])
    assert row.is_easy is None


def test_a_row_of_zsvg3d(tmp_path: Path) -> None:
    made.write_json(tmp_path, "scanrefer_val.json", [made.zsvg3d_row()])
    (row,) = read_scanrefer(tmp_path)
    assert row.program == made.CLOSEST


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    path = made.write_json(tmp_path, "scanrefer.json", [ROW, ROW | {"object_id": "x"}])
    with pytest.raises(EvaluationError, match="row 2: object_id"):
        list(read_scanrefer(path))


def test_the_real_files(shared_data: Path) -> None:
    folder = shared_data / "annotations"
    assert len(list(read_scanrefer(folder / "scanrefer"))) == 382
    assert len(list(read_scanrefer(folder / "zsvg3d"))) == 3501
