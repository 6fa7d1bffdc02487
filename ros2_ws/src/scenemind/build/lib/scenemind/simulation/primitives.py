"""Solids of simulated objects, their colours, and blueprints of objects.

All solids stand upright; colours are RGB, 0..255; sizes are in metres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SimulationError
from scenemind.geometry import Box3D

Rgb = tuple[int, int, int]
COLORS: dict[str, Rgb] = {
    "black": (26, 26, 28),
    "grey": (128, 130, 132),
    "white": (250, 250, 248),
    "red": (200, 30, 36),
    "orange": (245, 130, 25),
    "yellow": (250, 215, 40),
    "green": (35, 140, 60),
    "blue": (30, 75, 200),
    "purple": (120, 45, 150),
    "brown": (115, 72, 40),
}
WOOD: Rgb = (158, 112, 70)
STEEL: Rgb = (168, 170, 174)
SCREEN: Rgb = (30, 44, 66)
LEAF: Rgb = (44, 128, 52)
TERRACOTTA: Rgb = (176, 92, 58)


@dataclass(frozen=True, slots=True)
class Placement:
    """Pose of an object's own frame in the room: metres, and radians about z."""

    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0

    def apply(self, point: tuple[float, float, float]) -> tuple[float, float, float]:
        """Transform a point from the object's frame to the room's frame."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        x, y, z = point
        return (float(self.x + c * x - s * y), float(self.y + s * x + c * y), self.z + z)


@dataclass(frozen=True, slots=True)
class Cuboid:
    """A box, rotated about z."""

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


@dataclass(frozen=True, slots=True)
class Surface:
    """A horizontal rectangle that can support things, centred on the object's z axis, metres.

    Attributes:
        half_x, half_y: half its extent.
        z: its height.
        clearance: free height above it.
    """

    half_x: float
    half_y: float
    z: float
    clearance: float = 1.0

    def placed(self, at: Placement) -> Box3D:
        """The free space above it in the room."""
        center = at.apply((0.0, 0.0, self.z + self.clearance / 2))
        return Box3D(center, (2 * self.half_x, 2 * self.half_y, self.clearance), at.yaw)


@dataclass(frozen=True, slots=True)
class Blueprint:
    """An object in its own frame: bottom at z = 0, footprint about the origin, front to +y.

    Attributes:
        label: class name as common detectors have it.
        color: name in `COLORS` of its main colour.
        parts: its solids.
        surfaces: that can support things, the main one first.
        plain: nearly all of it has its main colour, a fair subject of questions.
    """

    label: str
    color: str
    parts: tuple[Primitive, ...]
    surfaces: tuple[Surface, ...] = ()
    plain: bool = False

    def placed(self, at: Placement) -> tuple[Primitive, ...]:
        return tuple(part.placed(at) for part in self.parts)

    def box_at(self, at: Placement) -> Box3D:
        return box_around(self.placed(at))

    def get_surface(self) -> Surface:
        """The first of its surfaces.

        Raises:
            SimulationError: it has none.
        """
        if not self.surfaces:
            raise SimulationError(f"nothing can stand on a {self.label}")
        return self.surfaces[0]


@dataclass(frozen=True, slots=True)
class Item:
    """A blueprint and its place."""

    blueprint: Blueprint
    at: Placement

    @property
    def box(self) -> Box3D:
        return self.blueprint.box_at(self.at)
