"""The solids of which simulated objects are built. All stand upright; colours are RGB, 0..255."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D

Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an object's own frame stands in the room: metres, and radians about z."""

    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0

    def apply(self, point: tuple[float, float, float]) -> tuple[float, float, float]:
        """A point of the object's frame in the room's frame."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        x, y, z = point
        return (float(self.x + c * x - s * y), float(self.y + s * x + c * y), self.z + z)


@dataclass(frozen=True, slots=True)
class Cuboid:
    """A box, turned about z."""

    box: Box3D
    rgb: Rgb

    def corners(self) -> NDArray[np.float64]:
        return self.box.corners()

    def placed(self, at: Placement) -> Cuboid:
        turned = Box3D(at.apply(self.box.center), self.box.size, self.box.yaw + at.yaw)
        return Cuboid(turned, self.rgb)


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A vertical cylinder about its `center`; `height` and `radius` in metres."""

    center: tuple[float, float, float]
    radius: float
    height: float
    rgb: Rgb

    def corners(self) -> NDArray[np.float64]:
        return Box3D(self.center, (2 * self.radius, 2 * self.radius, self.height)).corners()

    def placed(self, at: Placement) -> Cylinder:
        return Cylinder(at.apply(self.center), self.radius, self.height, self.rgb)


@dataclass(frozen=True, slots=True)
class Spheroid:
    """A sphere of `radius`, stretched along z to `half_height`, in metres."""

    center: tuple[float, float, float]
    radius: float
    half_height: float
    rgb: Rgb

    def corners(self) -> NDArray[np.float64]:
        size = (2 * self.radius, 2 * self.radius, 2 * self.half_height)
        return Box3D(self.center, size).corners()

    def placed(self, at: Placement) -> Spheroid:
        return Spheroid(at.apply(self.center), self.radius, self.half_height, self.rgb)


Primitive = Cuboid | Cylinder | Spheroid


def block(
    x: float, y: float, bottom_z: float, size: tuple[float, float, float], rgb: Rgb
) -> Cuboid:
    """A cuboid by the centre of its bottom face and its size."""
    return Cuboid(Box3D((x, y, bottom_z + size[2] / 2), size), rgb)


def post(x: float, y: float, bottom_z: float, radius: float, height: float, rgb: Rgb) -> Cylinder:
    """A cylinder by the centre of its bottom face, its radius and its height."""
    return Cylinder((x, y, bottom_z + height / 2), radius, height, rgb)


def box_around(parts: Sequence[Primitive]) -> Box3D:
    """The axis-aligned box that encloses all parts exactly."""
    corners = np.vstack([part.corners() for part in parts])
    return Box3D.from_bounds(corners.min(axis=0), corners.max(axis=0))


def shaded(rgb: Rgb, factor: float) -> Rgb:
    """The same colour lighter (factor > 1) or darker (< 1)."""
    r, g, b = (min(255, round(channel * factor)) for channel in rgb)
    return (r, g, b)
