"""Jobs of a run, their assignment to workers, and this process as a worker."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets import ReferringExpression, Row
from scenemind.evaluation.method import Method, OpenMethod, Predict, Share
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction

MOST_LOSSES = 3
"""Limit of workers in a row that end on a scene without an answer."""
# Over all scenes: then the environment is to blame, not the rows.
_MOST_IN_A_ROW = 10


@dataclass(frozen=True, slots=True)
class SceneJob:
    """Rows of one scene, which are answered in their order.

    Attributes:
        rows: at least one.
        losses: number of workers in a row that ended on this job without an answer.
        was_given_up: rows of the job were given up, and none was answered since.
    """

    scene_id: str
    rows: tuple[Row, ...]
    losses: int = 0
    was_given_up: bool = False


def jobs_by_scene(rows: Iterable[Row]) -> list[SceneJob]:
    """Jobs in the order in which their scenes first occur."""
    by_scene: dict[str, list[Row]] = {}
    for row in rows:
        by_scene.setdefault(row.scene_id, []).append(row)
    return [SceneJob(scene_id, tuple(of_scene)) for scene_id, of_scene in by_scene.items()]


def answer_job(method: Method, job: SceneJob, at_once: int) -> Iterator[Prediction]:
    """Predictions of a job's rows, in order of completion.

    Args:
        at_once: number of rows that are answered in parallel, in the job's order.
    """
    with method.at(job.scene_id) as predict:
        if at_once == 1:
            for row in job.rows:  # no `yield from`: Ray sends values in, which `map` does not take
                yield predict(row)
        else:
            yield from _on_threads(predict, job.rows, at_once)


def _on_threads(predict: Predict, rows: Iterable[Row], at_once: int) -> Iterator[Prediction]:
    left = iter(rows)
    pool = ThreadPoolExecutor(at_once, "row")
    running = {pool.submit(predict, row) for row in islice(left, at_once)}
    try:
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(predict, row) for row in islice(left, len(done))}
            for one in done:
                yield one.result()
    finally:
        # After an interrupt nothing waits for models: closing them ends the threads.
        pool.shutdown(wait=False, cancel_futures=True)


WORKER_LOST = "worker_lost"
"""Failure of a row on which workers ended repeatedly."""


class Workers(Protocol):
    """Answers jobs."""

    def predictions(self, jobs: Iterator[SceneJob]) -> Generator[Prediction]:
        """Predictions of all rows, in order of completion. The next job is taken when a worker is
        free; closing this iterator ends the work.

        Raises:
            EvaluationError: the rows cannot be answered by any worker.
        """
        ...


class Assignments:
    """Assigns jobs to workers; the remaining rows of a lost worker are assigned again.

    After `MOST_LOSSES` losses without an answer, the rows that can have been begun are given up;
    after further losses the whole job.
    """

    def __init__(self, jobs: Iterator[SceneJob], at_once: int) -> None:
        """
        Args:
            at_once: number of rows that a worker answers in parallel, in the job's order.
        """
        self._jobs = jobs
        self._at_once = at_once
        self._again: deque[SceneJob] = deque()
        self._lost_in_a_row = 0

    def find_next(self) -> SceneJob | None:
        """The next job; None: there is none."""
        return self._again.popleft() if self._again else next(self._jobs, None)

    def note_success(self) -> None:
        """Note that a job was completed."""
        self._lost_in_a_row = 0

    def give_back(self, job: SceneJob, answered: set[str]) -> list[Prediction]:
        """Return the job of a lost worker.

        Args:
            answered: ids of its answered rows.

        Returns:
            Failures of the rows that are given up.

        Raises:
            EvaluationError: too many workers in a row were lost without an answer.
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


@dataclass(frozen=True, slots=True)
class InProcess:
    """`Workers` in this process.

    Attributes:
        at_once: number of rows that are answered in parallel.
    """

    open_method: OpenMethod
    at_once: int = 1

    def predictions(self, jobs: Iterator[SceneJob]) -> Generator[Prediction]:
        """See `Workers`."""
        with self.open_method(Share()) as method:
            for job in jobs:
                yield from answer_job(method, job, self.at_once)
