"""Referring expressions scored: Nr3D, Sr3D, ScanRefer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scenemind.evaluation.columns import Array, Column, mean_column
from scenemind.evaluation.datasets import ReferringExpression
from scenemind.evaluation.metrics.boxes import extents, iou_pairs
from scenemind.evaluation.predictions import GroundingPrediction
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.scored import Material, Scored
from scenemind.evaluation.uniqueness import Uniqueness

BY_CLASS = "any object of the right class"
_NO_TRUTH = "boxes are not scored, as nobody tells the true ones: --objects FILE does"
_LEAST_IOUS = {"acc_25": 0.25, "acc_50": 0.5}


def score_groundings(predictions: Sequence[GroundingPrediction], material: Material) -> Scored:
    """The first object of each prediction counts.

    `accuracy`: it is the target, by its id; `acc_25`, `acc_50`: its box has so much IoU with the
    target's, in percent; `iou`: the mean. Boxes are taken axis-aligned, as ScanRefer's scripts do:
    of a turned one the box around it. Where nothing was found, all are 0.

    Groups beside those of the rows: `unique` and `multiple` where a row does not say, by the true
    objects (`Uniqueness`); `tied`: others were as sure.

    Raises:
        EvaluationError: the truth lacks a row's target.
    """
    truth = material.truth
    columns: dict[str, Column] = {}
    if material.source.has_true_ids:
        right = [one.object_ids[:1] == (one.row.target_id,) for one in predictions]
        columns["accuracy"] = mean_column([float(is_right) for is_right in right])
    if truth is None:
        missing = mean_column(np.full(len(predictions), np.nan))
        columns |= dict.fromkeys((*_LEAST_IOUS, "iou"), missing)
        return Scored(columns, [_tied(one) for one in predictions], {}, (_NO_TRUTH,))
    iou = _ious(predictions, truth)
    rows = [one.row for one in predictions]
    uniqueness = Uniqueness(truth)
    groups = [(*_unique(one.row, uniqueness), *_tied(one)) for one in predictions]
    notes = () if all(row.is_unique is not None for row in rows) else (uniqueness.note,)
    baseline = _by_class(rows, truth, _same_class(rows, truth))
    return Scored(columns | _box_columns(iou), groups, {BY_CLASS: baseline}, notes)


def _box_columns(iou: Array) -> dict[str, Column]:
    return {
        **{name: mean_column((iou >= least).astype(float)) for name, least in _LEAST_IOUS.items()},
        "iou": mean_column(iou),
    }


def _ious(predictions: Sequence[GroundingPrediction], truth: Scenes) -> Array:
    """(N,)."""
    iou = np.zeros(len(predictions))
    found = [k for k, one in enumerate(predictions) if one.boxes]
    targets = [truth.get_target(one.row.scene_id, one.row.target_id).box for one in predictions]
    iou[found] = iou_pairs(
        extents([predictions[k].boxes[0] for k in found]), extents([targets[k] for k in found])
    )
    return iou


_Place = tuple[str, int]


def _same_class(
    rows: Sequence[ReferringExpression], truth: Scenes
) -> dict[_Place, tuple[int, ...]]:
    """Scene and target -> ids of the objects with the target's label, it included."""
    found: dict[_Place, tuple[int, ...]] = {}
    for row in rows:
        place = row.scene_id, row.target_id
        if place not in found:
            label = truth.get_target(*place).label
            objects = truth.get_objects(row.scene_id).values()
            found[place] = tuple(o.object_id for o in objects if o.label == label)
    return found


def _by_class(
    rows: Sequence[ReferringExpression],
    truth: Scenes,
    same_class: Mapping[_Place, tuple[int, ...]],
) -> dict[str, Column]:
    """What is to be expected of drawing one of the target's class."""
    expected: dict[_Place, tuple[float, ...]] = {}
    for (scene_id, target_id), ids in same_class.items():
        objects = truth.get_objects(scene_id)
        target = extents([objects[target_id].box] * len(ids))
        iou = iou_pairs(extents([objects[one].box for one in ids]), target)
        accurate = (float(np.mean(iou >= least)) for least in _LEAST_IOUS.values())
        expected[scene_id, target_id] = (1.0 / len(ids), *accurate, float(iou.mean()))
    values = np.array([expected[row.scene_id, row.target_id] for row in rows])
    names = ("accuracy", *_LEAST_IOUS, "iou")
    return {name: mean_column(values[:, k]) for k, name in enumerate(names)}


def _unique(row: ReferringExpression, uniqueness: Uniqueness) -> tuple[str, ...]:
    """Where the row does not say it itself."""
    if row.is_unique is not None:
        return ()
    return ("unique" if uniqueness.is_unique(row.scene_id, row.target_id) else "multiple",)


def _tied(prediction: GroundingPrediction) -> tuple[str, ...]:
    return ("tied",) if prediction.tied > 1 else ()
