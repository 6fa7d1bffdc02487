"""How well boxes stand in relations, graded: every pair of them at once.

Scores are in (0, 1] and only compare candidates for one expression; whether a relation holds at all
is for `memory.graph`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_NEAR_M = 0.5
_LEAST = 0.02
_EPSILON = 1e-9


class Space:
    """Boxes of N things (axis-aligned hulls, world, metres) and the room they fill.

    Attributes:
        low, high, center, size: (N, 3) float64.
        room_low, room_high, middle: (2,): of the room seen from above.
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

    def gaps_m(self, anchor: int) -> Vector:
        """(N,) distances between surfaces."""
        return np.asarray(np.linalg.norm(self._apart(anchor), axis=1))

    def level_gaps_m(self, anchor: int) -> Vector:
        """(N,) the same seen from above."""
        return np.asarray(np.linalg.norm(self._apart(anchor)[:, :2], axis=1))

    def distances_m(self, anchor: int) -> Vector:
        """(N,) between surfaces, and a little by centres, so that touching things compare."""
        apart = np.linalg.norm(self.center - self.center[anchor], axis=1)
        return 0.5 * self.gaps_m(anchor) + 0.5 * np.asarray(apart)

    def overlaps(self, anchor: int) -> Vector:
        """(N,) the share of each thing's footprint that is over or under the anchor's."""
        shared = np.minimum(self.high, self.high[anchor]) - np.maximum(self.low, self.low[anchor])
        area = np.prod(np.clip(shared[:, :2], 0.0, None), axis=1)
        own = np.prod(self.size[:, :2], axis=1)
        return np.asarray(
            area / np.maximum(np.minimum(own, np.prod(self.size[anchor, :2])), _EPSILON)
        )

    def on(self, anchor: int) -> Vector:
        """(N,) rests on it, stands in it as in a shelf, or hangs on it as on a wall."""
        bottom = self.low[:, 2]
        off = np.maximum(bottom - self.high[anchor, 2], 0.0) + np.maximum(
            self.low[anchor, 2] - bottom, 0.0
        )
        upright = np.exp(-off / 0.15) * np.exp(-self.level_gaps_m(anchor) / 0.1)
        return np.asarray(upright * (0.3 + 0.7 * self.overlaps(anchor).clip(0, 1)))

    def inside(self, anchor: int) -> Vector:
        """(N,) the share of each thing that is in it, and how near it is."""
        shared = np.minimum(self.high, self.high[anchor]) - np.maximum(self.low, self.low[anchor])
        volume = np.prod(np.clip(shared, 0.0, None), axis=1)
        share = volume / np.maximum(np.prod(self.size, axis=1), _EPSILON)
        return np.asarray(0.5 * share + 0.5 * np.exp(-self.gaps_m(anchor) / 0.3))

    def above(self, anchor: int) -> Vector:
        """(N,) higher, and over it rather than beside it."""
        rise = self.center[:, 2] - self.center[anchor, 2]
        return np.asarray(_step(rise / 0.15) * np.exp(-self.level_gaps_m(anchor) / 0.4))

    def below(self, anchor: int) -> Vector:
        """(N,) lower, and under it rather than beside it."""
        fall = self.center[anchor, 2] - self.center[:, 2]
        return np.asarray(_step(fall / 0.15) * np.exp(-self.level_gaps_m(anchor) / 0.4))

    def between(self, first: int, second: int) -> Vector:
        """(N,) near the middle of the way from one to the other."""
        a, b = self.center[first, :2], self.center[second, :2]
        way = b - a
        length = max(float(np.linalg.norm(way)), _EPSILON)
        from_a = self.center[:, :2] - a
        along = (from_a @ way) / length**2
        aside = np.abs(from_a @ np.array((-way[1], way[0]))) / length
        return np.asarray(np.exp(-np.abs(along - 0.5) / 0.35) * np.exp(-aside / 0.6))

    def opposite(self, anchor: int) -> Vector:
        """(N,) in one line with it along a wall of the room, and not near."""
        aside = np.abs(self.center[:, :2] - self.center[anchor, :2])
        return np.asarray(np.exp(-aside.min(axis=1) / 0.5) * _step((aside.max(axis=1) - 1.0) / 0.5))

    def at_end(self, anchor: int) -> Vector:
        """(N,) beside one of the short sides of it."""
        long = int(np.argmax(self.size[anchor, :2]))
        beyond = np.abs(self.center[:, long] - self.center[anchor, long])
        beyond -= self.size[anchor, long] / 2.0
        return np.asarray(_step(beyond / 0.15) * np.exp(-self.level_gaps_m(anchor) / 0.4))

    def in_corner(self, reach_m: float) -> Vector:
        """(N,) near a corner of the room."""
        to_low = self.low[:, :2] - self.room_low
        to_high = self.room_high - self.high[:, :2]
        nearest = np.minimum(to_low, to_high)
        return np.asarray(np.exp(-np.linalg.norm(nearest, axis=1) / reach_m))

    def in_middle(self) -> Vector:
        """(N,) near the middle of the room."""
        half = (self.room_high - self.room_low) / 2.0
        off = np.abs(self.center[:, :2] - self.middle) / np.maximum(half, _EPSILON)
        return np.asarray(np.exp(-np.linalg.norm(off, axis=1) / 0.5))

    def _apart(self, anchor: int) -> Matrix:
        return np.maximum(
            np.maximum(self.low - self.high[anchor], self.low[anchor] - self.high), 0.0
        )


def _step(value: Vector) -> Vector:
    """From 0 to 1 around 0."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(value, -50.0, 50.0))))
