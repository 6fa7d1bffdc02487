"""How well things stand where an expression puts them in the room or in their group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.reasoning.symbolic.referring.description import Placed
from scenemind.reasoning.symbolic.referring.sides import Onlooker, along, looking
from scenemind.reasoning.symbolic.referring.space import Space, Vector
from scenemind.reasoning.symbolic.referring.weights import LEAST, REACH_M, weight

Mask = NDArray[np.bool_]

# Things that differ less in height have no top one: the top one on a plan is the one in the back.
_LEVEL_M = 0.25
_SHORTEST_SPREAD_M = 0.3
# What is denied and yet so is this much less likely.
_LEAST_DENIED = 0.1
_KINDS = {"left": "side", "right": "side", "top": "upright", "bottom": "upright"}


def place_scores(space: Space, place: Placed, among: Mask, onlooker: Onlooker | None) -> Vector:
    """(N,) log scores, the best 0 or below; all 0 where it says nothing here.

    Args:
        among: the things it is compared with.
    """
    scores = _scores(space, place, among, onlooker)
    if place.negated and scores.any():
        return np.asarray(np.log(np.maximum(1.0 - np.exp(scores), _LEAST_DENIED)))
    return scores


def _scores(space: Space, place: Placed, among: Mask, onlooker: Onlooker | None) -> Vector:
    if place.place == "corner":
        fit = np.maximum(space.in_corner(REACH_M["corner"]), LEAST)
        return np.asarray(weight("corner") * np.log(fit))
    if place.place == "room middle":
        return np.asarray(weight("room middle") * np.log(np.maximum(space.in_middle(), LEAST)))
    if place.place == "middle":
        center = space.center[among]
        spread_m = float(center.std(axis=0).max()) + 0.1
        off_m = np.linalg.norm(space.center - center.mean(axis=0), axis=1)
        return np.asarray(-weight("middle") * off_m / spread_m)
    values_m = _to_side(space, place.place, among, onlooker)
    if values_m is None:
        return np.zeros(len(among))
    if place.order > 1:
        return order_scores(values_m, among, place.order)
    spread_m = max(float(np.ptp(values_m[among])), _SHORTEST_SPREAD_M)
    counts = weight(_KINDS.get(place.place, "depth"))
    return np.asarray(counts * np.minimum((values_m - values_m[among].max()) / spread_m, 0.0))


def order_scores(values: Vector, among: Mask, order: int) -> Vector:
    """(N,) log scores of being the second, third, ... highest of some."""
    rows = np.flatnonzero(among)
    ranked = rows[np.argsort(-values[rows], kind="stable")]
    off = np.full(len(values), 2.0)
    off[ranked] = np.minimum(np.abs(np.arange(1, len(ranked) + 1) - order), 2.0)
    return np.asarray(-weight("order") * off)


def _to_side(space: Space, side: str, among: Mask, onlooker: Onlooker | None) -> Vector | None:
    """(N,) metres to that side; None where nobody knows which side that is."""
    if side in ("top", "bottom"):
        heights = space.center[:, 2]
        if np.ptp(heights[among]) > _LEVEL_M:
            return heights if side == "top" else -heights
        side = "back" if side == "top" else "front"
    group = space.center[among, :2].mean(axis=0)
    seen_by = onlooker or looking(space.middle, group)
    return along(space, side, seen_by) if seen_by.sure else None
