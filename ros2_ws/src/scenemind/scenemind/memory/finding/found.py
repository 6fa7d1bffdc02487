"""An object that words may mean, with the reasons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """One answer of a search.

    Attributes:
        score: how well the words fit, in (0, 1]; 1: it is called exactly that.
        reasons: why, most telling first, such as "another word for sofa" and "color=red".
    """

    object_id: int
    score: float
    reasons: tuple[str, ...]


def best_of_each(found: Iterable[Found]) -> dict[int, Found]:
    """Object id -> the better of its answers, with the reasons of the others after its own."""
    best: dict[int, Found] = {}
    for one in found:
        other = best.get(one.object_id)
        if other is None:
            best[one.object_id] = one
            continue
        first, second = (one, other) if one.score > other.score else (other, one)
        reasons = tuple(dict.fromkeys((*first.reasons, *second.reasons)))
        best[one.object_id] = Found(one.object_id, first.score, reasons)
    return best
