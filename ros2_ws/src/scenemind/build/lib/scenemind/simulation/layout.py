"""Placement of objects in a room without collisions, and with a free way around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SimulationError
from scenemind.geometry import Box3D, gaps_m
from scenemind.simulation.primitives import Blueprint, Item, Placement
from scenemind.simulation.room import Loop, SimObject

_TRIES_A_PLACE = 60
_MAX_TURN_RAD = 0.4  # of an object relative to its support
_ROUNDING_M = 1e-6
_TRIES_AN_OBJECT = 200
_ROBOT_HALF_WIDTH_M = 0.3
_ROBOT_HEIGHT_M = 1.4
_WALL_GAP_M = 0.01


def random_places(space: Box3D, thing: Blueprint, rng: np.random.Generator) -> Iterator[Item]:
    """Random places on the bottom of a space, where the object stays within it."""
    c, s = np.cos(space.yaw), np.sin(space.yaw)
    for _ in range(_TRIES_A_PLACE):
        x, y = rng.uniform(-0.5, 0.5, 2) * space.size[:2]
        center = (space.center[0] + c * x - s * y, space.center[1] + s * x + c * y)
        yield from _fitting(space, thing, center, rng)


def places_beside(
    space: Box3D, thing: Blueprint, other: Box3D, gap_m: float, rng: np.random.Generator
) -> Iterator[Item]:
    """Random places in a space at a gap from another box, on any side of it."""
    half = np.asarray(thing.box_at(Placement(0, 0)).size[:2]) / 2
    reach = np.asarray(other.size[:2]) / 2 + half + gap_m
    for _ in range(_TRIES_A_PLACE):
        offset = rng.uniform(-1.0, 1.0, 2)
        offset[int(rng.integers(2))] = rng.choice((-1.0, 1.0))
        x, y = other.center[:2] + offset * reach
        yield from _fitting(space, thing, (float(x), float(y)), rng)


def _fitting(
    space: Box3D, thing: Blueprint, center: tuple[float, float], rng: np.random.Generator
) -> Iterator[Item]:
    yaw = space.yaw + float(rng.uniform(-_MAX_TURN_RAD, _MAX_TURN_RAD))
    item = Item(thing, Placement(float(center[0]), float(center[1]), space.bottom_z, yaw))
    if space.contains(item.box.corners(), _ROUNDING_M).all():
        yield item


@dataclass(frozen=True, slots=True)
class Placed:
    """An item that is an object of the room, and can support others."""

    item: Item
    instance: SimObject


@dataclass(slots=True)
class Layout:
    """The objects of a room while it is furnished; `place_*` return the placed objects.

    Attributes:
        size: of the room, x, y, z in metres.
        loop: the way to keep free.
        rng: for all random choices.
        objects: placed objects, in order of instance ids.
    """

    size: tuple[float, float, float]
    loop: Loop
    rng: np.random.Generator
    objects: list[SimObject] = field(default_factory=list)

    def place_at(self, blueprint: Blueprint, at: Placement, margin_m: float = 0.02) -> Placed:
        """Place an object at a given place.

        Raises:
            SimulationError: another object is in the way.
        """
        item = Item(blueprint, at)
        if not self._is_free([item], margin_m):
            raise SimulationError(f"no room for a {blueprint.label} at {at}")
        return self.add(item)

    def place_at_wall(
        self, *group: Item, margin_m: float = 0.3, on_wall: bool = False
    ) -> list[Placed]:
        """Place a group at a free place of a wall; the wall is local y = 0, the room towards +y.

        Raises:
            SimulationError: no wall has room for it.
        """
        for _ in range(_TRIES_AN_OBJECT):
            wall = self._random_wall(group)
            moved = [Item(item.blueprint, _chain(wall, item.at)) for item in group]
            if self._is_free(moved, margin_m):
                return [self.add(item, on_wall=on_wall) for item in moved]
        raise SimulationError(f"no wall has room for a {group[0].blueprint.label}")

    def place_in_corner(self, blueprint: Blueprint, margin_m: float = 0.15) -> Placed:
        """Place an object in one of the four corners.

        Raises:
            SimulationError: no corner is free.
        """
        half = np.asarray(blueprint.box_at(Placement(0, 0)).size[:2]) / 2 + 0.08
        reach = np.asarray(self.size[:2]) / 2 - half
        for signs in self.rng.permutation([(-1, -1), (1, -1), (1, 1), (-1, 1)]):
            item = Item(blueprint, Placement(*map(float, signs * reach)))
            if self._is_free([item], margin_m):
                return self.add(item)
        raise SimulationError(f"no corner is free for a {blueprint.label}")

    def place_on(self, support: Placed, thing: Blueprint, margin_m: float = 0.06) -> Placed:
        """Place an object on the surface of another one.

        Raises:
            SimulationError: the surface is full.
        """
        surface = support.item.blueprint.get_surface()
        half = np.asarray(thing.box_at(Placement(0, 0)).size[:2]) / 2
        reach = np.maximum(np.array([surface.half_x, surface.half_y]) - half, 0.0)
        for _ in range(_TRIES_AN_OBJECT):
            x, y = self.rng.uniform(-reach, reach)
            item = _item_on(support, thing, float(x), float(y))
            if self._is_free([item], margin_m, ignore=support.instance.instance_id):
                return self.add(item, supported_by=support.instance.instance_id)
        raise SimulationError(f"no room for a {thing.label} on the {support.instance.label}")

    def find_free(
        self, places: Iterable[Item], margin_m: float, supported_by: int | None = None
    ) -> Item | None:
        """The first free one of some places.

        Args:
            supported_by: instance id of the support, which is no obstacle.
        """
        for item in places:
            if self._is_free([item], margin_m, ignore=supported_by):
                return item
        return None

    def place_exactly_on(self, support: Placed, thing: Blueprint, x: float, y: float) -> Placed:
        """Place an object on a support at x, y in the support's frame, without checks."""
        item = _item_on(support, thing, x, y)
        return self.add(item, supported_by=support.instance.instance_id)

    def add(self, item: Item, *, supported_by: int | None = None, on_wall: bool = False) -> Placed:
        """Add an item as an object, without checks."""
        made = SimObject(
            len(self.objects) + 1,
            item.blueprint.label,
            item.blueprint.color,
            item.box,
            item.blueprint.placed(item.at),
            supported_by,
            on_wall,
            item.blueprint.plain,
            tuple(surface.placed(item.at) for surface in item.blueprint.surfaces),
        )
        self.objects.append(made)
        return Placed(item, made)

    def _random_wall(self, group: Sequence[Item]) -> Placement:
        """Pose of a group's frame: at one of four walls, anywhere along it."""
        side = int(self.rng.integers(4))
        along = self.size[side % 2]
        bounds = np.array([item.box.bounds() for item in group])
        left, right = bounds[:, 0, 0].min(), bounds[:, 1, 0].max()
        low, high = -along / 2 - left + 0.1, along / 2 - right - 0.1
        offset = float(self.rng.uniform(low, max(low, high)))
        depth = self.size[1 - side % 2] / 2 - _WALL_GAP_M
        yaw = side * np.pi / 2
        return _chain(Placement(0, 0, 0, float(yaw)), Placement(offset, -depth))

    def _is_free(self, items: Sequence[Item], margin_m: float, ignore: int | None = None) -> bool:
        others = [o.box.bounds() for o in self.objects if o.instance_id != ignore]
        taken = np.array(others).reshape(-1, 2, 3)
        for item in items:
            low, high = item.box.bounds()
            hit = (low - margin_m < taken[:, 1]) & (high + margin_m > taken[:, 0])
            if hit.all(axis=1).any() or not self._is_inside(low, high):
                return False
            if low[2] < _ROBOT_HEIGHT_M and self._blocks_loop(low, high):
                return False
        return True

    def _is_inside(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
        half = np.asarray(self.size[:2]) / 2
        return bool((low[:2] >= -half).all() and (high[:2] <= half).all())

    def _blocks_loop(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
        way = self.loop.at(np.linspace(0, 2 * np.pi, 180, endpoint=False))
        return bool(gaps_m(low[:2], high[:2], way, way).min() < _ROBOT_HALF_WIDTH_M)


def _item_on(support: Placed, thing: Blueprint, x: float, y: float) -> Item:
    z = support.item.blueprint.get_surface().z
    return Item(thing, _chain(support.item.at, Placement(x, y, z)))


def _chain(outer: Placement, inner: Placement) -> Placement:
    x, y, z = outer.apply((inner.x, inner.y, inner.z))
    return Placement(x, y, z, outer.yaw + inner.yaw)
