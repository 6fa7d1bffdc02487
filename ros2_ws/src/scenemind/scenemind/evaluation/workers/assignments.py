"""Which rows are to be answered yet, and what becomes of those whose worker was lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

from scenemind.evaluation.datasets import ReferringExpression, Row
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction
from scenemind.evaluation.workers.jobs import SceneJob
from scenemind.evaluation.workers.workers import MOST_LOSSES, WORKER_LOST

# Of all scenes together: not what is asked is to blame then, but where it is asked.
_MOST_IN_A_ROW = 10


class Assignments:
    """Hands jobs out; what a lost worker had not answered is handed out again, a bounded number of
    times. A row that ends its worker each time is told from those that wait behind it: only those
    that can have been begun are given up, and the whole scene where that does not help either."""

    def __init__(self, jobs: Iterator[SceneJob], at_once: int) -> None:
        """
        Args:
            at_once: rows that a worker has begun at a time: the first that are not answered.
        """
        self._jobs = jobs
        self._at_once = at_once
        self._again: deque[SceneJob] = deque()
        self._lost_in_a_row = 0

    def find_next(self) -> SceneJob | None:
        """None: there is nothing to do."""
        return self._again.popleft() if self._again else next(self._jobs, None)

    def note_success(self) -> None:
        """A job was answered to its end."""
        self._lost_in_a_row = 0

    def give_back(self, job: SceneJob, answered: set[str]) -> list[Prediction]:
        """Of a lost worker.

        Args:
            answered: ids of rows that it has answered.

        Returns:
            failures of the rows that are given up.

        Raises:
            EvaluationError: worker after worker is lost, whatever they are asked.
        """
        self._lost_in_a_row = 0 if answered else self._lost_in_a_row + 1
        if self._lost_in_a_row >= _MOST_IN_A_ROW:
            raise EvaluationError(
                f"{self._lost_in_a_row} workers in a row ended without an answer: with --workers 1"
                " and without --ray the reason is shown"
            )
        rows = tuple(row for row in job.rows if row.row_id not in answered)
        losses = 1 if answered else job.losses + 1
        was_given_up = job.was_given_up and not answered
        given_up: Sequence[Row] = ()
        if losses >= MOST_LOSSES:
            given_up = rows if was_given_up else rows[: self._at_once]
            losses, was_given_up = 0, True
        rows = rows[len(given_up) :]
        if rows:
            self._again.append(replace(job, rows=rows, losses=losses, was_given_up=was_given_up))
        return [_lost(row) for row in given_up]


def _lost(row: Row) -> Prediction:
    steps = f"the worker that was asked ended {MOST_LOSSES} times"
    if isinstance(row, ReferringExpression):
        return GroundingPrediction(row, (), (), 0, 0.0, failure=WORKER_LOST, steps=steps)
    return AnswerPrediction(row, "", 0.0, failure=WORKER_LOST, steps=steps)
