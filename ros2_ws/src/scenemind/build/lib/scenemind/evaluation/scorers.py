"""Scorers of groundings (Nr3D, Sr3D, ScanRefer) and of answers (the other benchmarks)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.datasets.referring_expressions import (
    LABEL_TABLE,
    OTHERS,
    find_label_table,
    read_label_table,
)
from scenemind.evaluation.metrics.captions import CAPTION_METRICS, caption_columns
from scenemind.evaluation.metrics.matches import (
    exact_match,
    llm_match,
    refined_match,
    soft_match,
    vadar_score,
)
from scenemind.evaluation.metrics.sense_match import sense_match
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction
from scenemind.evaluation.result import (
    Array,
    BenchmarkScores,
    Column,
    Scorer,
    ScoringContext,
    mean_column,
)
from scenemind.evaluation.scenes import Scenes
from scenemind.geometry import Box3D

BY_CLASS = "any object of the right class"
_NO_TRUTH = "boxes are not compared, as nobody tells the true ones: --objects FILE does"
_LEAST_IOUS = {"acc_25": 0.25, "acc_50": 0.5}
_Place = tuple[str, int]
_READ_BY_METRICS = re.compile(r"[a-zA-Z0-9]")
_NO_JUDGE = "llm_match is not computed, as nobody has judged the answers: --judge MODEL does"
_CAPTIONS = frozenset(CAPTION_METRICS)
COMMONEST = "the commonest answer to questions of this kind"
_MATCHES: Mapping[str, Callable[[str, str], bool]] = {
    "exact_match": exact_match,
    "refined_match": refined_match,
    "soft_match": soft_match,
    "sense_match": sense_match,
}


def extents(boxes: Sequence[Box3D]) -> NDArray[np.float64]:
    """Bounds (N, 6) of boxes: x0, y0, z0, x1, y1, z1 of the axis-aligned box, metres."""
    return np.array([box.extent() for box in boxes], dtype=np.float64).reshape(-1, 6)


def iou_pairs(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Intersection over union (N,) of pairs of boxes (N, 6) and (N, 6).

    A flat box has no volume: its IoU is 1 with itself, and 0 with others.
    """
    sides = np.minimum(a[:, 3:], b[:, 3:]) - np.maximum(a[:, :3], b[:, :3])
    shared = np.prod(np.clip(sides, 0.0, None), axis=1)
    union = _volumes(a) + _volumes(b) - shared
    same = (a == b).all(axis=1).astype(np.float64)
    return np.divide(shared, union, out=same, where=union > 0.0)


def _volumes(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    volumes: NDArray[np.float64] = np.prod(boxes[:, 3:] - boxes[:, :3], axis=1)
    return volumes


class Uniqueness:
    """ScanRefer's "unique" and "multiple": whether a target is the only one of its class.

    Classes are ScanRefer's 18 where ScanNet's label table lies beside the objects file, else the
    labels themselves.

    Attributes:
        note: says which of the two.
    """

    def __init__(self, truth: Scenes) -> None:
        """
        Raises:
            EvaluationError: the label table cannot be read.
        """
        table = find_label_table(truth.path)
        self._truth = truth
        self._classes = None if table is None else read_label_table(table)
        self._counts = cache(self._counted)
        self.note = (
            f"unique and multiple go by the labels themselves: {LABEL_TABLE} beside the objects"
            " file would make them ScanRefer's 18 classes"
            if table is None
            else "unique and multiple go by ScanRefer's 18 classes of all objects in the scene"
        )

    def is_unique(self, scene_id: str, target_id: int) -> bool:
        """Whether no other object of the scene has the target's class.

        Raises:
            EvaluationError: the truth has no such object.
        """
        label = self._truth.get_target(scene_id, target_id).label
        return self._counts(scene_id)[self._class_of(label)] == 1

    def _counted(self, scene_id: str) -> Counter[str]:
        objects = self._truth.get_objects(scene_id).values()
        return Counter(self._class_of(thing.label) for thing in objects)

    def _class_of(self, label: str) -> str:
        return label if self._classes is None else self._classes.get(label, OTHERS)


def score_groundings(
    predictions: Sequence[GroundingPrediction], material: ScoringContext
) -> BenchmarkScores:
    """Score groundings by the first object of each prediction.

    `accuracy`: its id is the target's; `acc_25`, `acc_50`: the IoU of its box with the target's is
    at least 0.25 or 0.5; `iou`: the mean IoU. As in ScanRefer's scripts, IoU is that of the
    axis-aligned boxes around both. Without a found object all are 0.

    Further groups: `unique` and `multiple` by the true objects (`Uniqueness`) where the row does
    not contain it; `tied`: further objects have the same confidence.

    Raises:
        EvaluationError: the truth lacks a row's target.
    """
    truth = material.truth
    columns: dict[str, Column] = {}
    if material.source.has_true_ids:
        right = [one.object_ids[:1] == (one.row.target_id,) for one in predictions]
        columns["accuracy"] = mean_column([float(is_right) for is_right in right])
    if truth is None:
        return BenchmarkScores(columns, [_tied(one) for one in predictions], {}, (_NO_TRUTH,))
    iou = _ious(predictions, truth)
    rows = [one.row for one in predictions]
    uniqueness = Uniqueness(truth)
    groups = [(*_unique(one.row, uniqueness), *_tied(one)) for one in predictions]
    notes = () if all(row.is_unique is not None for row in rows) else (uniqueness.note,)
    columns |= _box_columns(iou)
    expected = _by_class(rows, truth, _same_class(rows, truth))
    baseline = {name: expected[name] for name in columns}
    return BenchmarkScores(columns, groups, {BY_CLASS: baseline}, notes)


def _box_columns(iou: Array) -> dict[str, Column]:
    return {
        **{name: mean_column((iou >= least).astype(float)) for name, least in _LEAST_IOUS.items()},
        "iou": mean_column(iou),
    }


def _ious(predictions: Sequence[GroundingPrediction], truth: Scenes) -> Array:
    """IoU (N,) of each prediction's first box with the target's."""
    iou = np.zeros(len(predictions))
    found = [k for k, one in enumerate(predictions) if one.boxes]
    targets = [truth.get_target(one.row.scene_id, one.row.target_id).box for one in predictions]
    iou[found] = iou_pairs(
        extents([predictions[k].boxes[0] for k in found]), extents([targets[k] for k in found])
    )
    return iou


def _same_class(
    rows: Sequence[ReferringExpression], truth: Scenes
) -> dict[_Place, tuple[int, ...]]:
    """Scene and target -> ids of the objects with the target's label, including it."""
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
    """Expected scores of a random object of the target's class."""
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
    """The group by uniqueness; none where the row contains it."""
    if row.is_unique is not None:
        return ()
    return ("unique" if uniqueness.is_unique(row.scene_id, row.target_id) else "multiple",)


def _tied(prediction: GroundingPrediction) -> tuple[str, ...]:
    return ("tied",) if prediction.tied > 1 else ()


def answer_scorer(*metrics: str) -> Scorer:
    """A scorer of answers by these metrics; by `llm_match` where there are judgements, and only
    there.

    An answer without any readable word ("", "...", other scripts) is wrong by all metrics, also by
    those whose papers give credit for it. Rows without right answers are not scored.
    """

    def score(predictions: Sequence[AnswerPrediction], material: ScoringContext) -> BenchmarkScores:
        marks = material.judgements
        columns = {"llm_match": _judged(predictions, marks)} if marks else {}
        notes: tuple[str, ...] = (_NO_JUDGE,) if "llm_match" in metrics and not marks else ()
        if not _CAPTIONS.isdisjoint(metrics):
            captions, missing = caption_columns(
                [(one.answer, one.row.answers) if one.row.answers else None for one in predictions]
            )
            columns |= captions
            notes += missing
        by_words = [name for name in metrics if name not in {*_CAPTIONS, "llm_match"}]
        answers = [one.answer for one in predictions]
        commonest = _commonest([one.row for one in predictions])
        baseline = {name: _by_words(name, predictions, commonest) for name in by_words}
        columns |= {name: _by_words(name, predictions, answers) for name in by_words}
        ordered = {name: columns[name] for name in ("llm_match", *metrics) if name in columns}
        return BenchmarkScores(ordered, [()] * len(predictions), {COMMONEST: baseline}, notes)

    return score


def _judged(predictions: Sequence[AnswerPrediction], marks: Mapping[str, float]) -> Column:
    return mean_column(
        [
            llm_match(one.answer, marks.get(one.row.row_id)) if one.row.answers else None
            for one in predictions
        ]
    )


def _by_words(
    metric: str, predictions: Sequence[AnswerPrediction], answers: Sequence[str]
) -> Column:
    """The column of a metric for these answers to the predictions' questions."""
    return mean_column(
        [
            _row_score(metric, answer, one.row)
            for one, answer in zip(predictions, answers, strict=True)
        ]
    )


def _row_score(metric: str, answer: str, row: Question) -> float | None:
    """The score by the best right answer; None: the row has none."""
    if not row.answers:
        return None
    if not any(map(str.isalnum, answer)):
        return 0.0
    if metric == "vadar_score":
        return max(vadar_score(answer, truth, row.category) for truth in row.answers)
    return float(any(_matches(metric, answer, truth) for truth in row.answers))


def _matches(metric: str, answer: str, truth: str) -> bool:
    """Whether an answer matches; one without readable words matches nothing."""
    is_read = all(map(_READ_BY_METRICS.search, (answer, truth)))
    return (is_read or metric == "exact_match") and _MATCHES[metric](answer, truth)


def _commonest(rows: Sequence[Question]) -> list[str]:
    """The most frequent answer of each row's category, a baseline without any knowledge of the
    scene; the first by letters of several."""
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        answers[row.category].update(row.answers)
    first = {
        kind: min(counts, key=lambda one: (-counts[one], one))
        for kind, counts in answers.items()
        if counts
    }
    return [first.get(row.category, "") for row in rows]
