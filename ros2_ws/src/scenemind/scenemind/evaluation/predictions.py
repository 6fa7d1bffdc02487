"""What a method said of a row."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.geometry import Box3D
from scenemind.models import Usage
from scenemind.models.usage import NOTHING_USED


@dataclass(frozen=True, slots=True)
class GroundingPrediction:
    """
    Attributes:
        object_ids: in the memory that was asked, best first; empty where nothing was found.
        boxes: theirs, in the same order, in the scene's axis-aligned frame.
        tied: how many of them are as sure as the first one, it included.
        confidence: of the first, in [0, 1]; 0 where nothing was found.
        frames: numbers of the key frames that it rests on.
        failure: an error code; empty where there is none.
        steps: how it was found, in words.
        usage: of models.
    """

    row: ReferringExpression
    object_ids: tuple[int, ...]
    boxes: tuple[Box3D, ...]
    tied: int
    seconds: float
    confidence: float = 0.0
    frames: tuple[int, ...] = ()
    failure: str = ""
    steps: str = ""
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True)
class AnswerPrediction:
    """
    Attributes:
        answer: in a word or few where the method gives that, else a sentence; empty where there is
            none.
        sentence: the answer as a person gets it.
        object_ids: that it speaks of, in the memory that was asked, most relevant first.
        confidence, frames, failure, steps, usage: as of `GroundingPrediction`.
        boxes: of the objects, in the same order, in the scene's axis-aligned frame.
    """

    row: Question
    answer: str
    seconds: float
    sentence: str = ""
    object_ids: tuple[int, ...] = ()
    confidence: float = 0.0
    frames: tuple[int, ...] = ()
    failure: str = ""
    steps: str = ""
    usage: Usage = NOTHING_USED
    boxes: tuple[Box3D, ...] = ()


Prediction = GroundingPrediction | AnswerPrediction
