"""Which rows are asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import Question, ReferringExpression, Row, row_groups
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.selection import check_truth, selected
from tests.unit.evaluation import made

ROWS: list[Row] = [
    ReferringExpression(f"{k}", made.SCENE, "the bed", 4, k % 2 == 0, k % 3 == 0) for k in range(60)
]


def ids(rows: list[Row]) -> list[int]:
    return [int(row.row_id) for row in rows]


def test_a_limit_draws_the_same_rows_in_order() -> None:
    drawn = ids(selected(ROWS, row_groups, limit=10))
    assert drawn == ids(selected(ROWS, row_groups, limit=10)) == sorted(drawn)
    assert len(drawn) == 10
    assert drawn != ids(selected(ROWS, row_groups, limit=10, seed=1))
    assert selected(ROWS, row_groups) == selected(ROWS, row_groups, limit=100) == ROWS


def test_groups_are_of_all_that_are_named() -> None:
    easy = ids(selected(ROWS, row_groups, ["easy"]))
    assert easy == list(range(0, 60, 2))
    both = ids(selected(ROWS, row_groups, ["easy", "view_dependent"]))
    assert both == list(range(0, 60, 6))
    assert set(ids(selected(ROWS, row_groups, ["easy"], limit=5))) < set(easy)


def test_no_rows() -> None:
    with pytest.raises(EvaluationError, match="no rows"):
        selected([], row_groups)
    with pytest.raises(EvaluationError, match=r"group 'unique'; those that its file tells: easy,"):
        selected(ROWS, row_groups, ["unique"])
    with pytest.raises(EvaluationError, match="no row is in all of the groups easy, hard"):
        selected(ROWS, row_groups, ["easy", "hard"])


def test_every_row_has_an_id_of_its_own() -> None:
    with pytest.raises(EvaluationError, match="'7' is the id of several rows"):
        selected([*ROWS, ROWS[7]], row_groups)


def test_what_rows_need_is_looked_at_before_anything_runs(tmp_path: Path) -> None:
    truth = Scenes(made.write_objects(tmp_path, axis_alignment=None))
    check_truth(ROWS, truth, with_poses=True)
    missing = ReferringExpression("x", made.SCENE, "the lamp", 77)
    with pytest.raises(EvaluationError, match="scene0001_00 has no object 77"):
        check_truth([missing], truth, with_poses=False)
    posed = made.read("sqa3d", made.write_sqa3d(tmp_path))
    check_truth(posed, truth, with_poses=False)
    with pytest.raises(EvaluationError, match="no axis_alignment"):
        check_truth(posed, truth, with_poses=True)
    check_truth([Question("q", "elsewhere", "?", ())], truth, with_poses=True)
