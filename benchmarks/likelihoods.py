"""Fit of `reasoning/symbolic/likelihood.yaml`: how often objects of descriptions, and replies to
loosely read questions, are right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from scenemind.config import RelationConfig
from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.datasets.questions import read_scanqa, read_sqa3d
from scenemind.evaluation.datasets.referring_expressions import (
    read_nr3d,
    read_scanrefer,
    read_sr3d,
)
from scenemind.evaluation.metrics.sense_match import sense_match
from scenemind.evaluation.reliability import find_reliability
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.sources import ObjectsMemory
from scenemind.geometry import iou_3d
from scenemind.language.loose import read_question
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.symbolic.answers import answer
from scenemind.reasoning.symbolic.expressions import find_match
from scenemind.reasoning.symbolic.likelihood import Evidence, kinds_of, shares
from scenemind.reasoning.symbolic.reasoner import SITUATED, SymbolicReasoner
from scenemind.reasoning.symbolic.refusals import unused_words
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene

# Least number of rows of a kind; fits of the rows that stand for what is known of all kinds.
_LEAST, _PRIOR = 12, (0.0, 1.0) * 4
_PLACES = ("standing", "nowhere")
# A found object is right if it overlaps with the target as much; weight of a weight's square.
_OVERLAP, _RIDGE = 0.25, 1e-3
# Numbers of weights in `likelihood.yaml`.
_SHARPNESS, _TRUST = 2, 3


@dataclass(frozen=True, slots=True)
class _Row:
    """A row whose question was read loosely.

    Attributes:
        kinds: see `kinds_of`.
        place: one of `_PLACES`.
        left_out: "unknown" or "unread" words, or none.
        fit: how well the objects of its reply fit.
        sure: confidence as the library tells it now.
        is_fitted: its scene is of the half for fitting.
    """

    kinds: tuple[str, ...]
    place: str
    left_out: str
    fit: float
    sure: float
    right: bool
    is_fitted: bool


@dataclass(frozen=True, slots=True)
class _Description:
    """A row that describes an object.

    Attributes:
        scores: (N,) those above 0 of the objects, best first.
        best: the object with the best score is meant.
        sure, is_fitted: as in `_Row`.
        right: the first object of the reply is meant.
    """

    scores: NDArray[np.float64]
    evidence: Evidence
    best: bool
    sure: float
    right: bool
    is_fitted: bool


def bench_likelihoods(
    sqa3d: Path, scanqa: Path, nr3d: Path, scanrefer: Path, sr3d: Path, objects: Path
) -> dict[str, Any]:
    """The content of `likelihood.yaml`, fitted on the scenes whose MD5 is even, and the reliability
    of the present one on both halves (`fitted`, `other`), of questions on rows that are read
    loosely, of descriptions under `always_answer`.

    A kind's likelihood is a line over how well its objects fit, drawn towards that of all kinds.
    Kinds without rows where the asker's place is not known are as much less right there as others.
    Of descriptions see `fit_descriptions`.

    Args:
        objects: the objects file of the scenes.
    """
    scenes = Scenes(objects)
    readers = {"nr3d": (read_nr3d, nr3d), "scanrefer": (read_scanrefer, scanrefer)}
    readers["sr3d"] = (read_sr3d, sr3d)
    described = {
        name: list(_descriptions(list(reader(path)), scenes))
        for name, (reader, path) in readers.items()
    }
    rows = [
        *_rows(list(read_sqa3d(sqa3d)), scenes, "standing"),
        *_rows(list(read_scanqa(scanqa)), scenes, "nowhere"),
    ]
    of_fit = {n: [row for row in of if row.is_fitted] for n, of in described.items()}
    found = {**fit_descriptions(of_fit), **_fit_replies([row for row in rows if row.is_fitted])}
    for half in ("fitted", "other"):
        is_fitted = half == "fitted"
        told = {
            place: [(r.sure, r.right) for r in rows if (r.place, r.is_fitted) == (place, is_fitted)]
            for place in _PLACES
        }
        for name, of in described.items():
            told[name] = [(r.sure, r.right) for r in of if r.is_fitted == is_fitted]
        for name, pairs in told.items():
            by = find_reliability("right", [p for p, _ in pairs], [float(h) for _, h in pairs])
            found[f"{half} {name}"] = by.as_json() if by else {}
    return found


def fit_descriptions(rows: Mapping[str, Sequence[_Description]]) -> dict[str, list[float]]:
    """The weights of `shares` under which it is likeliest that as many of the rows are right.

    Args:
        rows: by benchmark; each counts as much as the root of its number.
    """
    flat = [(row, len(of) ** -0.5) for of in rows.values() for row in of]
    right = np.array([row.best for row, _ in flat])
    counts = np.array([weight for _, weight in flat])

    def loss(weights: NDArray[np.float64]) -> float:
        sharpness, trust = weights[:_SHARPNESS].tolist(), weights[_SHARPNESS:].tolist()
        of_first = [shares(row.scores, row.evidence, sharpness, trust)[0] for row, _ in flat]
        sure = np.clip(of_first, 1e-4, 1.0 - 1e-4)
        sloping = np.delete(weights, (0, _SHARPNESS))
        cost = -np.log(np.where(right, sure, 1.0 - sure))
        return float(np.average(cost, weights=counts) + _RIDGE * sloping @ sloping)

    start = np.zeros(_SHARPNESS + _TRUST)
    start[[0, _SHARPNESS]] = 0.5, 2.5
    found = np.round(minimize(loss, start, method="L-BFGS-B").x, 2).tolist()
    return {"sharpness": found[:_SHARPNESS], "trust": found[_SHARPNESS:]}


def _fit_replies(fitted: Sequence[_Row]) -> dict[str, Any]:
    """The lines and factors of replies to questions."""
    found: dict[str, Any] = {
        "rows": len(fitted),
        **{place: _lines([row for row in fitted if row.place == place]) for place in _PLACES},
    }
    of_things = [row for row in fitted if row.place == "nowhere" and not _is_of_place(row)]
    seldomer, lines = _ratio(of_things, found["standing"]), found["nowhere"]
    del lines["any"]
    for kind, (constant, slope) in found["standing"].items():
        lines.setdefault(kind, (round(seldomer * constant, 2), round(seldomer * slope, 2)))
    for name in ("unknown", "unread"):
        left = [row for row in fitted if row.left_out == name]
        ratios = [_ratio([row for row in left if row.place == p], found[p]) for p in _PLACES]
        found[name] = round(float(np.mean(ratios)), 2)
    return found


def _descriptions(rows: Sequence[ReferringExpression], scenes: Scenes) -> Iterator[_Description]:
    config = RelationConfig()
    by_scene = groupby(sorted(rows, key=lambda row: row.scene_id), key=lambda row: row.scene_id)
    for name, of in by_scene:
        if name not in scenes.names:
            continue
        snapshot = scenes.get_snapshot(name)
        scene, is_fitted = Scene(snapshot), _is_fitted(name)
        reasoner = SymbolicReasoner(ObjectsMemory(snapshot), config)
        for row in of:
            query = Query(row.text, policy="always_answer")
            try:
                match, told = find_match(query, scene), reasoner.ground(query, snapshot)
            except ReasoningError:
                continue
            target = snapshot.objects[row.target_id].box
            best, first = (found.objects[0].box for found in (match.reply, told))
            yield _Description(
                -np.sort(-match.scores[match.scores > 0.0]),
                match.evidence,
                iou_3d(best, target) >= _OVERLAP,
                told.confidence,
                iou_3d(first, target) >= _OVERLAP,
                is_fitted,
            )


def _is_fitted(scene_id: str) -> bool:
    return int(md5(scene_id.encode()).hexdigest(), 16) % 2 == 0


def _rows(questions: Sequence[Question], scenes: Scenes, place: str) -> Iterator[_Row]:
    config = RelationConfig()
    for row in questions:
        if row.scene_id not in scenes.names:
            continue
        snapshot = scenes.get_snapshot(row.scene_id)
        memory = ObjectsMemory(snapshot)
        pose = None if row.pose is None else scenes.get_viewpoint(row.scene_id, row.pose)
        query = Query(row.question, row.situation, pose, policy="always_answer")
        answered = SymbolicReasoner(memory, config).ask(query, snapshot)
        if not answered.steps[0].startswith(SITUATED):
            continue
        at, question = (
            Resolver(Scene(snapshot), query, weighs=True),
            read_question(row.question),
        )
        reply = answer(question, at, memory.changes_since)
        unknown, unread = unused_words(question, at)
        yield _Row(
            kinds_of(question, reply),
            place,
            "unknown" if unknown else "unread" if unread else "",
            reply.confidence,
            answered.confidence,
            any(sense_match(reply.brief, truth) for truth in row.answers),
            _is_fitted(row.scene_id),
        )


def _lines(rows: Sequence[_Row]) -> dict[str, tuple[float, float]]:
    """Kind -> constant and slope of the likelihood over the fit."""
    overall = float(np.mean([row.right for row in rows]))
    by_kind: defaultdict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        for kind in row.kinds:
            by_kind[kind].append(row)
    return {k: _line(of, overall) for k, of in sorted(by_kind.items()) if len(of) >= _LEAST}


def _line(rows: Sequence[_Row], overall: float) -> tuple[float, float]:
    """The line nearest to rows, and to some more that are right as often as all are; it never
    falls."""
    fits = np.array([*(row.fit for row in rows), *_PRIOR])
    right = np.array([*(row.right for row in rows), *(overall for _ in _PRIOR)], float)
    slope, constant = np.polyfit(fits, right, 1)
    if slope < 0.0:
        slope, constant = 0.0, right.mean()
    return round(float(constant), 2), round(float(slope), 2)


def _is_of_place(row: _Row) -> bool:
    """Whether the right reply depends on where the asker stands."""
    return any(kind.startswith(("AskDirection", "Where")) for kind in row.kinds)


def _ratio(rows: Sequence[_Row], lines: dict[str, tuple[float, float]]) -> float:
    """Right answers of rows, relative to what lines say."""
    return sum(row.right for row in rows) / sum(_value(lines, row) for row in rows)


def _value(lines: dict[str, tuple[float, float]], row: _Row) -> float:
    constant, slope = next(lines[kind] for kind in row.kinds if kind in lines)
    return constant + slope * row.fit
