"""What a method said of a row."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.evaluation.datasets import ReferringExpression, SituatedQuestion
from scenemind.models import Usage
from scenemind.models.usage import NOTHING_USED


@dataclass(frozen=True, slots=True)
class GroundingPrediction:
    """
    Attributes:
        object_ids: best first; empty where nothing was found.
        tied: how many of them are as sure as the first one, it included.
        failure: an error code; empty where there is none.
        steps: how it was found, in words.
        usage: of models.
    """

    row: ReferringExpression
    object_ids: tuple[int, ...]
    tied: int
    seconds: float
    failure: str = ""
    steps: str = ""
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True)
class AnswerPrediction:
    """
    Attributes:
        answer: in a word or few where the method gives that, else a sentence; empty where there is
            none.
        failure, steps, usage: as of `GroundingPrediction`.
    """

    row: SituatedQuestion
    answer: str
    seconds: float
    failure: str = ""
    steps: str = ""
    usage: Usage = NOTHING_USED


Prediction = GroundingPrediction | AnswerPrediction
