"""ScanRefer is read from its own file and from ZSVG3D's."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import read_scanrefer
from scenemind.evaluation.datasets.label_table import LABEL_TABLE
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
    assert (row.is_easy, row.is_unique) == (None, None)


def test_a_row_of_zsvg3d(tmp_path: Path) -> None:
    made.write_json(tmp_path, "scanrefer_val.json", [made.zsvg3d_row()])
    (row,) = read_scanrefer(tmp_path)
    assert row.program == made.CLOSEST


@pytest.mark.parametrize(
    ("file", "flags"),
    [("ScanRefer_filtered_val.json", [True, False, False]), ("scanrefer_part.json", [None] * 3)],
)
def test_unique_is_by_class_in_a_whole_split(
    tmp_path: Path, file: str, flags: list[bool | None]
) -> None:
    """An armchair and a chair are both chairs, one of ScanRefer's 18 classes."""
    table = "raw_category\tnyu40class\ndesk\tdesk\nchair\tchair\narm chair\tchair\n"
    (tmp_path / LABEL_TABLE).write_text(table)
    names = {"3": "desk", "1": "chair", "2": "arm_chair"}
    rows = [ROW | {"object_id": one, "object_name": name} for one, name in names.items()]
    made.write_json(tmp_path, file, rows)
    assert [row.is_unique for row in read_scanrefer(tmp_path / file)] == flags


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    path = made.write_json(tmp_path, "scanrefer.json", [ROW, ROW | {"object_id": "x"}])
    with pytest.raises(EvaluationError, match="row 2: object_id"):
        list(read_scanrefer(path))


def test_the_real_files(shared_data: Path) -> None:
    folder = shared_data / "annotations"
    assert len(list(read_scanrefer(folder / "scanrefer"))) == 382
    assert len(list(read_scanrefer(folder / "zsvg3d"))) == 3501
    rows = list(read_scanrefer(folder / "vlm-grounder"))
    assert (len(rows), sum(row.is_unique or False for row in rows)) == (92, 14)
