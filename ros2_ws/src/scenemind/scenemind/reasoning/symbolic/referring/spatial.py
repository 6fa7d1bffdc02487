"""Graded spatial relations and places of boxes.

Scores only compare candidates for one expression; whether a relation holds at all is for
`memory.graph`. Weights are set by hand: on the validation rows of ScanRefer and Nr3D, fitting them
(log linear, on half of the scenes) gains nothing on the other half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.language.trees import Rank

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
_EPSILON = 1e-9
# Exponents of the scores of parts; 1 for all others.
WEIGHTS: dict[str, float] = {
    "closest": 2.0,
    "farthest": 2.0,
    "far": 1.5,
    "in front of": 0.8,
    "behind": 0.8,
    "opposite": 0.7,
    "at the foot of": 0.7,
    # A relation that does not hold: "near" falls slowly, so that its opposite says little.
    "denied": 2.0,
    # Looks, which depend on light and on the observer.
    "look": 0.6,
    # Sides, in shares of the group's extent; ordinals.
    "side": 2.0,
    "order": 1.2,
}
# The distances in which a score falls to 1/e.
REACH_M = {
    "near": 0.6,
    "with": 0.2,
    "compared": 0.5,
    "beside": 1.5,
    "corner": 0.8,
}
# Least score of a part.
LEAST = 0.02
_SHORTEST_M = 0.05
# Cosine with the left at which "left of" scores a half, and the slope there.
_COSINE, _STEEP = 0.15, 6.0
Weighted = Sequence[tuple[int, float]]
"""Rows of things that may be meant, with how well each fits, the best 1."""
SIDES = {"left of": "left", "right of": "right", "in front of": "front", "behind": "rear"}
_MOST_PAIRS = 60
# Certainty that sides, and front and behind, are those of an onlooker in the room: "in front of"
# may also refer to a thing's own front.
_SURE, _SURE_OF_FRONT = 0.8, 0.6
# Stations of an unknown onlooker are the middle of the room, and places this far to its corners.
_STATION = 0.6
Mask = NDArray[np.bool_]
# Smallest spread of heights with a top object; below it "top" means the back of a plan.
_LEVEL_M = 0.25
_SHORTEST_SPREAD_M = 0.3
# Least score of a denied part that holds.
LEAST_DENIED = 0.1


class Space:
    """Boxes of N things (axis-aligned hulls, world, metres) and the room they fill.

    Attributes:
        low, high, center, size: (N, 3) float64.
        room_low, room_high, middle: (2,): of the room seen from above.
        station: (2,): where an onlooker stands of whom nothing is known.
    """

    def __init__(self, low: Matrix, high: Matrix) -> None:
        """
        Args:
            low, high: (N, 3) float64; N at least 1.
        """
        self.low, self.high = low, high
        self.center = (low + high) / 2.0
        self.size = high - low
        self.room_low = low[:, :2].min(axis=0)
        self.room_high = high[:, :2].max(axis=0)
        self.middle = (self.room_low + self.room_high) / 2.0
        self.station = self.middle

    def stations(self) -> list[NDArray[np.float64]]:
        """Places (2,) in the room where an unknown onlooker may stand, equally likely."""
        aside = _STATION * (self.room_high - self.room_low) / 2.0
        ways = np.array(((0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)))
        return list(self.middle + ways * aside)

    def gaps_m(self, anchor: int) -> Vector:
        """(N,) distances between surfaces."""
        return np.asarray(np.linalg.norm(self._apart(anchor), axis=1))

    def level_gaps_m(self, anchor: int) -> Vector:
        """(N,) distances between surfaces, seen from above."""
        return np.asarray(np.linalg.norm(self._apart(anchor)[:, :2], axis=1))

    def distances_m(self, anchor: int) -> Vector:
        """(N,) mean of the gap and the distance of centres, so that touching things compare."""
        apart = np.linalg.norm(self.center - self.center[anchor], axis=1)
        return 0.5 * self.gaps_m(anchor) + 0.5 * np.asarray(apart)

    def overlaps(self, anchor: int) -> Vector:
        """(N,) share of each footprint that is over or under the anchor's."""
        shared = np.minimum(self.high, self.high[anchor]) - np.maximum(self.low, self.low[anchor])
        area = np.prod(np.clip(shared[:, :2], 0.0, None), axis=1)
        own = np.prod(self.size[:, :2], axis=1)
        return np.asarray(
            area / np.maximum(np.minimum(own, np.prod(self.size[anchor, :2])), _EPSILON)
        )

    def on(self, anchor: int) -> Vector:
        """(N,) scores for resting on the anchor, standing in it (a shelf) or hanging on it (a
        wall)."""
        bottom = self.low[:, 2]
        off = np.maximum(bottom - self.high[anchor, 2], 0.0) + np.maximum(
            self.low[anchor, 2] - bottom, 0.0
        )
        upright = np.exp(-off / 0.15) * np.exp(-self.level_gaps_m(anchor) / 0.1)
        return np.asarray(upright * (0.3 + 0.7 * self.overlaps(anchor).clip(0, 1)))

    def inside(self, anchor: int) -> Vector:
        """(N,) scores by the share of volume inside the anchor, and by nearness."""
        shared = np.minimum(self.high, self.high[anchor]) - np.maximum(self.low, self.low[anchor])
        volume = np.prod(np.clip(shared, 0.0, None), axis=1)
        share = volume / np.maximum(np.prod(self.size, axis=1), _EPSILON)
        return np.asarray(0.5 * share + 0.5 * np.exp(-self.gaps_m(anchor) / 0.3))

    def above(self, anchor: int) -> Vector:
        """(N,) scores for being higher than the anchor, and over rather than beside it."""
        rise = self.center[:, 2] - self.center[anchor, 2]
        return np.asarray(_step(rise / 0.15) * np.exp(-self.level_gaps_m(anchor) / 0.4))

    def below(self, anchor: int) -> Vector:
        """(N,) scores for being lower than the anchor, and under rather than beside it."""
        fall = self.center[anchor, 2] - self.center[:, 2]
        return np.asarray(_step(fall / 0.15) * np.exp(-self.level_gaps_m(anchor) / 0.4))

    def between(self, first: int, second: int) -> Vector:
        """(N,) scores by distance from the middle of the line between two things."""
        a, b = self.center[first, :2], self.center[second, :2]
        way = b - a
        length = max(float(np.linalg.norm(way)), _EPSILON)
        from_a = self.center[:, :2] - a
        along = (from_a @ way) / length**2
        aside = np.abs(from_a @ np.array((-way[1], way[0]))) / length
        return np.asarray(np.exp(-np.abs(along - 0.5) / 0.35) * np.exp(-aside / 0.6))

    def opposite(self, anchor: int) -> Vector:
        """(N,) scores for being aligned with the anchor along a room axis, and not near."""
        aside = np.abs(self.center[:, :2] - self.center[anchor, :2])
        return np.asarray(np.exp(-aside.min(axis=1) / 0.5) * _step((aside.max(axis=1) - 1.0) / 0.5))

    def at_end(self, anchor: int) -> Vector:
        """(N,) scores for being beside a short side of the anchor."""
        long = int(np.argmax(self.size[anchor, :2]))
        beyond = np.abs(self.center[:, long] - self.center[anchor, long])
        beyond -= self.size[anchor, long] / 2.0
        return np.asarray(_step(beyond / 0.15) * np.exp(-self.level_gaps_m(anchor) / 0.4))

    def in_corner(self, reach_m: float) -> Vector:
        """(N,) scores by nearness to a corner of the room."""
        to_low = self.low[:, :2] - self.room_low
        to_high = self.room_high - self.high[:, :2]
        nearest = np.minimum(to_low, to_high)
        return np.asarray(np.exp(-np.linalg.norm(nearest, axis=1) / reach_m))

    def in_middle(self) -> Vector:
        """(N,) scores by nearness to the middle of the room."""
        half = (self.room_high - self.room_low) / 2.0
        off = np.abs(self.center[:, :2] - self.middle) / np.maximum(half, _EPSILON)
        return np.asarray(np.exp(-np.linalg.norm(off, axis=1) / 0.5))

    def _apart(self, anchor: int) -> Matrix:
        return np.maximum(
            np.maximum(self.low - self.high[anchor], self.low[anchor] - self.high), 0.0
        )


def _step(value: Vector) -> Vector:
    """Logistic function."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(value, -50.0, 50.0))))


def weight(part: str) -> float:
    """Exponent of a predicate, a place or a kind of look."""
    return WEIGHTS.get(part, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Onlooker:
    """Viewpoint seen from above: position and heading, (2,) each, and certainty in [0, 1]."""

    position: NDArray[np.float64]
    ahead: NDArray[np.float64]
    sure: float = 1.0

    @property
    def right(self) -> NDArray[np.float64]:
        return np.array((self.ahead[1], -self.ahead[0]))

    def axis(self, side: str) -> NDArray[np.float64]:
        """Unit vector of a side; nearer is front, farther is rear."""
        ways = {"left": -self.right, "right": self.right, "front": -self.ahead, "rear": self.ahead}
        return ways[side]


def looking(
    position: NDArray[np.float64], target: NDArray[np.float64], sure: float = 1.0
) -> Onlooker:
    """Onlooker at a position, looking at a target, (2,) both; unsure where they coincide."""
    way = target - position
    length = float(np.linalg.norm(way))
    if length < _SHORTEST_M:
        return Onlooker(position, np.array((0.0, 1.0)), 0.0)
    return Onlooker(position, way / length, sure)


def beside(space: Space, anchor: int, side: str, onlooker: Onlooker) -> Vector:
    """(N,) scores for being on a side of the anchor, and near it."""
    way = space.center[:, :2] - space.center[anchor, :2]
    length = np.maximum(np.linalg.norm(way, axis=1), _SHORTEST_M)
    cosine = way @ onlooker.axis(side) / length
    on_side = 1.0 / (1.0 + np.exp(-_STEEP * (cosine - _COSINE)))
    on_side = onlooker.sure * on_side + (1.0 - onlooker.sure) * 0.5
    return np.asarray(on_side * np.exp(-space.level_gaps_m(anchor) / REACH_M["beside"]))


def along(space: Space, side: str, onlooker: Onlooker) -> Vector:
    """(N,) coordinates along a side, in metres."""
    return np.asarray(space.center[:, :2] @ onlooker.axis(side))


def related(space: Space, predicate: str, anchor: int, onlooker: Onlooker | None) -> Vector:
    """(N,) scores in [0, 1] for a relation to one thing, which itself gets 0.

    Args:
        onlooker: defines left and right; None for one at the station who looks at the anchor.
    """
    predicate = _ALIKE.get(predicate, predicate)
    if predicate in SIDES:
        side = SIDES[predicate]
        sure = _SURE if side in ("left", "right") else _SURE_OF_FRONT
        seen_by = onlooker or looking(space.station, space.center[anchor, :2], sure)
        fit = beside(space, anchor, side, seen_by)
    elif predicate in _TURNED:
        fit = np.array(
            [
                related(space, _TURNED[predicate], row, onlooker)[anchor]
                for row in range(len(space.low))
            ]
        )
    elif predicate == "on":
        fit = np.maximum(space.on(anchor), 0.3 * np.exp(-space.gaps_m(anchor) / 0.3))
    elif predicate == "with":
        fit = np.exp(-space.gaps_m(anchor) / REACH_M["with"])
    elif predicate in _OF_BOXES:
        fit = _OF_BOXES[predicate](space, anchor)
    else:
        fit = np.exp(-space.distances_m(anchor) / REACH_M["near"])
    fit = np.array(fit)
    fit[anchor] = 0.0
    return fit


_TURNED = {"supports": "on", "contains": "inside"}
# Boxes tell these apart by nearness only.
_ALIKE = {
    **dict.fromkeys(("hanging on", "mounted on"), "on"),
    "embedded in": "inside",
    **dict.fromkeys(("embeds", "hung with", "mounted with", "affixed with"), "with"),
    **dict.fromkeys(("affixed on", "besides"), "next to"),
    **dict.fromkeys(("around", "within reach", "facing"), "near"),
    "higher than": "above",
    "lower than": "below",
}
_OF_BOXES = {
    "inside": Space.inside,
    "above": Space.above,
    "below": Space.below,
    "opposite": Space.opposite,
    "at the end of": Space.at_end,
}


def in_room(space: Space, predicate: str) -> Vector:
    """(N,) scores for being in a corner, or in the middle, of the room."""
    return (
        space.in_middle() if predicate == "in the middle of" else space.in_corner(REACH_M["corner"])
    )


def between(space: Space, first: Weighted, second: Weighted) -> Vector:
    """(N,) scores by distance from the middle of the line between two things."""
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
    """(N,) metres, higher for things nearer to the nearest anchor other than themselves, or
    farther from it."""
    each = np.array([space.distances_m(row) for row in anchors])
    if len(anchors) > 1:
        each[np.arange(len(anchors)), list(anchors)] = np.inf
    distances = each.min(axis=0)
    return np.asarray(distances if farthest else -distances)


def rank_scores(space: Space, rank: Rank, among: Mask, onlooker: Onlooker | None) -> Vector:
    """(N,) log scores of a place in a group, the best 0 or below; all 0 where it decides nothing.

    Args:
        among: things to compare with.
    """
    scores = _affirmed_scores(space, rank, among, onlooker)
    if rank.negated and scores.any():
        return np.asarray(np.log(np.maximum(1.0 - np.exp(scores), LEAST_DENIED)))
    return scores


def _affirmed_scores(space: Space, rank: Rank, among: Mask, onlooker: Onlooker | None) -> Vector:
    if rank.superlative == "middle":
        center = space.center[among]
        spread_m = float(center.std(axis=0).max()) + 0.1
        off_m = np.linalg.norm(space.center - center.mean(axis=0), axis=1)
        return np.asarray(-weight("middle") * off_m / spread_m)
    values_m = _to_side(space, rank.superlative, among, onlooker)
    if values_m is None:
        return np.zeros(len(among))
    if rank.order > 1:
        return order_scores(values_m, among, rank.order)
    spread_m = max(float(np.ptp(values_m[among])), _SHORTEST_SPREAD_M)
    counts = weight("side")
    return np.asarray(counts * np.minimum((values_m - values_m[among].max()) / spread_m, 0.0))


def order_scores(values: Vector, among: Mask, order: int) -> Vector:
    """(N,) log scores of being the second, third, ... highest of some."""
    rows = np.flatnonzero(among)
    ranked = rows[np.argsort(-values[rows], kind="stable")]
    off = np.full(len(values), 2.0)
    off[ranked] = np.minimum(np.abs(np.arange(1, len(ranked) + 1) - order), 2.0)
    return np.asarray(-weight("order") * off)


def _to_side(space: Space, side: str, among: Mask, onlooker: Onlooker | None) -> Vector | None:
    """(N,) coordinates towards a side in metres; None where the side is unknown."""
    if side in ("highest", "lowest"):
        heights = space.center[:, 2]
        if np.ptp(heights[among]) > _LEVEL_M:
            return heights if side == "highest" else -heights
        side = "rearmost" if side == "highest" else "frontmost"
    group = space.center[among, :2].mean(axis=0)
    seen_by = onlooker or looking(space.station, group)
    return along(space, side.removesuffix("most"), seen_by) if seen_by.sure else None
