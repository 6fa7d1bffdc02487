"""Fit of `reasoning/symbolic/likelihood.yaml`: how often replies to loosely read questions are
right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np

from scenemind.config import RelationConfig
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.datasets.questions import read_scanqa, read_sqa3d
from scenemind.evaluation.metrics.sense_match import sense_match
from scenemind.evaluation.reliability import find_reliability
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.sources import ObjectsMemory
from scenemind.language.situated.questions import read_question
from scenemind.language.vocabulary import Vocabulary
from scenemind.reasoning import Query
from scenemind.reasoning.symbolic.answers import best_reply, kinds_of
from scenemind.reasoning.symbolic.loose_resolver import LooseResolver
from scenemind.reasoning.symbolic.reasoner import SITUATED, SymbolicReasoner
from scenemind.reasoning.symbolic.scene import Scene

# Least number of rows of a kind; fits of the rows that stand for what is known of all kinds.
_LEAST, _PRIOR = 12, (0.0, 1.0) * 4
_PLACES = ("standing", "nowhere")


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


def bench_likelihoods(sqa3d: Path, scanqa: Path, objects: Path) -> dict[str, Any]:
    """The content of `likelihood.yaml`, fitted on the scenes whose MD5 is even, and the reliability
    of the present one on both halves (`fitted`, `other`), on rows that are read loosely.

    A kind's likelihood is a line over how well its objects fit, drawn towards that of all kinds.
    Kinds without rows where the asker's place is not known are as much less right there as others.

    Args:
        objects: the objects file of the scenes.
    """
    scenes = Scenes(objects)
    rows = [
        *_rows(list(read_sqa3d(sqa3d)), scenes, "standing"),
        *_rows(list(read_scanqa(scanqa)), scenes, "nowhere"),
    ]
    fitted = [row for row in rows if row.is_fitted]
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
    for half in ("fitted", "other"):
        for place in _PLACES:
            of = [row for row in rows if row.is_fitted == (half == "fitted") and row.place == place]
            told = find_reliability("sense", [r.sure for r in of], [float(r.right) for r in of])
            found[f"{half} {place}"] = told.as_json() if told else {}
    return found


def _rows(questions: Sequence[Question], scenes: Scenes, place: str) -> Iterator[_Row]:
    config, vocabulary = RelationConfig(), Vocabulary.load()
    for row in questions:
        if row.scene_id not in scenes.names:
            continue
        snapshot = scenes.get_snapshot(row.scene_id)
        memory = ObjectsMemory(snapshot)
        pose = None if row.pose is None else scenes.get_viewpoint(row.scene_id, row.pose)
        query = Query(row.question, row.situation, pose, policy="always_answer")
        answered = SymbolicReasoner(memory, config, vocabulary).ask(query, snapshot)
        if not answered.steps[0].startswith(SITUATED):
            continue
        at, question = (
            LooseResolver(Scene(snapshot), query, vocabulary),
            read_question(row.question),
        )
        reply = best_reply(question, at, memory.changes_since)
        unknown, unread = at.unused_words(question)
        yield _Row(
            kinds_of(question, reply),
            place,
            "unknown" if unknown else "unread" if unread else "",
            reply.confidence,
            answered.confidence,
            any(sense_match(reply.brief, truth) for truth in row.answers),
            int(md5(row.scene_id.encode()).hexdigest(), 16) % 2 == 0,
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
