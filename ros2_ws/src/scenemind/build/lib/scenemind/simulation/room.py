"""A furnished room with its ground truth, and the relations that hold in it by construction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SimulationError
from scenemind.geometry import Box3D, gap_m
from scenemind.simulation.primitives import COLORS, Primitive, Rgb, block

_BOARD_M = (0.018, 0.08)  # thickness (half of it in the wall), height
# Definitions of "next to" and "near" differ between 0.5 and 1 m: no truth in between.
SURELY_NEXT_TO_M = 0.35
SURELY_APART_M = 1.2
SURELY_HIGHER_BY_M = 0.2
# With a smaller difference, centres, surfaces and inexact boxes may rank objects differently.
SURELY_CLOSER_BY_M = 0.4


@dataclass(frozen=True, slots=True)
class SimObject:
    """One object of a room, exactly.

    Attributes:
        instance_id: from 1; the value in instance images.
        label: class name as common detectors have it.
        color: name in `COLORS` of its main colour; `rgb` is that colour.
        box: the exact axis-aligned box around all parts, world.
        parts: its solids, world.
        supported_by: instance id of its support; None for the floor or a wall.
        on_wall: it hangs on, or is set into, a wall.
        plain: nearly all of it has its main colour, a fair subject of questions.
        spaces: free space above each of its surfaces, world.
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
    """The closed way that is kept free: a rounded rectangle around the room's centre.

    Attributes:
        half_x, half_y: half its extent, metres.
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
        objects: in order of their instance ids; a new room has 1, 2, ...
        loop: free way of a robot around the middle.
    """

    seed: int
    size: tuple[float, float, float]
    objects: tuple[SimObject, ...]
    loop: Loop
    wall_rgb: Rgb = (226, 222, 212)
    floor_rgb: Rgb = (176, 138, 98)

    def get_object(self, instance_id: int) -> SimObject:
        """The object with an instance id.

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


def things_on(room: Room, support: SimObject) -> tuple[SimObject, ...]:
    """The objects that stand on an object."""
    return tuple(item for item in room.objects if item.supported_by == support.instance_id)


def stands_on_floor(item: SimObject) -> bool:
    """Whether an object stands on the floor."""
    return item.supported_by is None and not item.on_wall


def surely_next_to(a: SimObject, b: SimObject) -> bool:
    """Whether both stand on the floor with hardly a gap between them."""
    both_stand = stands_on_floor(a) and stands_on_floor(b)
    return both_stand and a != b and gap_m(a.box, b.box) <= SURELY_NEXT_TO_M


def surely_apart(a: SimObject, b: SimObject) -> bool:
    """Whether two objects are not near each other by any definition."""
    return gap_m(a.box, b.box) >= SURELY_APART_M


def surely_higher(a: SimObject, b: SimObject) -> bool:
    """Whether all of an object is above the other's top."""
    return a.box.bottom_z >= b.box.top_z + SURELY_HIGHER_BY_M


def find_surely_closest(anchor: SimObject, candidates: Sequence[SimObject]) -> SimObject | None:
    """The candidate that is clearly closest, by surfaces and by centres; None: there is none."""
    if len(candidates) < 2:
        return None
    gaps = np.array([gap_m(anchor.box, item.box) for item in candidates])
    centers = np.array([item.box.center for item in candidates])
    distances = np.linalg.norm(centers - anchor.box.center, axis=1)
    best = int(np.argmin(gaps))
    for measure in (gaps, distances):
        others = np.delete(measure, best)
        if others.min() - measure[best] <= SURELY_CLOSER_BY_M:
            return None
    return candidates[best]
