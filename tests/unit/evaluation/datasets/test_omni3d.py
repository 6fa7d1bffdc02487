"""Omni3D-Bench's questions, each about one photograph, and each once."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import read_omni3d
from tests.unit.evaluation import made


@pytest.mark.parametrize(
    ("answer_type", "answer", "kind"),
    [
        ("int", 3, "count"),
        ("float", 1.25, "numeric (other)"),
        ("str", "yes", "yes/no"),
        ("str", "chair", "multiple choice"),
    ],
)
def test_kinds_of_answers(tmp_path: Path, answer_type: str, answer: str | float, kind: str) -> None:
    (row,) = read_omni3d(made.write_omni3d(tmp_path, (answer_type, answer)))
    assert row.category == kind
    assert row.answers == (str(answer),)
    assert (row.image, row.scene_id) == ("00001.jpg", "00001.jpg")


@pytest.mark.parametrize("answer", ["two", "2 m", "nan"])
def test_a_number_that_is_none_is_named_before_anybody_is_asked(
    tmp_path: Path, answer: str
) -> None:
    data = made.write_omni3d(tmp_path, ("int", 3), ("float", answer))
    with pytest.raises(EvaluationError, match=f"row 2: .*{answer!r} is no number"):
        list(read_omni3d(data))


def test_what_is_asked_twice_counts_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = made.write_omni3d(tmp_path, ("int", 3), ("int", 3))
    with caplog.at_level(logging.WARNING):
        assert len(list(read_omni3d(data))) == 1
    assert "asks 1 questions twice" in caplog.text


def test_what_is_missing_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"dmarsili/Omni3D-Bench .CC BY-NC 4\.0.*--data"):
        list(read_omni3d(tmp_path))


def test_another_file(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="has no 'questions'"):
        list(read_omni3d(made.write_json(tmp_path, "annotations.json", [])))
