"""The form of an object's surface: its yaw box and its own axes, computed once when asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, smallest_upright_box

# Thinner than this share of its shorter side, and than this, is flat; narrower than this share of
# its longest side is long.
FLAT = 0.25
THICKEST_SHEET_M = 0.15
LONG = 0.25
# Points that tell a form, and how many voxels long the thing must be.
_FEWEST = 15
_SMALLEST_CELLS = 4.0


@dataclass(frozen=True, eq=False)
class Form:
    """Of one surface; the same one as long as the surface is.

    Attributes:
        points: (M, 3) float32, world, metres; M may be 0.
        box: axis-aligned box around them, world.
        cell_m: no detail finer than this is known.
    """

    points: NDArray[np.float32]
    box: Box3D
    cell_m: float

    @cached_property
    def yaw_box(self) -> Box3D:
        """The smallest upright box, turned about z."""
        return smallest_upright_box(self.points) if len(self.points) else self.box

    @cached_property
    def is_known(self) -> bool:
        """Large enough, and seen in enough places, for its form to be told."""
        large = max(self.box.size) >= _SMALLEST_CELLS * self.cell_m
        return large and len(self.points) >= _FEWEST

    @cached_property
    def axes(self) -> NDArray[np.float64]:
        """(3, 3): unit rows, the direction in which the points spread most first."""
        _, vectors = np.linalg.eigh(np.cov(self.points.T.astype(np.float64)))
        return np.asarray(vectors[:, ::-1].T)

    def own_points(self) -> NDArray[np.float64]:
        """(M, 3): the points along `axes`, about their mean; not kept, as it is large."""
        return np.asarray((self.points - self.points.mean(axis=0)) @ self.axes.T)

    @cached_property
    def extents_m(self) -> tuple[float, float, float]:
        """How far it reaches along its axes.

        The thickness is that of a solid of the same variance, which single points far out do not
        change much.
        """
        points = self.own_points()
        length, width = np.ptp(points[:, :2], axis=0).tolist()
        thickness = math.sqrt(12.0) * float(points[:, 2].std())
        return length, width, thickness

    @property
    def is_flat(self) -> bool:
        """A sheet or a board."""
        if not self.is_known:
            return False
        _, width, thickness = self.extents_m
        return width >= self.cell_m and thickness <= min(FLAT * width, THICKEST_SHEET_M)

    @property
    def is_long(self) -> bool:
        """A stick: neither wide nor thick."""
        if not self.is_known:
            return False
        length, width, _ = self.extents_m
        return width <= LONG * length
