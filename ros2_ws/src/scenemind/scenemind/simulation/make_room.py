"""Furnishing: which objects a room gets and how they belong together."""

from __future__ import annotations

import numpy as np

from scenemind.simulation import furniture, small_things
from scenemind.simulation.blueprint import Blueprint
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.layout import Item, Layout
from scenemind.simulation.primitives import Placement
from scenemind.simulation.room import Loop, Room

_ATTEMPTS = 30
_LOOP = Loop(half_x=1.75, half_y=1.5)
_CHAIR_GAP_M = 0.08


def make_room(seed: int) -> Room:
    """A living and working room: the same one for the same seed.

    Raises:
        SimulationError: no arrangement was found in many attempts.
    """
    rng = np.random.default_rng(seed)
    for _ in range(_ATTEMPTS):
        size = (float(rng.uniform(7.0, 7.8)), float(rng.uniform(6.4, 7.0)), 2.6)
        layout = Layout(size, _LOOP, rng)
        try:
            _furnish(layout)
        except SimulationError:
            continue
        return Room(seed, size, tuple(layout.objects), _LOOP)
    raise SimulationError(f"seed {seed}: no arrangement fits after {_ATTEMPTS} attempts")


def _furnish(layout: Layout) -> None:
    rng = layout.rng
    _dining_group(layout)
    layout.place_at_wall(_at_wall(small_things.door(_one_of(rng, "white", "brown"))))
    _desk_group(layout)
    _couch_group(layout)
    _cabinet_group(layout)
    layout.place_at_wall(_at_wall(furniture.bookshelf(rng)))
    layout.place_at_wall(_at_wall(furniture.refrigerator(_one_of(rng, "white", "grey", "red"))))
    layout.place_in_corner(small_things.potted_plant(rng, float(rng.uniform(1.0, 1.3))))
    _wall_decoration(layout)


def _dining_group(layout: Layout) -> None:
    """The table in the middle, a chair at each of four places, and what a meal leaves behind."""
    rng = layout.rng
    x, y = rng.uniform(-0.1, 0.1, size=2).tolist()
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
    cups = rng.choice(["white", "red", "blue", "yellow", "black"], 2, replace=False)
    things = [
        small_things.laptop(),
        small_things.bowl(_one_of(rng, "white", "green", "orange")),
        small_things.bottle(_one_of(rng, "green", "blue")),
        *(small_things.cup(str(color)) for color in cups),
    ]
    for thing in things[: int(rng.integers(4, len(things) + 1))]:
        layout.place_on(table, thing)


def _desk_group(layout: Layout) -> None:
    rng = layout.rng
    desk = _at_wall(furniture.desk(rng))
    front = desk.box.bounds()[1][1]
    chair_at = Placement(float(rng.uniform(-0.3, 0.1)), front + 0.32, 0, np.pi)
    bin_at = Placement(desk.box.size[0] / 2 + 0.35, 0.25)
    placed, *_ = layout.place_at_wall(
        desk,
        Item(furniture.chair(_one_of(rng, "black", "grey", "purple", "orange")), chair_at),
        Item(small_things.trash_can(_one_of(rng, "grey", "black", "blue")), bin_at),
    )
    layout.place_exactly_on(placed, small_things.monitor(), 0, -0.16)
    layout.place_exactly_on(placed, small_things.keyboard(), -0.04, 0.16)
    layout.place_exactly_on(placed, small_things.mouse(), 0.3, 0.16)
    things = [
        small_things.cup(_one_of(rng, "orange", "green", "purple")),
        small_things.book(_one_of(rng, "red", "blue", "green")),
    ]
    for thing in things[: int(rng.integers(1, 3))]:
        layout.place_on(placed, thing)


def _couch_group(layout: Layout) -> None:
    """A couch with pillows, and a side table with a lamp beside it."""
    rng = layout.rng
    couch = _at_wall(furniture.couch(_one_of(rng, "blue", "red", "green", "grey")))
    table = furniture.side_table(rng)
    beside = couch.box.size[0] / 2 + 0.2 + table.box_at(Placement(0, 0)).size[0] / 2
    stand = Item(table, Placement(beside * float(rng.choice([-1, 1])), 0.35))
    placed, side = layout.place_at_wall(couch, stand)
    colors = rng.choice(["yellow", "orange", "white", "purple"], 2, replace=False)
    for x, color in zip((-0.4, 0.4), colors, strict=True):
        layout.place_exactly_on(placed, small_things.pillow(str(color)), x, -0.12)
    layout.place_exactly_on(side, small_things.lamp(_one_of(rng, "yellow", "white")), 0, 0)


def _cabinet_group(layout: Layout) -> None:
    rng = layout.rng
    cabinet = _at_wall(furniture.cabinet(rng))
    (placed,) = layout.place_at_wall(cabinet)
    layout.place_exactly_on(placed, small_things.potted_plant(rng, 0.45), -0.35, 0)
    layout.place_on(placed, small_things.vase(_one_of(rng, "blue", "white", "red", "purple")))
    layout.place_on(placed, small_things.book(_one_of(rng, "red", "orange", "purple")))


def _wall_decoration(layout: Layout) -> None:
    rng = layout.rng
    window = small_things.window(float(rng.uniform(1.3, 1.6)))
    layout.place_at_wall(Item(window, Placement(0, 0, 0.95)), margin_m=0.12, on_wall=True)
    for _ in range(2):
        picture = Item(small_things.picture(rng), Placement(0, 0, float(rng.uniform(1.4, 1.5))))
        layout.place_at_wall(picture, margin_m=0.12, on_wall=True)


def _at_wall(blueprint: Blueprint) -> Item:
    """With its back at the wall."""
    low, _ = blueprint.box_at(Placement(0, 0)).bounds()
    return Item(blueprint, Placement(0, float(-low[1])))


def _one_of(rng: np.random.Generator, *names: str) -> str:
    return str(rng.choice(names))
