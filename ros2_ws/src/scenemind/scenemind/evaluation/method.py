"""What is measured: something that answers the rows of one scene after another."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from scenemind.evaluation.datasets import Row
from scenemind.evaluation.predictions import Prediction

Predict = Callable[[Row], Prediction]
"""What a method says of a row; may be called from several threads at once. What it cannot do is a
failure in the prediction; raises EvaluationError for what no row can be asked without."""


class Method(Protocol):
    """
    Attributes:
        name: such as symbolic.
    """

    name: str

    def at(self, scene_id: str) -> AbstractContextManager[Predict]:
        """At a scene, for as long as its rows are asked.

        Raises:
            EvaluationError: the scene cannot be had.
        """
        ...


@dataclass(frozen=True, slots=True)
class Share:
    """Which of several workers somebody is: limits that all of them keep are divided by it.

    Attributes:
        number: from 0. of: how many workers there are.
    """

    number: int = 0
    of: int = 1


OpenMethod = Callable[[Share], AbstractContextManager[Method]]
"""Opens a method where it works, which may be another process: it has to be picklable there."""
