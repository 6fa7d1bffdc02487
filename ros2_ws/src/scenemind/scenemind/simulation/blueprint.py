"""An object before it is placed: what builders return and the layout moves about."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.geometry import Box3D
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.primitives import Placement, Primitive, box_around


@dataclass(frozen=True, slots=True)
class Surface:
    """A rectangle on which things can stand, about the object's own z axis, metres."""

    half_x: float
    half_y: float
    z: float


@dataclass(frozen=True, slots=True)
class Blueprint:
    """An object in its own frame: bottom at z = 0, footprint about the origin, front to +y.

    Attributes:
        label: class name as common detectors have it.
        color: the name in `palette.COLORS` of what covers most of it.
        parts: the solids that it is built of.
        surface: where things may stand on it; None where nothing should.
        plain: it has that colour nearly all over, so that asking for it is fair.
    """

    label: str
    color: str
    parts: tuple[Primitive, ...]
    surface: Surface | None = None
    plain: bool = False

    def placed(self, at: Placement) -> tuple[Primitive, ...]:
        return tuple(part.placed(at) for part in self.parts)

    def box_at(self, at: Placement) -> Box3D:
        return box_around(self.placed(at))

    def get_surface(self) -> Surface:
        """Where things stand on it.

        Raises:
            SimulationError: it has no such place.
        """
        if self.surface is None:
            raise SimulationError(f"nothing can stand on a {self.label}")
        return self.surface
