"""Methods that can be opened in other processes, some of which end there."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.method import Predict, Share
from scenemind.evaluation.predictions import AnswerPrediction, Prediction

ROWS = [Question(f"{k}", f"scene{k % 4}", f"question {k}", ("yes",)) for k in range(24)]


@dataclass(frozen=True)
class Recipe:
    """An `OpenMethod`.

    Attributes:
        dies_at: row at which the process is killed, once for each file that is not there yet.
        marks: folder for those files; there may be `deaths` of them.
        refuses_at: scene that cannot be opened.
    """

    marks: Path
    dies_at: str = ""
    deaths: int = 1
    refuses_at: str = ""

    @contextmanager
    def __call__(self, share: Share) -> Iterator[Method]:
        del share
        yield Method(self)


class Method:
    """A method that answers at once, in every process alike."""

    name = "made up"

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe

    @contextmanager
    def at(self, scene_id: str) -> Iterator[Predict]:
        if scene_id == self._recipe.refuses_at:
            raise EvaluationError(f"there is no {scene_id}")
        yield self._predict

    def _predict(self, row: Row) -> Prediction:
        assert isinstance(row, Question)
        if row.row_id == self._recipe.dies_at:
            self._die()
        return AnswerPrediction(row, f"answer {row.row_id}", 0.0)

    def _die(self) -> None:
        for number in range(self._recipe.deaths):
            mark = self._recipe.marks / str(number)
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
