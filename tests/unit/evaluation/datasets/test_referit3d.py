"""Nr3D and Sr3D are read from ReferIt3D's files, and Nr3D from ZSVG3D's."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import read_nr3d, read_sr3d, row_groups
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


def test_a_row_of_zsvg3d(tmp_path: Path) -> None:
    (row,) = read_nr3d(made.write_json(tmp_path, "any_name.json", [made.zsvg3d_row()]))
    assert row.program == made.CLOSEST
    assert row.is_easy
    assert row.is_view_dependent is False


def test_what_referit3d_does_not_evaluate_is_left_out(
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


def test_a_list_that_names_no_scans(tmp_path: Path) -> None:
    made.write_nr3d_csv(tmp_path)
    (tmp_path / "test_scans.txt").write_text("one two")
    with pytest.raises(EvaluationError, match=r"test_scans\.txt is no list of scans"):
        list(read_nr3d(tmp_path))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [("target_id", "x", "row 1: target_id"), ("stimulus_id", "a-b", "'a-b' is no stimulus_id")],
)
def test_a_bad_row_is_named(tmp_path: Path, column: str, value: str, message: str) -> None:
    made.write_nr3d_csv(tmp_path, **{column: value})
    with pytest.raises(EvaluationError, match=message):
        list(read_nr3d(tmp_path))


def test_what_is_missing_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"holds no sr3d\*\.csv: .*referit3d\.github\.io"):
        list(read_sr3d(tmp_path))
    with pytest.raises(EvaluationError, match=r"there is nothing at .*: ReferIt3D"):
        list(read_nr3d(tmp_path / "nowhere"))


def test_one_of_several_has_to_be_named(tmp_path: Path) -> None:
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


def test_the_real_files(shared_data: Path) -> None:
    folder = shared_data / "annotations"
    assert len(list(read_nr3d(folder / "referit3d"))) == 399
    assert len(list(read_sr3d(folder / "referit3d"))) == 352
    assert len(list(read_nr3d(folder / "vlm-grounder"))) == 102
    rows = list(read_nr3d(folder / "zsvg3d"))
    assert len(rows) == len({row.row_id for row in rows}) == 3001


def test_flags_that_are_computed_agree_with_those_that_zsvg3d_gives(shared_data: Path) -> None:
    """Of the descriptions that are in both files."""
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
