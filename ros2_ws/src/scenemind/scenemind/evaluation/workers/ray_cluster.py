"""Workers on a Ray cluster, each with one scene at a time; they need the extra `ray`."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from scenemind.errors import EvaluationError, SceneMindError, install_line
from scenemind.evaluation.method import Method, OpenMethod, Share
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.workers.assignments import Assignments, SceneJob, answer_job

_log = logging.getLogger(__name__)

LOCAL = "local"
"""In place of an address: a cluster on this machine for the duration of the run."""


@dataclass(slots=True)
class _Worker:
    """This process's view of an actor.

    Attributes:
        stream: of its job's predictions.
        answered: ids of the answered rows of its job.
    """

    share: Share
    actor: Any
    job: SceneJob
    stream: Any
    answered: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class RayCluster:
    """`Workers` as Ray actors with one core each. All machines need the same version of SceneMind,
    and the files at the same paths.

    Attributes:
        open_method: called in each actor.
        address: of the cluster's head, such as "auto" or ray://host:10001; or `LOCAL`.
        count: number of actors.
        at_once: number of rows that each answers in parallel.
    """

    open_method: OpenMethod
    address: str
    count: int
    at_once: int = 1

    def predictions(self, jobs: Iterator[SceneJob]) -> Generator[Prediction]:
        """See `Workers`.

        Raises:
            EvaluationError: ray is not installed, or there is no such cluster.
        """
        ray = _imported_ray()
        _connect(ray, self.address, self.count)
        assignments = Assignments(jobs, self.at_once)
        workers: list[_Worker] = []
        try:
            for number in range(self.count):
                if job := assignments.find_next():
                    workers.append(self._started(ray, Share(number, self.count), job))
            while workers:
                ready, _ = ray.wait([worker.stream for worker in workers], num_returns=1)
                worker = next(one for one in workers if one.stream is ready[0])
                yield from self._heard(ray, worker, workers, assignments)
        finally:
            for worker in workers:
                ray.kill(worker.actor)
            ray.shutdown()

    def _heard(
        self, ray: Any, worker: _Worker, workers: list[_Worker], assignments: Assignments
    ) -> Iterator[Prediction]:
        """Receive a worker's next prediction; after its job or its loss, assign the next job."""
        try:
            said = ray.get(next(worker.stream))
        except StopIteration:
            assignments.note_success()
            self._go_on(worker, workers, assignments)
        except ray.exceptions.RayError as error:
            _log.warning("a worker ended at %s: %s", worker.job.scene_id, error)
            ray.kill(worker.actor)
            yield from assignments.give_back(worker.job, worker.answered)
            workers.remove(worker)
            if job := assignments.find_next():
                workers.append(self._started(ray, worker.share, job))
        else:
            if isinstance(said, str):
                raise EvaluationError(said)
            worker.answered.add(said.row.row_id)
            yield said

    def _go_on(self, worker: _Worker, workers: list[_Worker], assignments: Assignments) -> None:
        job = assignments.find_next()
        if job is None:
            workers.remove(worker)
            return
        worker.job, worker.answered = job, set()
        worker.stream = worker.actor.answer.remote(job)

    def _started(self, ray: Any, share: Share, job: SceneJob) -> _Worker:
        actor = ray.remote(num_cpus=1)(_Actor).remote(self.open_method, share, self.at_once)
        return _Worker(share, actor, job, actor.answer.remote(job))


class _Actor:
    """The actor on one of the machines."""

    def __init__(self, open_method: OpenMethod, share: Share, at_once: int) -> None:
        self._open_method = open_method
        self._share = share
        self._at_once = at_once
        self._open = ExitStack()  # closed with the actor's process
        self._method: Method | None = None

    def answer(self, job: SceneJob) -> Iterator[Prediction | str]:
        """Predictions of a job, or an error message where no worker can answer it."""
        try:
            if self._method is None:
                self._method = self._open.enter_context(self._open_method(self._share))
            yield from answer_job(self._method, job, self._at_once)
        except SceneMindError as error:
            yield str(error)


def _imported_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise EvaluationError(
            f"--ray needs Ray, which is not installed: {install_line('ray')}; or use"
            " --workers N for processes of this machine"
        ) from error
    return ray


def _connect(ray: Any, address: str, count: int) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage reports
    try:
        if address == LOCAL:
            ray.init(address=LOCAL, num_cpus=count, include_dashboard=False, log_to_driver=False)
        else:
            ray.init(address=address, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise EvaluationError(f"there is no Ray cluster at {address}: {error}") from error
