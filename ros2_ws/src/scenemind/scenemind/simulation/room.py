"""A furnished room with its ground truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.palette import COLORS
from scenemind.simulation.primitives import Primitive, Rgb, block

_BOARD_M = (0.018, 0.08)  # thickness (half of it in the wall), height


@dataclass(frozen=True, slots=True)
class SimObject:
    """One object as it really is.

    Attributes:
        instance_id: from 1; the value in instance images.
        label: class name as common detectors have it.
        color: colour name (`palette.COLORS`) of what covers most of it; `rgb` is that colour.
        box: the exact axis-aligned box around all parts, world.
        parts: the solids that it is built of, world.
        supported_by: instance id of what it stands on; None for the floor or a wall.
        on_wall: it hangs on (or is set into) a wall.
        plain: it has its colour nearly all over, so that asking for it is fair.
        spaces: where things may stand on it: what is free over each of its surfaces, world.
    """

    instance_id: int
    label: str
    color: str
    box: Box3D
    parts: tuple[Primitive, ...]
    supported_by: int | None = None
    on_wall: bool = False
    plain: bool = False
    spaces: tuple[Box3D, ...] = ()

    @property
    def rgb(self) -> Rgb:
        return COLORS[self.color]


@dataclass(frozen=True, slots=True)
class Loop:
    """The closed way that is kept free: a rounded rectangle about the room's centre.

    Attributes:
        half_x, half_y: how far it reaches from the centre, metres.
    """

    half_x: float
    half_y: float

    def at(self, angle_rad: NDArray[np.floating]) -> NDArray[np.float64]:
        """Points (N, 2) of the superellipse of degree 4 in the directions (N,) from the centre."""
        c, s = np.cos(angle_rad), np.sin(angle_rad)
        radius = ((c / self.half_x) ** 4 + (s / self.half_y) ** 4) ** -0.25
        points: NDArray[np.float64] = np.stack((radius * c, radius * s), axis=-1)
        return points


@dataclass(frozen=True, slots=True)
class Room:
    """A rectangular room: floor at z = 0, centre at the origin, walls along x and y.

    Attributes:
        seed: `make_room` makes the same room from the same seed.
        size: x, y, z between opposite walls, metres.
        objects: in order of their instance ids: 1, 2, ... as it is made.
        loop: where a robot may drive around the middle.
    """

    seed: int
    size: tuple[float, float, float]
    objects: tuple[SimObject, ...]
    loop: Loop
    wall_rgb: Rgb = (226, 222, 212)
    floor_rgb: Rgb = (176, 138, 98)

    def get_object(self, instance_id: int) -> SimObject:
        """The object with that id.

        Raises:
            SimulationError: no object has it.
        """
        for item in self.objects[max(0, instance_id - 1) :: -1]:
            if item.instance_id == instance_id:
                return item
        raise SimulationError(
            f"no object {instance_id} in room {self.seed}: ids go from 1 to"
            f" {max((item.instance_id for item in self.objects), default=0)}"
        )

    @property
    def skirting(self) -> tuple[Primitive, ...]:
        """White boards along the walls; part of the room, not objects."""
        x, y = self.size[:2]
        along_x, along_y = (x, _BOARD_M[0], _BOARD_M[1]), (_BOARD_M[0], y, _BOARD_M[1])
        return (
            *(block(0, side * y / 2, 0, along_x, COLORS["white"]) for side in (-1, 1)),
            *(block(side * x / 2, 0, 0, along_y, COLORS["white"]) for side in (-1, 1)),
        )

    @property
    def class_names(self) -> Mapping[int, str]:
        """Instance id -> label, as the simulator's instance camera announces them."""
        return {item.instance_id: item.label for item in self.objects}
