"""An object before it is placed: what builders return and the layout moves about."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.geometry import Box3D
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.primitives import Placement, Primitive, box_around


@dataclass(frozen=True, slots=True)
class Surface:
    """A rectangle on which things can stand, about the object's own z axis, metres.

    Attributes:
        half_x, half_y: from its middle to its sides.
        z: how high it is.
        clearance: how much is free above it.
    """

    half_x: float
    half_y: float
    z: float
    clearance: float = 1.0

    def placed(self, at: Placement) -> Box3D:
        """The free space over it in the room."""
        center = at.apply((0.0, 0.0, self.z + self.clearance / 2))
        return Box3D(center, (2 * self.half_x, 2 * self.half_y, self.clearance), at.yaw)


@dataclass(frozen=True, slots=True)
class Blueprint:
    """An object in its own frame: bottom at z = 0, footprint about the origin, front to +y.

    Attributes:
        label: class name as common detectors have it.
        color: the name in `palette.COLORS` of what covers most of it.
        parts: the solids that it is built of.
        surfaces: where things may stand on it, the main one first.
        plain: it has that colour nearly all over, so that asking for it is fair.
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
        """Where things stand on it first of all.

        Raises:
            SimulationError: it has no such place.
        """
        if not self.surfaces:
            raise SimulationError(f"nothing can stand on a {self.label}")
        return self.surfaces[0]


@dataclass(frozen=True, slots=True)
class Item:
    """A blueprint and a place for it."""

    blueprint: Blueprint
    at: Placement

    @property
    def box(self) -> Box3D:
        return self.blueprint.box_at(self.at)
