"""Which thing of one moment is which of another, where ids do not tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from scenemind.memory.types import MapObject
from scenemind.words.english import normal
from scenemind.words.thesaurus import Thesaurus

# Of two boxes of one thing the shorter diagonal has at least this share of the longer one.
_SAME_SIZE = 0.6
# Of two lookalikes the nearer one is meant, unless its size is worse by this share for each metre.
_LIKELIER_BY_M = 0.01
_NO_COLORS = {"and", "dark", "light"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values that may be one thing; the higher the score, the likelier."""

    before: MapObject
    after: MapObject
    score: float


def pairs_alike(before: Iterable[MapObject], after: Iterable[MapObject]) -> list[Pair]:
    """Things that may be one in two places: names for one kind of thing, about the same size, and
    a colour in common where both are known."""
    of_name: dict[str, list[MapObject]] = defaultdict(list)
    for new in after:
        of_name[normal(new.label)].append(new)
    return [
        Pair(old, new, score)
        for old in before
        for name in _names(old)
        for new in of_name.get(name, ())
        if (score := _likeness(old, new)) is not None
    ]


def one_to_one(pairs: Iterable[Pair]) -> list[Pair]:
    """The best of all pairs, then the best of those that are left, and so on."""
    taken_before: set[int] = set()
    taken_after: set[int] = set()
    chosen = []
    for pair in sorted(pairs, key=lambda p: (-p.score, p.before.object_id, p.after.object_id)):
        if pair.before.object_id in taken_before or pair.after.object_id in taken_after:
            continue
        taken_before.add(pair.before.object_id)
        taken_after.add(pair.after.object_id)
        chosen.append(pair)
    return chosen


def same_kind(a: MapObject, b: MapObject) -> bool:
    """Their labels are names for one kind of thing."""
    return normal(b.label) in _names(a)


def _likeness(old: MapObject, new: MapObject) -> float | None:
    """None where they cannot be one thing in two places."""
    diagonals = sorted(float(np.linalg.norm(thing.box.size)) for thing in (old, new))
    size = diagonals[0] / max(diagonals[1], 1e-9)
    if size < _SAME_SIZE or not _same_color(old, new):
        return None
    away_m = float(np.linalg.norm(np.subtract(old.box.center, new.box.center)))
    return size - _LIKELIER_BY_M * away_m


def _same_color(a: MapObject, b: MapObject) -> bool:
    """They share a colour word, or of one no colour is known."""
    colors = [set(thing.attributes.get("color", "").split()) - _NO_COLORS for thing in (a, b)]
    return not all(colors) or bool(colors[0] & colors[1])


def _names(thing: MapObject) -> frozenset[str]:
    """All that it may be called."""
    name = normal(thing.label)
    return Thesaurus.load().synonyms(name) | {name}
