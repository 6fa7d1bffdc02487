"""Boxes in the world: upright cuboids, turned about z only."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenemind.geometry.errors import GeometryError

Extent = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Box3D:
    """An upright cuboid in the world frame (z up).

    Attributes:
        center: x, y, z in metres.
        size: length along the box's own x, width along y, height along z, in metres.
        yaw: turn about z in radians; 0 is axis-aligned.
    """

    center: tuple[float, float, float]
    size: tuple[float, float, float]
    yaw: float = 0.0

    def __post_init__(self) -> None:
        if not all(np.isfinite((*self.center, *self.size, self.yaw))):
            raise GeometryError(f"a box holds NaN or infinity: {self.center} {self.size}")
        if min(self.size) < 0.0:
            raise GeometryError(f"a box has a negative size: {self.size}")

    @classmethod
    def from_bounds(cls, low: ArrayLike, high: ArrayLike) -> Box3D:
        """The axis-aligned box between two corners (3,), metres."""
        lo, hi = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
        return cls(_triple((lo + hi) / 2.0), _triple(hi - lo))

    @property
    def volume(self) -> float:
        return self.size[0] * self.size[1] * self.size[2]

    @property
    def bottom_z(self) -> float:
        return self.center[2] - self.size[2] / 2.0

    @property
    def top_z(self) -> float:
        return self.center[2] + self.size[2] / 2.0

    def footprint(self) -> NDArray[np.float64]:
        """The four corners (4, 2) of the ground rectangle, counter-clockwise from above."""
        dx, dy = self.size[0] / 2.0, self.size[1] / 2.0
        corners = np.array([(-dx, -dy), (dx, -dy), (dx, dy), (-dx, dy)])
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        turned: NDArray[np.float64] = corners @ np.array([(c, s), (-s, c)]) + self.center[:2]
        return turned

    def corners(self) -> NDArray[np.float64]:
        """(8, 3): the bottom rectangle, then the top one, each counter-clockwise."""
        ground = self.footprint()
        low = np.column_stack((ground, np.full(4, self.bottom_z)))
        high = np.column_stack((ground, np.full(4, self.top_z)))
        return np.vstack((low, high))

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest corner (3,), (3,) of the axis-aligned box around this one."""
        extent = np.array(self.extent())
        return extent[:3], extent[3:]

    def extent(self) -> Extent:
        """x0, y0, z0, x1, y1, z1 of the axis-aligned box around this one, metres."""
        (x, y, z), (length, width, height) = self.center, self.size
        c, s = abs(math.cos(self.yaw)), abs(math.sin(self.yaw))
        dx, dy, dz = (c * length + s * width) / 2, (s * length + c * width) / 2, height / 2
        return (x - dx, y - dy, z - dz, x + dx, y + dy, z + dz)

    def contains(self, points: NDArray[np.floating], margin_m: float = 0.0) -> NDArray[np.bool_]:
        """Which of the points (N, 3) lie inside, grown by a margin on every side."""
        offset = points - np.asarray(self.center)
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        local_x = c * offset[:, 0] + s * offset[:, 1]
        local_y = -s * offset[:, 0] + c * offset[:, 1]
        local = np.abs(np.column_stack((local_x, local_y, offset[:, 2])))
        inside: NDArray[np.bool_] = (local <= np.asarray(self.size) / 2.0 + margin_m).all(axis=1)
        return inside


def gap_m(a: Box3D, b: Box3D) -> float:
    """Shortest distance between the axis-aligned hulls of two boxes; 0 where they touch."""
    return float(gaps_m(*a.bounds(), *b.bounds()))


def gaps_m(
    low_a: NDArray[np.float64],
    high_a: NDArray[np.float64],
    low_b: NDArray[np.float64],
    high_b: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Shortest distances (...) between axis-aligned boxes by their corners; 0 where they touch.

    Corners are (..., 3), or (..., 2) for boxes seen from above, and are broadcast.
    """
    between = np.maximum(0.0, np.maximum(low_b - high_a, low_a - high_b))
    return np.asarray(np.linalg.norm(between, axis=-1))


def _triple(values: NDArray[np.float64]) -> tuple[float, float, float]:
    return (float(values[0]), float(values[1]), float(values[2]))
