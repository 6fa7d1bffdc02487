"""Placing objects in a room without collisions, and without blocking the way around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import gaps_m
from scenemind.simulation.blueprint import Blueprint, Item
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.primitives import Placement
from scenemind.simulation.room import Loop, SimObject

_TRIES = 200
_ROBOT_HALF_WIDTH_M = 0.3
_ROBOT_HEIGHT_M = 1.4
_WALL_GAP_M = 0.01


@dataclass(frozen=True, slots=True)
class Placed:
    """An item that has become an object of the room, so that others can stand on it."""

    item: Item
    instance: SimObject


@dataclass(slots=True)
class Layout:
    """Collects placed objects; every `place_*` returns what it placed, or raises.

    Attributes:
        size: of the room, x, y, z in metres.
        loop: the way to keep free.
        rng: decides every free choice.
        objects: what has been placed, in order of instance ids.
    """

    size: tuple[float, float, float]
    loop: Loop
    rng: np.random.Generator
    objects: list[SimObject] = field(default_factory=list)

    def place_at(self, blueprint: Blueprint, at: Placement, margin_m: float = 0.02) -> Placed:
        """Exactly there.

        Raises:
            SimulationError: something is in the way.
        """
        item = Item(blueprint, at)
        if not self._is_free([item], margin_m):
            raise SimulationError(f"no room for a {blueprint.label} at {at}")
        return self.add(item)

    def place_at_wall(
        self, *group: Item, margin_m: float = 0.3, on_wall: bool = False
    ) -> list[Placed]:
        """A group made for a wall along local x at y = 0 (room towards +y), at a free place.

        Raises:
            SimulationError: no wall has room for it.
        """
        for _ in range(_TRIES):
            wall = self._random_wall(group)
            moved = [Item(item.blueprint, _chain(wall, item.at)) for item in group]
            if self._is_free(moved, margin_m):
                return [self.add(item, on_wall=on_wall) for item in moved]
        raise SimulationError(f"no wall has room for a {group[0].blueprint.label}")

    def place_in_corner(self, blueprint: Blueprint, margin_m: float = 0.15) -> Placed:
        """In one of the four corners.

        Raises:
            SimulationError: all are taken.
        """
        half = np.asarray(blueprint.box_at(Placement(0, 0)).size[:2]) / 2 + 0.08
        reach = np.asarray(self.size[:2]) / 2 - half
        for signs in self.rng.permutation([(-1, -1), (1, -1), (1, 1), (-1, 1)]):
            item = Item(blueprint, Placement(*map(float, signs * reach)))
            if self._is_free([item], margin_m):
                return self.add(item)
        raise SimulationError(f"no corner is free for a {blueprint.label}")

    def place_on(self, support: Placed, thing: Blueprint, margin_m: float = 0.06) -> Placed:
        """Somewhere on the surface of what stands already.

        Raises:
            SimulationError: the surface is full.
        """
        surface = support.item.blueprint.get_surface()
        half = np.asarray(thing.box_at(Placement(0, 0)).size[:2]) / 2
        reach = np.maximum(np.array([surface.half_x, surface.half_y]) - half, 0.0)
        for _ in range(_TRIES):
            x, y = self.rng.uniform(-reach, reach)
            item = _item_on(support, thing, float(x), float(y))
            if self._is_free([item], margin_m, ignore=support.instance.instance_id):
                return self.add(item, supported_by=support.instance.instance_id)
        raise SimulationError(f"no room for a {thing.label} on the {support.instance.label}")

    def find_free(
        self, places: Iterable[Item], margin_m: float, supported_by: int | None = None
    ) -> Item | None:
        """The first of some places that is free.

        Args:
            supported_by: instance id of what it would stand on, which is not in its way.
        """
        for item in places:
            if self._is_free([item], margin_m, ignore=supported_by):
                return item
        return None

    def place_exactly_on(self, support: Placed, thing: Blueprint, x: float, y: float) -> Placed:
        """On the surface of what stands already, at x, y in its own frame; nothing is checked."""
        item = _item_on(support, thing, x, y)
        return self.add(item, supported_by=support.instance.instance_id)

    def add(self, item: Item, *, supported_by: int | None = None, on_wall: bool = False) -> Placed:
        """Make it an object; nothing is checked."""
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
        """Where the group's frame comes to stand: one of four walls, anywhere along it."""
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
