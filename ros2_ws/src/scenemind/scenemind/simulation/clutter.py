"""Filling a furnished room with things: on surfaces and on the floor, often several of a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from scenemind.geometry import Box3D
from scenemind.simulation import household, small_things
from scenemind.simulation.blueprint import Blueprint
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.layout import Layout
from scenemind.simulation.places import places_beside, random_places

_COLORS = ("red", "blue", "green", "yellow", "orange", "purple", "white")
_FLOOR_SHARE = 0.15
_MOST_OF_A_KIND = 3
_GAP_M = (0.03, 0.08)  # between things of one kind
_MARGIN_M = 0.025  # to anything else
_MOST_CLUSTERS = 200

_Maker = Callable[[np.random.Generator], Blueprint]


def _colored(make: Callable[[str], Blueprint], *colors: str) -> _Maker:
    return lambda rng: make(str(rng.choice(colors or _COLORS)))


def _plain(make: Callable[[], Blueprint]) -> _Maker:
    return lambda _: make()


_ON_FLOOR: tuple[_Maker, ...] = (
    household.box,
    _colored(household.stool),
    _colored(household.suitcase, "black", "blue", "red"),
    _colored(household.backpack),
    _colored(household.sports_ball, "orange", "white", "blue"),
    _colored(small_things.trash_can, "grey", "blue", "green"),
)
_ON_FURNITURE: tuple[_Maker, ...] = (
    _colored(small_things.cup),
    _colored(small_things.cup),
    _colored(small_things.bowl),
    _colored(small_things.bottle, "green", "blue", "red"),
    _colored(small_things.book),
    _colored(small_things.vase),
    _colored(household.apple, "red", "green"),
    _colored(household.can, "red", "blue", "green"),
    _plain(household.wine_glass),
    _plain(household.clock),
    _plain(household.teddy_bear),
    _plain(household.remote),
    _plain(small_things.laptop),
)
_ON_COUCH: tuple[_Maker, ...] = (
    _plain(household.teddy_bear),
    _plain(household.remote),
    _colored(small_things.book),
)


@dataclass(frozen=True, slots=True)
class _Spot:
    """Free space, whose it is (None: the floor's), and what may be put there."""

    space: Box3D
    owner: int | None
    makers: tuple[_Maker, ...]


def add_clutter(layout: Layout, count: int) -> None:
    """Add things until there are `count` objects.

    Raises:
        SimulationError: the room is full before.
    """
    spots = list(_spots_on_furniture(layout))
    areas = np.array([spot.space.size[0] * spot.space.size[1] for spot in spots])
    floor = _Spot(Box3D((0.0, 0.0, layout.size[2] / 2), layout.size), None, _ON_FLOOR)
    for _ in range(_MOST_CLUSTERS):
        if len(layout.objects) >= count:
            return
        on_floor = bool(layout.rng.random() < _FLOOR_SHARE)
        chosen = layout.rng.choice(len(spots), p=areas / areas.sum())
        spot = floor if on_floor else spots[int(chosen)]
        most = min(_MOST_OF_A_KIND, count - len(layout.objects))
        _add_cluster(layout, spot, int(layout.rng.integers(1, most + 1)))
    raise SimulationError(f"no room for {count} objects")


def _spots_on_furniture(layout: Layout) -> Iterator[_Spot]:
    for item in layout.objects:
        makers = _ON_COUCH if item.label == "couch" else _ON_FURNITURE
        for space in item.spaces:
            yield _Spot(space, item.instance_id, makers)


def _add_cluster(layout: Layout, spot: _Spot, size: int) -> None:
    """Up to `size` things of one kind beside each other, as many as fit."""
    rng = layout.rng
    make = spot.makers[int(rng.integers(len(spot.makers)))]
    places = random_places(spot.space, make(rng), rng)
    for _ in range(size):
        item = layout.find_free(places, _MARGIN_M, spot.owner)
        if item is None:
            return
        box = layout.add(item, supported_by=spot.owner).instance.box
        places = places_beside(spot.space, make(rng), box, float(rng.uniform(*_GAP_M)), rng)
