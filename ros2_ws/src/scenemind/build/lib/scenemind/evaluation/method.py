"""The method under test: a protocol, and the share of a model's limits that each worker gets."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from scenemind.config import ModelsConfig
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.predictions import Prediction

Predict = Callable[[Row], Prediction]
"""Answers a row; thread-safe. A failure is part of the prediction; raises EvaluationError where no
row can be answered."""


class Method(Protocol):
    """A method under test.

    Attributes:
        name: such as symbolic.
    """

    name: str

    def at(self, scene_id: str) -> AbstractContextManager[Predict]:
        """Open a scene while its rows are asked.

        Raises:
            EvaluationError: the scene is not available.
        """
        ...


@dataclass(frozen=True, slots=True)
class Share:
    """A worker's share of limits that hold for all workers together.

    Attributes:
        number: of the worker, from 0.
        of: number of workers.
    """

    number: int = 0
    of: int = 1


OpenMethod = Callable[[Share], AbstractContextManager[Method]]
"""Opens a method in a worker's process, and must be picklable for that."""


def most_workers(models: ModelsConfig) -> int:
    """The largest number of workers among which each limit can be divided."""
    limits = (models.parallel_calls, models.requests_per_minute or models.parallel_calls)
    return min(limits)


def share_of(models: ModelsConfig, share: Share) -> ModelsConfig:
    """The configuration of one worker, with its share of each limit.

    The cost of a day is not divided: it is counted over all processes of a machine.

    Args:
        share: of at most `most_workers`.
    """
    return models.model_copy(
        update={
            "parallel_calls": _part(models.parallel_calls, share),
            "requests_per_minute": _part(models.requests_per_minute, share),
        }
    )


def _part(total: int, share: Share) -> int:
    whole, left = divmod(total, share.of)
    return whole + (share.number < left)
