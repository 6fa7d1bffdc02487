"""What a run wants of those who answer its rows."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Protocol

from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.workers.jobs import SceneJob

WORKER_LOST = "worker_lost"
"""Failure of a row whose worker ended each time that it was asked."""
MOST_LOSSES = 3
"""Workers in a row that a scene may cost without a single answer."""


class Workers(Protocol):
    """Answers scene after scene."""

    def predictions(self, jobs: Iterator[SceneJob]) -> Generator[Prediction]:
        """One a row, in any order, as they come. The next job is taken when somebody is free for
        it; whoever closes this iterator ends the work.

        Raises:
            EvaluationError: what is asked cannot be had, whoever works.
        """
        ...
