"""SQA3D's questions find their answers in the file beside theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import ScanPose, read_sqa3d
from tests.unit.evaluation import made


def test_a_question(tmp_path: Path) -> None:
    (row,) = read_sqa3d(made.write_sqa3d(tmp_path))
    assert row.question == "How many chairs are there?"
    assert row.answers == ("two",)
    assert row.pose == ScanPose((0.5, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def test_a_question_without_an_answer(tmp_path: Path) -> None:
    made.write_sqa3d(tmp_path)
    made.write_json(tmp_path, "v1_sqa_annotations_test.json", {"annotations": []})
    with pytest.raises(EvaluationError, match="no answer to question 220602000001"):
        list(read_sqa3d(tmp_path))


def test_answers_that_are_missing(tmp_path: Path) -> None:
    made.write_sqa3d(tmp_path)
    (tmp_path / "v1_sqa_annotations_test.json").unlink()
    with pytest.raises(EvaluationError, match=r"no answers at .*github\.com/SilongYong/SQA3D"):
        list(read_sqa3d(tmp_path))


def test_a_turn_of_zeros(tmp_path: Path) -> None:
    made.write_sqa3d(tmp_path)
    annotations = tmp_path / "v1_sqa_annotations_test.json"
    annotations.write_text(annotations.read_text().replace('"_w": 1', '"_w": 0'))
    with pytest.raises(EvaluationError, match=r"row 1: rotation: .*zeros is no turn"):
        list(read_sqa3d(tmp_path))


def test_another_file(tmp_path: Path) -> None:
    made.write_sqa3d(tmp_path)
    made.write_json(tmp_path, "v1_questions_test.json", [])
    with pytest.raises(EvaluationError, match="has no 'questions'"):
        list(read_sqa3d(tmp_path))


def test_the_real_files(shared_data: Path) -> None:
    rows = list(read_sqa3d(shared_data / "annotations" / "sqa3d"))
    assert len(rows) == len({row.row_id for row in rows}) == 1329
    assert all(row.answers for row in rows)
