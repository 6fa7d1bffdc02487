"""Furniture that belongs together, and what stands on it."""

from __future__ import annotations

import numpy as np

from scenemind.simulation import furniture, small_things
from scenemind.simulation.blueprint import Blueprint, Item
from scenemind.simulation.layout import Layout, Placed
from scenemind.simulation.primitives import Placement

_CHAIR_GAP_M = 0.08


def dining_group(layout: Layout, about_x: float = 0.0) -> Placed:
    """A table near the middle, and a chair at each of four places; the table."""
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
    """What a meal leaves behind."""
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
    """A desk with what one works with, a chair and a bin; the desk."""
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
    """What is left lying there."""
    rng = layout.rng
    things = [
        small_things.cup(one_of(rng, "orange", "green", "purple")),
        small_things.book(one_of(rng, "red", "blue", "green")),
    ]
    for thing in things[: int(rng.integers(1, 3))]:
        layout.place_on(desk, thing)


def couch_group(layout: Layout) -> None:
    """A couch with pillows, and a side table with a lamp beside it."""
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
    """A plant, a vase and a book."""
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
    """With its back at the wall."""
    low, _ = blueprint.box_at(Placement(0, 0)).bounds()
    return Item(blueprint, Placement(0, float(-low[1])))


def one_of(rng: np.random.Generator, *names: str) -> str:
    """Any of these colours."""
    return str(rng.choice(names))
