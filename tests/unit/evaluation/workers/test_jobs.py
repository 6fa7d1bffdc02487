"""Rows of a scene, one after another or several at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.method import Predict
from scenemind.evaluation.predictions import AnswerPrediction, Prediction
from scenemind.evaluation.workers.jobs import SceneJob, answered, jobs_by_scene

ROWS = tuple(Question(f"{k}", "scene", f"question {k}", ("yes",)) for k in range(12))


class Meeting:
    """A method whose rows wait until so many of them are being answered.

    Attributes:
        begun: ids in the order in which they were begun.
    """

    name = "meeting"

    def __init__(self, at_once: int) -> None:
        self.begun: list[str] = []
        self._meet = threading.Barrier(at_once)

    @contextmanager
    def at(self, scene_id: str) -> Iterator[Predict]:
        del scene_id
        yield self._predict

    def _predict(self, row: Row) -> Prediction:
        assert isinstance(row, Question)
        self.begun.append(row.row_id)
        self._meet.wait(20.0)
        return AnswerPrediction(row, row.row_id, 0.0)


def test_scenes_are_jobs_in_the_order_of_the_file() -> None:
    rows = [Question(f"{k}", scene, "?", ()) for k, scene in enumerate("baab")]
    assert [(job.scene_id, [row.row_id for row in job.rows]) for job in jobs_by_scene(rows)] == [
        ("b", ["0", "3"]),
        ("a", ["1", "2"]),
    ]


def test_so_many_rows_are_answered_at_once_each_once() -> None:
    method = Meeting(3)
    said = list(answered(method, SceneJob("scene", ROWS), 3))
    assert sorted(one.row.row_id for one in said) == sorted(row.row_id for row in ROWS)
    assert set(method.begun[:3]) == {"0", "1", "2"}


def test_who_stops_listening_waits_for_nobody() -> None:
    """Rows that nobody has begun are not begun any more."""
    method = Meeting(1)
    said = answered(method, SceneJob("scene", ROWS), 2)
    next(said)
    said.close()  # type: ignore[attr-defined]
    assert len(method.begun) < len(ROWS)


def test_an_error_of_one_row_comes_out() -> None:
    class Refusing(Meeting):
        def _predict(self, row: Row) -> Prediction:
            raise EvaluationError(f"nobody can ask {row.row_id}")

    for at_once in (1, 4):
        with pytest.raises(EvaluationError, match="nobody can ask"):
            list(answered(Refusing(1), SceneJob("scene", ROWS), at_once))
