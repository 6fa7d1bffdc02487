"""Jobs, and their assignment to workers that may be lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.method import Predict
from scenemind.evaluation.predictions import AnswerPrediction, Prediction
from scenemind.evaluation.workers.assignments import (
    Assignments,
    SceneJob,
    answer_job,
    jobs_by_scene,
)
from tests.unit.evaluation.workers.recipes import ROWS

JOB_ROWS = tuple(Question(f"{k}", "scene", f"question {k}", ("yes",)) for k in range(12))


class Meeting:
    """A method whose rows wait until a number of them are being answered.

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


def test_rows_are_answered_concurrently_and_once() -> None:
    method = Meeting(3)
    said = list(answer_job(method, SceneJob("scene", JOB_ROWS), 3))
    assert sorted(one.row.row_id for one in said) == sorted(row.row_id for row in JOB_ROWS)
    assert set(method.begun[:3]) == {"0", "1", "2"}


def test_closed_iterator_waits_for_no_rows() -> None:
    """Rows that have not begun are not begun any more."""
    method = Meeting(1)
    said = answer_job(method, SceneJob("scene", JOB_ROWS), 2)
    next(said)
    said.close()  # type: ignore[attr-defined]
    assert len(method.begun) < len(JOB_ROWS)


def test_error_of_one_row_is_raised() -> None:
    class Refusing(Meeting):
        def _predict(self, row: Row) -> Prediction:
            raise EvaluationError(f"nobody can ask {row.row_id}")

    for at_once in (1, 4):
        with pytest.raises(EvaluationError, match="nobody can ask"):
            list(answer_job(Refusing(1), SceneJob("scene", JOB_ROWS), at_once))


JOBS = jobs_by_scene(ROWS)


def ids(job: SceneJob | None) -> list[str]:
    assert job is not None
    return [row.row_id for row in job.rows]


def test_only_unanswered_rows_are_assigned_again() -> None:
    assignments = Assignments(iter(JOBS), 1)
    job = assignments.find_next()
    assert ids(job) == ["0", "4", "8", "12", "16", "20"]
    assert job is not None
    assert assignments.give_back(job, {"0", "4", "8"}) == []
    assert ids(assignments.find_next()) == ["12", "16", "20"]
    assert ids(assignments.find_next()) == ["1", "5", "9", "13", "17", "21"]


def test_a_row_that_ends_its_worker_each_time_is_given_up_and_no_other() -> None:
    """A worker that is asked row 8 ends; all others are answered."""
    assignments, said, lost = Assignments(iter(JOBS[:1]), 1), list[str](), 0
    while job := assignments.find_next():
        answered = []
        for row in job.rows:
            if row.row_id == "8":
                lost += 1
                failed = assignments.give_back(job, set(answered))
                assert all(one.failure == "worker_lost" for one in failed)
                said += [one.row.row_id for one in failed]
                break
            answered.append(row.row_id)
        said += answered
    assert sorted(said) == sorted(ids(JOBS[0]))
    assert lost == 3


def test_an_answer_clears_the_losses_before_it() -> None:
    assignments = Assignments(iter(JOBS[:1]), 1)
    for answered in (set(), set(), {"0"}, set(), {"4"}):
        job = assignments.find_next()
        assert job is not None
        assert assignments.give_back(job, answered) == []
    assert ids(assignments.find_next()) == ["8", "12", "16", "20"]


def test_scene_that_ends_every_worker_is_given_up_as_a_whole() -> None:
    assignments, losses = Assignments(iter(JOBS[:1]), 2), 0
    given_up: list[str] = []
    while job := assignments.find_next():
        losses += 1
        given_up += [one.row.row_id for one in assignments.give_back(job, set())]
    assert given_up == ids(JOBS[0])
    assert losses == 6


def test_run_ends_when_workers_are_lost_on_all_rows() -> None:
    assignments = Assignments(iter(JOBS), 1)
    for _ in range(9):
        job = assignments.find_next()
        assert job is not None
        assignments.give_back(job, set())
    with pytest.raises(EvaluationError, match="10 workers in a row ended without an answer"):
        assignments.give_back(job, set())


@given(st.integers(1, 4), st.lists(st.integers(0, 3), max_size=60))
def test_every_row_is_answered_or_given_up_once(at_once: int, answers: list[int]) -> None:
    """Each worker is lost after any number of answers."""
    assignments, said = Assignments(iter(JOBS), at_once), list[str]()
    left = iter(answers)
    while job := assignments.find_next():
        count = next(left, None)
        done = ids(job)[: count if count is not None else len(job.rows)]
        said += done
        if len(done) == len(job.rows):
            assignments.note_success()
            continue
        try:
            said += [one.row.row_id for one in assignments.give_back(job, set(done))]
        except EvaluationError:
            return
    assert sorted(said) == sorted(row.row_id for row in ROWS)
