"""Files of referring expressions: ReferIt3D, ScanRefer, and samples of them."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import read_nr3d, read_scanrefer, read_sr3d, row_groups
from scenemind.evaluation.datasets.referring_expressions import LABEL_TABLE
from tests.unit.evaluation import made


def test_a_row_of_referit3d(tmp_path: Path) -> None:
    made.write_nr3d_csv(tmp_path)
    (row,) = read_nr3d(tmp_path)
    assert (row.scene_id, row.target_id) == (made.SCENE, 1)
    assert row.text == "the chair left of the desk"
    assert row.is_easy
    assert row.is_view_dependent


@pytest.mark.parametrize(("instances", "is_easy"), [(2, True), (3, False), (6, False)])
def test_more_than_one_distractor_is_hard(tmp_path: Path, instances: int, is_easy: bool) -> None:
    made.write_nr3d_csv(tmp_path, stimulus_id=f"{made.SCENE}-chair-{instances}-1-2")
    (row,) = read_nr3d(tmp_path)
    assert row.is_easy is is_easy


def test_a_row_of_zsvg3d_for_nr3d(tmp_path: Path) -> None:
    (row,) = read_nr3d(made.write_json(tmp_path, "any_name.json", [made.zsvg3d_row()]))
    assert row.program == made.CLOSEST
    assert row.is_easy
    assert row.is_view_dependent is False


def test_rows_that_referit3d_does_not_evaluate_are_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for more in ({"mentions_target_class": "False"}, {"is_train": "True"}):
            made.write_nr3d_csv(tmp_path, **more)
            assert list(read_nr3d(tmp_path)) == []
    assert caplog.text.count("1 rows are of training scans or do not name") == 2
    made.write_nr3d_csv(tmp_path, correct_guess="False")
    (row,) = read_nr3d(tmp_path)
    assert "missed_by_people" in row_groups(row)


@pytest.mark.parametrize(
    ("scans", "count"), [(f'["{made.SCENE}"]', 1), ("scene0002_00\nscene0003_00\n", 0)]
)
def test_the_list_of_test_scans_counts(tmp_path: Path, scans: str, count: int) -> None:
    made.write_nr3d_csv(tmp_path, "sr3d.csv", is_train="True", coarse_reference_type="between")
    (tmp_path / "test_scans.txt").write_text(scans)
    rows = list(read_sr3d(tmp_path))
    assert [row_groups(row)[0] for row in rows] == ["between"] * count


@pytest.mark.parametrize(
    ("text", "message"), [("one two", "is no list of scans"), ("[" * 100_000, "nested too deeply")]
)
def test_a_list_that_names_no_scans(tmp_path: Path, text: str, message: str) -> None:
    made.write_nr3d_csv(tmp_path)
    (tmp_path / "test_scans.txt").write_text(text)
    with pytest.raises(EvaluationError, match=rf"test_scans\.txt.*{message}"):
        list(read_nr3d(tmp_path))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [("target_id", "x", "row 1: target_id"), ("stimulus_id", "a-b", "'a-b' is no stimulus_id")],
)
def test_a_bad_row_of_referit3d_is_named(
    tmp_path: Path, column: str, value: str, message: str
) -> None:
    made.write_nr3d_csv(tmp_path, **{column: value})
    with pytest.raises(EvaluationError, match=message):
        list(read_nr3d(tmp_path))


def test_error_of_a_missing_file_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"holds no sr3d\*\.csv: .*referit3d\.github\.io"):
        list(read_sr3d(tmp_path))
    with pytest.raises(EvaluationError, match=r"there is nothing at .*: ReferIt3D"):
        list(read_nr3d(tmp_path / "nowhere"))


def test_one_of_several_files_must_be_chosen(tmp_path: Path) -> None:
    for name in ("nr3d_a.csv", "nr3d_b.csv"):
        made.write_nr3d_csv(tmp_path, name)
    with pytest.raises(EvaluationError, match=r"name one of nr3d_a\.csv, nr3d_b\.csv"):
        list(read_nr3d(tmp_path))


@pytest.mark.parametrize("content", ["[1, 2]", "{}", "no json"])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "nr3d.json"
    path.write_text(content)
    with pytest.raises(EvaluationError, match=r"nr3d\.json"):
        list(read_nr3d(path))


def test_the_real_files_of_nr3d(shared_data: Path) -> None:
    folder = shared_data / "annotations"
    assert len(list(read_nr3d(folder / "referit3d"))) == 399
    assert len(list(read_sr3d(folder / "referit3d"))) == 352
    assert len(list(read_nr3d(folder / "vlm-grounder"))) == 102
    rows = list(read_nr3d(folder / "zsvg3d"))
    assert len(rows) == len({row.row_id for row in rows}) == 3001


def test_flags_that_are_computed_agree_with_those_that_zsvg3d_gives(shared_data: Path) -> None:
    """The flags are compared for descriptions in both files."""
    folder = shared_data / "annotations"
    given = {_key(row.text): row for row in read_nr3d(folder / "zsvg3d")}
    pairs = [
        (row, given[_key(row.text)])
        for row in read_nr3d(folder / "referit3d")
        if _key(row.text) in given
    ]
    assert len(pairs) > 100
    same_easy = sum(one.is_easy == other.is_easy for one, other in pairs)
    same_view = sum(one.is_view_dependent == other.is_view_dependent for one, other in pairs)
    assert same_easy / len(pairs) > 0.95
    assert same_view / len(pairs) > 0.95


def _key(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalpha())


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


def test_a_row_of_zsvg3d_for_scanrefer(tmp_path: Path) -> None:
    row_of_scanrefer = {
        name: value for name, value in made.zsvg3d_row().items() if name not in ("easy", "view_dep")
    }
    made.write_json(tmp_path, "scanrefer_val.json", [row_of_scanrefer])
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


def test_a_bad_row_of_scanrefer_is_named(tmp_path: Path) -> None:
    path = made.write_json(tmp_path, "scanrefer.json", [ROW, ROW | {"object_id": "x"}])
    with pytest.raises(EvaluationError, match="row 2: object_id"):
        list(read_scanrefer(path))


def test_the_real_files_of_scanrefer(shared_data: Path) -> None:
    folder = shared_data / "annotations"
    assert len(list(read_scanrefer(folder / "scanrefer"))) == 382
    assert len(list(read_scanrefer(folder / "zsvg3d"))) == 3501
    rows = list(read_scanrefer(folder / "vlm-grounder"))
    assert (len(rows), sum(row.is_unique or False for row in rows)) == (92, 14)
