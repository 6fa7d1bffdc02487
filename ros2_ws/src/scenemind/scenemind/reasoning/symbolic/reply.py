"""What answering a question hands back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import MapObject
from scenemind.reasoning.symbolic.scene import Scene, Scores

# "There is none" rests on not having seen it, which is weaker than having seen it.
ABSENCE_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """One sentence, how sure it is, and the objects it speaks of, most relevant first.

    Attributes:
        brief: the answer in a word or few; empty where a sentence is needed.
    """

    text: str
    confidence: float
    objects: tuple[MapObject, ...] = ()
    brief: str = ""


def confidences(scene: Scene, rows: NDArray[np.intp], scores: Scores) -> Scores:
    """Of each row: that the object exists, times how well it fits; in [0, 1]."""
    return np.asarray(np.clip(scene.confidence[rows] * scores, 0.0, 1.0))


def mean_confidence(scene: Scene, rows: NDArray[np.intp], scores: Scores) -> float:
    """Of an answer that rests on all the rows."""
    return float(confidences(scene, rows, scores).mean())
