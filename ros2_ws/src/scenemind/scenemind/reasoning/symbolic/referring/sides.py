"""Left, right, front and back for who stands somewhere, graded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.reasoning.symbolic.referring.space import Space, Vector
from scenemind.reasoning.symbolic.referring.weights import REACH_M

_SHORTEST_M = 0.05
# "Left of" holds half where the way's cosine with the left is this, and how fast it starts to.
_COSINE, _STEEP = 0.3, 6.0


@dataclass(frozen=True, slots=True, eq=False)
class Onlooker:
    """Who looks: a place and a heading seen from above, (2,) each; `sure` in [0, 1]."""

    position: NDArray[np.float64]
    ahead: NDArray[np.float64]
    sure: float = 1.0

    @property
    def right(self) -> NDArray[np.float64]:
        return np.array((self.ahead[1], -self.ahead[0]))

    def axis(self, side: str) -> NDArray[np.float64]:
        """The way of a side: nearer is front, farther is back."""
        ways = {"left": -self.right, "right": self.right, "front": -self.ahead, "back": self.ahead}
        return ways[side]


def looking(
    position: NDArray[np.float64], target: NDArray[np.float64], sure: float = 1.0
) -> Onlooker:
    """From a place towards another, (2,) both; unsure where they are one."""
    way = target - position
    length = float(np.linalg.norm(way))
    if length < _SHORTEST_M:
        return Onlooker(position, np.array((0.0, 1.0)), 0.0)
    return Onlooker(position, way / length, sure)


def beside(space: Space, anchor: int, side: str, onlooker: Onlooker) -> Vector:
    """(N,) on that side of the anchor, and not far from it."""
    way = space.center[:, :2] - space.center[anchor, :2]
    length = np.maximum(np.linalg.norm(way, axis=1), _SHORTEST_M)
    cosine = way @ onlooker.axis(side) / length
    on_side = 1.0 / (1.0 + np.exp(-_STEEP * (cosine - _COSINE)))
    on_side = onlooker.sure * on_side + (1.0 - onlooker.sure) * 0.5
    return np.asarray(on_side * np.exp(-space.level_gaps_m(anchor) / REACH_M["beside"]))


def along(space: Space, side: str, onlooker: Onlooker) -> Vector:
    """(N,) metres to that side."""
    return np.asarray(space.center[:, :2] @ onlooker.axis(side))
