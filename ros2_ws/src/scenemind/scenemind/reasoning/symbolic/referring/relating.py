"""How well things stand in the relations that expressions name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.reasoning.symbolic.referring.sides import Onlooker, beside, looking
from scenemind.reasoning.symbolic.referring.space import Space, Vector
from scenemind.reasoning.symbolic.referring.weights import REACH_M

Weighted = Sequence[tuple[int, float]]
"""Rows of things that may be meant, with how well each fits, the best 1."""

_SIDES = {"left of": "left", "right of": "right", "in front of": "front", "behind": "back"}
_MOST_PAIRS = 60
# How far left and right, and front and behind, are those of who stands in the middle of the room:
# "in front of" is said of things' own fronts as well.
_SURE, _SURE_OF_FRONT = 0.8, 0.3


def related(space: Space, predicate: str, anchor: int, onlooker: Onlooker | None) -> Vector:
    """(N,) in [0, 1]: how well each thing stands in a relation to one of them, itself 0.

    Args:
        onlooker: whose left and right count; None: who stands in the middle of the room and looks
            at the anchor.
    """
    if predicate in _SIDES:
        side = _SIDES[predicate]
        sure = _SURE if side in ("left", "right") else _SURE_OF_FRONT
        seen_by = onlooker or looking(space.middle, space.center[anchor, :2], sure)
        fit = beside(space, anchor, side, seen_by)
    elif predicate == "on":
        fit = np.maximum(space.on(anchor), 0.3 * np.exp(-space.gaps_m(anchor) / 0.3))
    elif predicate in ("with", "without"):
        fit = np.exp(-space.gaps_m(anchor) / REACH_M["with"])
    elif predicate in _OF_BOXES:
        fit = _OF_BOXES[predicate](space, anchor)
    else:
        fit = np.exp(-space.distances_m(anchor) / REACH_M["near"])
    fit = np.array(fit)
    fit[anchor] = 0.0
    return fit


_OF_BOXES = {
    "in": Space.inside,
    "above": Space.above,
    "below": Space.below,
    "opposite": Space.opposite,
    "end of": Space.at_end,
}


def between(space: Space, first: Weighted, second: Weighted) -> Vector:
    """(N,) in [0, 1]: between any two that may be meant; all 1 where there are no two."""
    pairs = [(a, b, of_a * of_b) for a, of_a in first for b, of_b in second if a != b]
    if not pairs:
        return np.ones(len(space.center))
    found = np.zeros(len(space.center))
    for a, b, weight in pairs[:_MOST_PAIRS]:
        fit = weight * space.between(a, b)
        fit[[a, b]] = 0.0
        found = np.maximum(found, fit)
    return found


def compared(space: Space, anchors: Sequence[int], *, farthest: bool) -> Vector:
    """(N,) metres: higher is nearer to the nearest anchor, or farther from it."""
    distances = np.min([space.distances_m(row) for row in anchors], axis=0)
    return np.asarray(distances if farthest else -distances)
