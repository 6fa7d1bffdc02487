"""Worker processes of this machine, each with one scene at a time."""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from scenemind.errors import EvaluationError, SceneMindError
from scenemind.evaluation.method import OpenMethod, Share
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.workers.assignments import Assignments, SceneJob, answer_job

_log = logging.getLogger(__name__)

# Models, sandboxes and their threads do not survive a fork.
_SPAWN = multiprocessing.get_context("spawn")
_END_WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class _Refused:
    """Message of a worker that cannot work, as no other worker could."""

    text: str


@dataclass(slots=True)
class _Worker:
    """The parent's view of a worker process.

    Attributes:
        job: its current job; None: it is idle.
        answered: ids of the answered rows of its job.
    """

    share: Share
    process: BaseProcess
    connection: Connection
    job: SceneJob | None = None
    answered: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Processes:
    """`Workers` in several processes; lost ones are replaced.

    Attributes:
        open_method: called in each process.
        count: number of processes.
        at_once: number of rows that each answers in parallel.
    """

    open_method: OpenMethod
    count: int
    at_once: int = 1

    def predictions(self, jobs: Iterator[SceneJob]) -> Generator[Prediction]:
        """See `Workers`."""
        assignments = Assignments(jobs, self.at_once)
        workers: list[_Worker] = []
        try:
            for number in range(self.count):
                job = assignments.find_next()
                if job is None:
                    break
                workers.append(self._started(Share(number, self.count), job))
            while any(worker.job for worker in workers):
                yield from self._heard(workers, assignments)
        finally:
            _end(workers)

    def _heard(self, workers: list[_Worker], assignments: Assignments) -> Iterator[Prediction]:
        """Receive predictions, and give each idle worker its next job."""
        busy = [worker for worker in workers if worker.job]
        handles = [(worker.connection, worker.process.sentinel) for worker in busy]
        speaking = set(wait([handle for pair in handles for handle in pair]))
        for worker, pair in zip(busy, handles, strict=True):
            if not speaking.isdisjoint(pair):
                yield from self._listen(worker, workers, assignments)

    def _listen(
        self, worker: _Worker, workers: list[_Worker], assignments: Assignments
    ) -> Iterator[Prediction]:
        try:
            while worker.job and worker.connection.poll():
                said = worker.connection.recv()
                if isinstance(said, _Refused):
                    raise EvaluationError(said.text)
                if said is None:
                    assignments.note_success()
                    worker.answered.clear()
                    worker.job = assignments.find_next()
                    if worker.job:
                        worker.connection.send(worker.job)
                    continue
                worker.answered.add(said.row.row_id)
                yield said
            if worker.process.is_alive() or not worker.job:
                return
        except (EOFError, OSError):  # it ended, possibly within a message
            pass
        yield from self._replaced(worker, workers, assignments)

    def _replaced(
        self, lost: _Worker, workers: list[_Worker], assignments: Assignments
    ) -> Iterator[Prediction]:
        """Replace a lost worker if there is work left; returns failures of rows given up."""
        assert lost.job is not None
        lost.process.join(_END_WAIT_S)
        _log.warning(
            "a worker ended (exit code %s) at %s: its rows are asked again",
            lost.process.exitcode,
            lost.job.scene_id,
        )
        yield from assignments.give_back(lost.job, lost.answered)
        _end([lost])
        workers.remove(lost)
        job = assignments.find_next()
        if job is not None:
            workers.append(self._started(lost.share, job))

    def _started(self, share: Share, job: SceneJob) -> _Worker:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(
            target=_work,
            args=(theirs, self.open_method, share, self.at_once),
            name=f"scenemind eval worker {share.number}",
            daemon=True,
        )
        with _interrupts_held():
            process.start()
        theirs.close()  # otherwise its end would not be noticed
        with suppress(OSError):  # an early end is noticed like any other
            ours.send(job)
        return _Worker(share, process, ours, job)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Defer keyboard interrupts; processes that are started meanwhile ignore them, as this process
    ends its workers."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(connection: Connection, open_method: OpenMethod, share: Share, at_once: int) -> None:
    """The loop of a worker: receive jobs, send predictions, and None after each job."""
    try:
        with open_method(share) as method:
            while True:
                job: Any = connection.recv()
                for prediction in answer_job(method, job, at_once):
                    connection.send(prediction)
                connection.send(None)
    except SceneMindError as error:
        connection.send(_Refused(str(error)))
    except (EOFError, ConnectionError):
        pass  # the parent has no more work, or has ended


def _end(workers: list[_Worker]) -> None:
    """End all workers: idle ones end by themselves, others are killed."""
    for worker in workers:
        worker.connection.close()
        if worker.job is not None:
            worker.process.terminate()
    for worker in workers:
        worker.process.join(_END_WAIT_S)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
