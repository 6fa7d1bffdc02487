"""The process itself answers, one scene at a time."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from scenemind.evaluation.method import OpenMethod, Share
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.workers.jobs import SceneJob, answered


@dataclass(frozen=True, slots=True)
class InProcess:
    """`Workers` without any other process.

    Attributes:
        at_once: rows that are being answered at a time.
    """

    open_method: OpenMethod
    at_once: int = 1

    def predictions(self, jobs: Iterator[SceneJob]) -> Generator[Prediction]:
        """See `Workers`."""
        with self.open_method(Share()) as method:
            for job in jobs:
                yield from answered(method, job, self.at_once)
