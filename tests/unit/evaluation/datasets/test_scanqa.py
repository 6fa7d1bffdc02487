"""ScanQA's questions with their types, and without answers in the test splits."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import read_scanqa
from scenemind.evaluation.datasets.scanqa import question_type
from tests.unit.evaluation import made


def test_a_question(tmp_path: Path) -> None:
    (row,) = read_scanqa(made.write_scanqa(tmp_path))
    assert (row.row_id, row.scene_id) == ("val-scene0001-0", made.SCENE)
    assert row.answers == ("at the desk", "next to the desk")
    assert row.target_ids == (1,)
    assert row.category == "place"


def test_test_splits_tell_no_answers(tmp_path: Path) -> None:
    row = {"question_id": "test-1", "scene_id": made.SCENE, "question": "What is on the desk?"}
    made.write_json(tmp_path, "ScanQA_v1.0_test_wo_obj.json", [row])
    (read,) = read_scanqa(tmp_path)
    assert (read.answers, read.target_ids) == ((), ())


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Where is the chair?", "place"),
        ("How many chairs are there?", "number"),
        ("What is the color of the bed?", "color"),
        ("What shape is the desk?", "object nature"),
        ("What kind of bed is it?", "object nature"),
        ("What is beside the bed?", "object"),
        ("Is there a bed?", "other"),
    ],
)
def test_types(question: str, kind: str) -> None:
    assert question_type(question) == kind


def test_what_is_missing_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"ATR-DBI/ScanQA.*CC BY-NC-SA.*--data"):
        list(read_scanqa(tmp_path))


def test_the_real_file(shared_data: Path) -> None:
    rows = list(read_scanqa(shared_data / "annotations" / "scanqa"))
    assert len(rows) == len({row.row_id for row in rows}) == 1643
    assert all(len(row.answers) >= 2 for row in rows)
