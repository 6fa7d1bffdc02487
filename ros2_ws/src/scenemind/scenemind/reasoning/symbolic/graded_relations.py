"""Graded relations of boxes: how well each fits, in [0, 1], without a limit where it ends.

They compare candidates; whether a relation holds at all is for `memory.graph`. Shapes are set by
hand: on the validation rows of ScanRefer and Nr3D, fitting them (log linear, on half of the scenes)
gains nothing on the other half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.graph.relations.viewpoint import Viewpoint

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
_EPSILON, _SHORTEST_M = 1e-9, 0.05
_LARGER = 0.3
# Cosine with the left at which "left of" scores a half, the slope there, and the distance in which
# it falls to 1/e.
_COSINE, _STEEP, _BESIDE_M = 0.3, 6.0, 1.2
# Certainty that sides, and front and behind, are those of an onlooker in the room: "in front of"
# may also refer to a thing's own front.
_SURE, _SURE_OF_FRONT = 0.8, 0.6
# Gap up to which a thing is on a side of another one, and share of the way from its middle to its
# edge from which on it is on no other side.
_BY_M, _OFF_MIDDLE = 1.0, 0.3
SIDES = {"left of": "left", "right of": "right", "in front of": "front", "behind": "rear"}


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of axis-aligned boxes (world, metres), of shapes (..., 3) that broadcast: of (N, 3) and
    (A, 1, 3) results are (A, N).

    Each axis is an array of its own: whole (A, N) arrays are fast, triples of numbers are not.

    Attributes:
        low, high: corners of the subjects.
        other_low, other_high: corners of what they relate to.
    """

    low: Matrix
    high: Matrix
    other_low: Matrix
    other_high: Matrix

    @cached_property
    def level_offset(self) -> tuple[Vector, Vector]:
        """Along x and y, from the middle of the other box to that of the subject."""
        return self._offset(0), self._offset(1)

    @cached_property
    def rise(self) -> Vector:
        """Along z, from the middle of the other box to that of the subject."""
        return self._offset(2)

    @cached_property
    def gap_m(self) -> Vector:
        """Distances between surfaces."""
        return np.hypot(self.level_gap_m, np.maximum(-self._shared_height, 0.0))

    @cached_property
    def level_gap_m(self) -> Vector:
        """Distances between surfaces, seen from above."""
        return np.hypot(*self.level_gaps)

    @property
    def level_gaps(self) -> tuple[Vector, Vector]:
        """Distances between surfaces along x and y."""
        x, y = self._shared_level
        return np.maximum(-x, 0.0), np.maximum(-y, 0.0)

    @property
    def distance_m(self) -> Vector:
        """Mean of the gap and the distance of the middles, so that touching things compare."""
        return np.asarray(0.5 * (self.gap_m + np.hypot(np.hypot(*self.level_offset), self.rise)))

    @property
    def overlap(self) -> Vector:
        """Share of the smaller footprint that is over or under the other."""
        smaller = np.minimum(*self._footprints)
        return np.asarray(self._shared_area / np.maximum(smaller, _EPSILON))

    @property
    def share_within(self) -> Vector:
        """Share of the subject's volume inside the other box."""
        volume = self._shared_area * np.maximum(self._shared_height, 0.0)
        own = (self.high - self.low).prod(axis=-1)
        return np.asarray(volume / np.maximum(own, _EPSILON))

    @property
    def carriable(self) -> Vector:
        """Less for subjects with a larger footprint than what would carry them."""
        own, other = self._footprints
        return np.where(own > other, _LARGER, 1.0)

    @cached_property
    def _footprints(self) -> tuple[Vector, Vector]:
        own, other = self.high - self.low, self.other_high - self.other_low
        return own[..., 0] * own[..., 1], other[..., 0] * other[..., 1]

    @property
    def _shared_area(self) -> Vector:
        x, y = self._shared_level
        return np.asarray(np.maximum(x, 0.0) * np.maximum(y, 0.0))

    @cached_property
    def _shared_level(self) -> tuple[Vector, Vector]:
        return self._shared(0), self._shared(1)

    @cached_property
    def _shared_height(self) -> Vector:
        return self._shared(2)

    def _shared(self, axis: int) -> Vector:
        """Length that both have along an axis, less than 0 where they are apart."""
        top = np.minimum(self.high[..., axis], self.other_high[..., axis])
        return np.asarray(top - np.maximum(self.low[..., axis], self.other_low[..., axis]))

    def _offset(self, axis: int) -> Vector:
        own, other = self.low + self.high, self.other_low + self.other_high
        return np.asarray((own[..., axis] - other[..., axis]) / 2.0)


def on(pairs: Pairs) -> Vector:
    """Resting on the other, standing in it (a shelf) or hanging on it (a wall)."""
    bottom = pairs.low[..., 2]
    off = np.maximum(bottom - pairs.other_high[..., 2], 0.0) + np.maximum(
        pairs.other_low[..., 2] - bottom, 0.0
    )
    upright = np.exp(-off / 0.15) * np.exp(-pairs.level_gap_m / 0.1)
    rise = bottom - pairs.other_low[..., 2]
    lifted = rise > 0.15 * (pairs.other_high - pairs.other_low)[..., 2]
    resting = upright * (0.3 + 0.7 * pairs.overlap.clip(0.0, 1.0)) * np.where(lifted, 1.0, 0.5)
    # Boxes of things on another may miss it.
    return np.maximum(resting, 0.3 * np.exp(-pairs.gap_m / 0.3)) * pairs.carriable


def inside(pairs: Pairs) -> Vector:
    """By the share of volume inside the other, and by nearness."""
    fit = 0.5 * pairs.share_within + 0.5 * np.exp(-pairs.gap_m / 0.3)
    return np.asarray(fit * pairs.carriable)


def above(pairs: Pairs) -> Vector:
    """Higher than the other, and over rather than beside it."""
    return np.asarray(_step(pairs.rise / 0.15) * np.exp(-pairs.level_gap_m / 0.4))


def below(pairs: Pairs) -> Vector:
    """Lower than the other, and under rather than beside it."""
    return np.asarray(_step(-pairs.rise / 0.15) * np.exp(-pairs.level_gap_m / 0.4))


def near(pairs: Pairs) -> Vector:
    """By the distance."""
    return np.exp(-pairs.distance_m / 0.6)


def beside_closely(pairs: Pairs) -> Vector:
    """By the gap alone: parts of a thing and what it is set up with."""
    return np.exp(-pairs.gap_m / 0.2)


def opposite(pairs: Pairs) -> Vector:
    """Aligned with the other along a room axis, and not near."""
    x, y = (np.abs(offset) for offset in pairs.level_offset)
    return np.asarray(np.exp(-np.minimum(x, y) / 0.5) * _step((np.maximum(x, y) - 1.0) / 0.5))


def facing(pairs: Pairs) -> Vector:
    """Before a side of the other, and not touching it: which way boxes look is not known."""
    half = (pairs.other_high - pairs.other_low) / 2.0
    x, y = (np.abs(offset) - half[..., at] for at, offset in enumerate(pairs.level_offset))
    beyond = np.maximum(np.minimum(x, y), 0.0)
    return np.asarray(np.exp(-beyond) * np.exp(-pairs.level_gap_m / 0.6))


def at_end(pairs: Pairs) -> Vector:
    """Beside a short side of the other."""
    size = (pairs.other_high - pairs.other_low)[..., :2]
    long = np.argmax(size, axis=-1)
    beyond = np.abs(np.where(long == 0, *pairs.level_offset))
    beyond = beyond - size.max(axis=-1) / 2.0
    return np.asarray(_step(beyond / 0.15) * np.exp(-pairs.level_gap_m / 0.4))


def on_side(pairs: Pairs, way: Pairs, *, away: bool = False) -> Vector:
    """On, or not far from, the side of the other that is nearest to a third thing.

    Args:
        way: from the third thing to the other.
        away: on the opposite side.
    """
    half = np.maximum((pairs.other_high - pairs.other_low)[..., :2] / 2.0, _SHORTEST_M)
    offset, gap = np.stack(way.level_offset, axis=-1), np.stack(way.level_gaps, axis=-1)
    toward = np.where(gap.any(axis=-1, keepdims=True), np.sign(offset) * gap, offset / half)
    toward *= np.abs(toward)  # what is nearly before a side is rather there than at a corner
    toward /= np.maximum(np.linalg.norm(toward, axis=-1, keepdims=True), _EPSILON)
    # In halves of the other, so that what stands at its corner is on its long side.
    own = np.stack(pairs.level_offset, axis=-1) / half
    along = (own * toward).sum(axis=-1) * (-1.0 if away else 1.0)
    length = np.maximum(np.linalg.norm(own, axis=-1), _OFF_MIDDLE)
    return np.asarray(np.maximum(along / length, 0.0) * _step((_BY_M - pairs.gap_m) / 0.1))


def between(middles: Matrix, a: Vector, b: Vector) -> Vector:
    """(P, N) by how near middles (N, 2) are to those of the lines from a to b (P, 2)."""
    way = (b - a)[..., None, :]
    length = np.maximum(np.hypot(way[..., 0], way[..., 1]), _EPSILON)
    from_a = middles - a[..., None, :]
    along = (from_a * way).sum(axis=-1) / length**2
    aside = np.abs(from_a[..., 1] * way[..., 0] - from_a[..., 0] * way[..., 1]) / length
    return np.asarray(np.exp(-np.abs(along - 0.5) / 0.35) * np.exp(-aside / 0.6))


# Relations that hold wherever one stands. Boxes tell some apart by nearness only; the others are
# read the other way round.
CURVES: Mapping[str, Callable[[Pairs], Vector]] = {
    **dict.fromkeys(("on", "hanging on", "mounted on"), on),
    **dict.fromkeys(("inside", "embedded in"), inside),
    **dict.fromkeys(("above", "higher than"), above),
    **dict.fromkeys(("below", "lower than"), below),
    **dict.fromkeys(
        ("with", "embeds", "hung with", "mounted with", "affixed with"), beside_closely
    ),
    "opposite": opposite,
    "facing": facing,
    "at the end of": at_end,
}
TURNED: Mapping[str, Callable[[Pairs], Vector]] = {"supports": on, "contains": inside}


@dataclass(frozen=True, slots=True, eq=False)
class Onlooker:
    """Who sees left and right: somebody known, or somebody who looks at what the sides are of.

    Attributes:
        place: (2,) world.
        viewpoint: None for an unknown one.
    """

    place: Vector
    viewpoint: Viewpoint | None = None

    @classmethod
    def of(cls, viewpoint: Viewpoint) -> Onlooker:
        """A known one."""
        return cls(viewpoint.position[:2], viewpoint)

    def axis(self, side: str, targets: Matrix) -> Matrix:
        """Unit vectors (..., 2) of a side of targets (..., 2); nearer is front, farther is rear.

        NaN for an unknown onlooker at the target itself.
        """
        if self.viewpoint is not None:
            ahead = np.broadcast_to(self.viewpoint.ahead, targets.shape)
        else:
            way = targets - self.place
            length = np.linalg.norm(way, axis=-1, keepdims=True)
            ahead = way / np.where(length >= _SHORTEST_M, length, np.nan)
        right = np.stack((ahead[..., 1], -ahead[..., 0]), axis=-1)
        return {"left": -right, "right": right, "front": -ahead, "rear": ahead}[side]

    def beside(self, pairs: Pairs, side: str) -> Vector:
        """For being on a side of the others, and near them."""
        sure = 1.0
        if self.viewpoint is None:
            sure = _SURE if side in ("left", "right") else _SURE_OF_FRONT
        x, y = pairs.level_offset
        length = np.maximum(np.hypot(x, y), _SHORTEST_M)
        axis = self.axis(side, (pairs.other_low + pairs.other_high)[..., :2] / 2.0)
        cosine = (x * axis[..., 0] + y * axis[..., 1]) / length
        on_side = sure * _step(_STEEP * (cosine - _COSINE)) + (1.0 - sure) * 0.5
        near = np.exp(-pairs.level_gap_m / _BESIDE_M)
        return np.asarray(np.where(np.isnan(cosine), 0.5, on_side) * near)


def _step(value: Vector) -> Vector:
    """Logistic function."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(value, -50.0, 50.0))))
