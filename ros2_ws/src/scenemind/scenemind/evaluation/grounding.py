"""Referring expressions evaluated: Nr3D, Sr3D, ScanRefer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scenemind.evaluation.datasets import ReferringExpression
from scenemind.evaluation.metrics import grounding_scores
from scenemind.evaluation.predictions import GroundingPrediction
from scenemind.evaluation.result import Evaluation, ScoredRow, Scores, mean_percents, summed_up
from scenemind.evaluation.scenes import Scenes

_BY_CLASS = "any object of the right class"


def evaluate_grounding(
    benchmark: str, method: str, predictions: Sequence[GroundingPrediction], scenes: Scenes
) -> Evaluation:
    """The first object of each prediction counts.

    Broken down as ReferIt3D does, where the benchmark says (`easy`, `hard`, `view_dependent`,
    `view_independent`); as ScanRefer does, by labels of the objects file (`unique`: the only object
    of its label, `multiple`); and by whether others were as sure (`tied`).

    Args:
        predictions: at least one.
    """
    rows = [
        ScoredRow(
            _scores(one, scenes),
            tuple(_groups(one, scenes)),
            one.seconds,
            one.failure,
            one.usage,
        )
        for one in predictions
    ]
    by_class = mean_percents(_by_class(one.row, scenes) for one in predictions)
    return summed_up(benchmark, method, rows, {_BY_CLASS: by_class})


def _scores(prediction: GroundingPrediction, scenes: Scenes) -> Scores:
    row = prediction.row
    found = prediction.object_ids[0] if prediction.object_ids else None
    objects = scenes.get_snapshot(row.scene_id).objects
    return grounding_scores(found, row.target_id, objects)


def _by_class(row: ReferringExpression, scenes: Scenes) -> Scores:
    """What is to be expected of drawing one of the target's class."""
    of_class = _same_class(row, scenes)
    objects = scenes.get_snapshot(row.scene_id).objects
    each = [grounding_scores(object_id, row.target_id, objects) for object_id in of_class]
    return {name: sum(scores[name] for scores in each) / len(each) for name in each[0]}


def _same_class(row: ReferringExpression, scenes: Scenes) -> list[int]:
    """Ids of the objects with the target's label, it included."""
    objects = scenes.get_snapshot(row.scene_id).objects
    label = objects[row.target_id].label
    return [thing.object_id for thing in objects.values() if thing.label == label]


def _groups(prediction: GroundingPrediction, scenes: Scenes) -> Iterable[str]:
    row = prediction.row
    if row.is_easy is not None:
        yield "easy" if row.is_easy else "hard"
    if row.is_view_dependent is not None:
        yield "view_dependent" if row.is_view_dependent else "view_independent"
    yield "unique" if len(_same_class(row, scenes)) == 1 else "multiple"
    if prediction.tied > 1:
        yield "tied"
