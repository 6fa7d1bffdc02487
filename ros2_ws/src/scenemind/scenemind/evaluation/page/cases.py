"""The rows that went worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scenemind.evaluation.datasets import ReferringExpression
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.result import Evaluation

_MOST_OF_A_SCENE = 2


@dataclass(frozen=True, slots=True)
class Case:
    """
    Attributes:
        score: by the metric that the benchmark goes by, in percent.
    """

    prediction: Prediction
    groups: tuple[str, ...]
    score: float

    @property
    def text(self) -> str:
        """What was asked."""
        row = self.prediction.row
        return row.text if isinstance(row, ReferringExpression) else row.question

    @property
    def situation(self) -> str:
        """Where who asked stands, in words; empty where nobody says."""
        row = self.prediction.row
        return "" if isinstance(row, ReferringExpression) else row.situation


def worst_cases(
    evaluation: Evaluation, predictions: Sequence[Prediction], count: int
) -> list[Case]:
    """Lowest score first; of equal ones those that the method was surest of.

    At most two of a scene, so that one bad scene does not fill the page. Rows that are right, or
    not scored, are no cases.
    """
    of_row = {one.row.row_id: one for one in predictions}
    wrong = [
        (score, -of_row[row.row_id].confidence, row.row_id, row)
        for row in evaluation.rows
        if (score := row.scores[evaluation.primary]) is not None and score < 1.0
    ]
    chosen: list[Case] = []
    of_scene: dict[str, int] = {}
    for score, _, row_id, row in sorted(wrong, key=lambda one: one[:3]):
        if len(chosen) == count:
            break
        if of_scene.setdefault(row.scene_id, 0) < _MOST_OF_A_SCENE:
            of_scene[row.scene_id] += 1
            chosen.append(Case(of_row[row_id], row.groups, 100.0 * score))
    return chosen
