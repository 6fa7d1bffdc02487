"""Generation of furnished rooms, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from scenemind.errors import SimulationError
from scenemind.geometry import Box3D
from scenemind.simulation import furniture
from scenemind.simulation import furniture as household
from scenemind.simulation import furniture as small_things
from scenemind.simulation.layout import Layout, Placed, places_beside, random_places
from scenemind.simulation.primitives import Blueprint, Item, Placement
from scenemind.simulation.room import Loop, Room

_CHAIR_GAP_M = 0.08
_COLORS = ("red", "blue", "green", "yellow", "orange", "purple", "white")
_FLOOR_SHARE = 0.15
_MOST_OF_A_KIND = 3
_GAP_M = (0.03, 0.08)  # between things of one kind
_MARGIN_M = 0.025  # to anything else
_MOST_CLUSTERS = 200
_Maker = Callable[[np.random.Generator], Blueprint]
FEWEST, MOST = 20, 60
_ROOMY = 34  # objects; more make the room larger
_GROWTH_M = np.array([2.0, 1.8])  # of the largest room
_ATTEMPTS = 30
_LOOP = Loop(half_x=1.75, half_y=1.5)


def dining_group(layout: Layout, about_x: float = 0.0) -> Placed:
    """Place a table near the middle with four chairs; returns the table."""
    rng = layout.rng
    x, y = rng.uniform(-0.1, 0.1, size=2).tolist()
    x += about_x
    table = layout.place_at(furniture.dining_table(rng), Placement(x, y))
    colors = ["black", *rng.choice(["red", "blue", "white", "green", "yellow"], 3, replace=False)]
    for (side, offset), color in zip(
        ((-1, -0.4), (-1, 0.4), (1, -0.4), (1, 0.4)), rng.permutation(colors), strict=True
    ):
        turn = float(rng.uniform(-0.2, 0.2))
        chair = furniture.chair(str(color))
        depth = chair.box_at(Placement(0, 0, 0, turn)).size[1]
        gap = _CHAIR_GAP_M + float(rng.uniform(0, 0.06))
        away = table.instance.box.size[1] / 2 + gap + depth / 2
        yaw = turn + (0.0 if side < 0 else np.pi)
        layout.place_at(chair, Placement(x + offset, y + side * away, 0, yaw))
    return table


def lay_table(layout: Layout, table: Placed) -> None:
    """Place dishes and other things on a dining table."""
    rng = layout.rng
    cups = rng.choice(["white", "red", "blue", "yellow", "black"], 2, replace=False)
    things = [
        small_things.laptop(),
        small_things.bowl(one_of(rng, "white", "green", "orange")),
        small_things.bottle(one_of(rng, "green", "blue")),
        *(small_things.cup(str(color)) for color in cups),
    ]
    for thing in things[: int(rng.integers(4, len(things) + 1))]:
        layout.place_on(table, thing)


def desk_group(layout: Layout) -> Placed:
    """Place a desk with a chair and a bin; returns the desk."""
    rng = layout.rng
    desk = at_wall(furniture.desk(rng))
    front = desk.box.bounds()[1][1]
    chair_at = Placement(float(rng.uniform(-0.3, 0.1)), front + 0.32, 0, np.pi)
    bin_at = Placement(desk.box.size[0] / 2 + 0.35, 0.25)
    placed, *_ = layout.place_at_wall(
        desk,
        Item(furniture.chair(one_of(rng, "black", "grey", "purple", "orange")), chair_at),
        Item(small_things.trash_can(one_of(rng, "grey", "black", "blue")), bin_at),
    )
    layout.place_exactly_on(placed, small_things.monitor(), 0, -0.16)
    layout.place_exactly_on(placed, small_things.keyboard(), -0.04, 0.16)
    layout.place_exactly_on(placed, small_things.mouse(), 0.3, 0.16)
    return placed


def litter_desk(layout: Layout, desk: Placed) -> None:
    """Place small things on a desk."""
    rng = layout.rng
    things = [
        small_things.cup(one_of(rng, "orange", "green", "purple")),
        small_things.book(one_of(rng, "red", "blue", "green")),
    ]
    for thing in things[: int(rng.integers(1, 3))]:
        layout.place_on(desk, thing)


def couch_group(layout: Layout) -> None:
    """Place a couch with pillows, and a side table with a lamp beside it."""
    rng = layout.rng
    couch = at_wall(furniture.couch(one_of(rng, "blue", "red", "green", "grey")))
    table = furniture.side_table(rng)
    beside = couch.box.size[0] / 2 + 0.2 + table.box_at(Placement(0, 0)).size[0] / 2
    stand = Item(table, Placement(beside * float(rng.choice([-1, 1])), 0.35))
    placed, side = layout.place_at_wall(couch, stand)
    colors = rng.choice(["yellow", "orange", "white", "purple"], 2, replace=False)
    for x, color in zip((-0.4, 0.4), colors, strict=True):
        layout.place_exactly_on(placed, small_things.pillow(str(color)), x, -0.12)
    layout.place_exactly_on(side, small_things.lamp(one_of(rng, "yellow", "white")), 0, 0)


def cabinet(layout: Layout) -> Placed:
    (placed,) = layout.place_at_wall(at_wall(furniture.cabinet(layout.rng)))
    return placed


def decorate_cabinet(layout: Layout, cabinet: Placed) -> None:
    """Place a plant, a vase and a book on a cabinet."""
    rng = layout.rng
    layout.place_exactly_on(cabinet, small_things.potted_plant(rng, 0.45), -0.35, 0)
    layout.place_on(cabinet, small_things.vase(one_of(rng, "blue", "white", "red", "purple")))
    layout.place_on(cabinet, small_things.book(one_of(rng, "red", "orange", "purple")))


def wall_decoration(layout: Layout) -> None:
    rng = layout.rng
    window = small_things.window(float(rng.uniform(1.3, 1.6)))
    layout.place_at_wall(Item(window, Placement(0, 0, 0.95)), margin_m=0.12, on_wall=True)
    for _ in range(2):
        picture = Item(small_things.picture(rng), Placement(0, 0, float(rng.uniform(1.4, 1.5))))
        layout.place_at_wall(picture, margin_m=0.12, on_wall=True)


def at_wall(blueprint: Blueprint) -> Item:
    """An item with its back at the wall."""
    low, _ = blueprint.box_at(Placement(0, 0)).bounds()
    return Item(blueprint, Placement(0, float(-low[1])))


def one_of(rng: np.random.Generator, *names: str) -> str:
    """A random one of these colours."""
    return str(rng.choice(names))


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
    """Free space, its support (None: the floor), and kinds of things for it."""

    space: Box3D
    owner: int | None
    makers: tuple[_Maker, ...]


def add_clutter(layout: Layout, count: int) -> None:
    """Add things until there are `count` objects.

    Raises:
        SimulationError: there is no space for so many.
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
    """Add up to `size` things of one kind side by side, as many as fit."""
    rng = layout.rng
    make = spot.makers[int(rng.integers(len(spot.makers)))]
    places = random_places(spot.space, make(rng), rng)
    for _ in range(size):
        item = layout.find_free(places, _MARGIN_M, spot.owner)
        if item is None:
            return
        box = layout.add(item, supported_by=spot.owner).instance.box
        places = places_beside(spot.space, make(rng), box, float(rng.uniform(*_GAP_M)), rng)


def crowded_layout(rng: np.random.Generator, count: int) -> Layout:
    """A layout with exactly `count` objects.

    Raises:
        SimulationError: an object did not fit; another attempt may succeed.
    """
    growth = max(0.0, (count - _ROOMY) / (MOST - _ROOMY)) * _GROWTH_M
    x, y = rng.uniform((7.0, 6.4), (7.8, 7.0)) + growth
    half_x, half_y = np.array([1.75, 1.5]) + growth / 2
    layout = Layout((float(x), float(y), 2.6), Loop(float(half_x), float(half_y)), rng)
    _furnish(layout, count)
    add_clutter(layout, count)
    return layout


def _furnish(layout: Layout, count: int) -> None:
    """Place furniture and wall decoration for a given number of objects."""
    rng = layout.rng
    if count < 46:
        dining_group(layout)
    else:
        apart = layout.loop.half_x - 1.25
        dining_group(layout, -apart)
        dining_group(layout, apart)
    layout.place_at_wall(at_wall(small_things.door(one_of(rng, "white", "brown"))))
    desk_group(layout)
    couch_group(layout)
    if count >= 52:
        desk_group(layout)
    if count >= 28:
        cabinet(layout)
    if count >= 32:
        layout.place_at_wall(at_wall(household.open_shelf(rng)))
    if count >= 26:
        layout.place_at_wall(at_wall(furniture.bookshelf(rng)))
        layout.place_at_wall(at_wall(furniture.refrigerator(one_of(rng, "white", "grey", "red"))))
        layout.place_in_corner(small_things.potted_plant(rng, float(rng.uniform(1.0, 1.3))))
    if count >= 54:
        layout.place_at_wall(at_wall(household.open_shelf(rng)))
    if count >= 24:
        wall_decoration(layout)


def make_room(seed: int, objects: int | None = None) -> Room:
    """A living and working room: the same one for the same seed.

    Args:
        objects: number of objects, 20 to 60, in a larger room if needed; None: 32 to 34.

    Raises:
        SimulationError: a number out of range, or no arrangement was found in many attempts.
    """
    if objects is not None and not FEWEST <= objects <= MOST:
        raise SimulationError(f"a room has {FEWEST} to {MOST} objects, not {objects}")
    rng = np.random.default_rng(seed if objects is None else (seed, objects))
    for _ in range(_ATTEMPTS):
        try:
            layout = _usual_layout(rng) if objects is None else crowded_layout(rng, objects)
        except SimulationError:
            continue
        return Room(seed, layout.size, tuple(layout.objects), layout.loop)
    raise SimulationError(f"seed {seed}: no arrangement fits after {_ATTEMPTS} attempts")


def _usual_layout(rng: np.random.Generator) -> Layout:
    size = (float(rng.uniform(7.0, 7.8)), float(rng.uniform(6.4, 7.0)), 2.6)
    layout = Layout(size, _LOOP, rng)
    lay_table(layout, dining_group(layout))
    layout.place_at_wall(at_wall(small_things.door(one_of(rng, "white", "brown"))))
    litter_desk(layout, desk_group(layout))
    couch_group(layout)
    decorate_cabinet(layout, cabinet(layout))
    layout.place_at_wall(at_wall(furniture.bookshelf(rng)))
    layout.place_at_wall(at_wall(furniture.refrigerator(one_of(rng, "white", "grey", "red"))))
    layout.place_in_corner(small_things.potted_plant(rng, float(rng.uniform(1.0, 1.3))))
    wall_decoration(layout)
    return layout
