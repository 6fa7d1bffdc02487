"""What becomes of rows whose worker was lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.workers.assignments import Assignments
from scenemind.evaluation.workers.jobs import SceneJob, jobs_by_scene
from tests.unit.evaluation.workers.recipes import ROWS

JOBS = jobs_by_scene(ROWS)


def ids(job: SceneJob | None) -> list[str]:
    assert job is not None
    return [row.row_id for row in job.rows]


def test_only_what_is_not_answered_is_handed_out_again() -> None:
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


def test_a_scene_that_nobody_survives_is_given_up_as_a_whole() -> None:
    assignments, losses = Assignments(iter(JOBS[:1]), 2), 0
    given_up: list[str] = []
    while job := assignments.find_next():
        losses += 1
        given_up += [one.row.row_id for one in assignments.give_back(job, set())]
    assert given_up == ids(JOBS[0])
    assert losses == 6


def test_workers_that_are_lost_whatever_they_are_asked_end_the_run() -> None:
    assignments = Assignments(iter(JOBS), 1)
    for _ in range(9):
        job = assignments.find_next()
        assert job is not None
        assignments.give_back(job, set())
    with pytest.raises(EvaluationError, match="10 workers in a row ended without an answer"):
        assignments.give_back(job, set())


@given(st.integers(1, 4), st.lists(st.integers(0, 3), max_size=60))
def test_every_row_is_answered_or_given_up_once(at_once: int, answers: list[int]) -> None:
    """However many rows each worker answers before it is lost."""
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
