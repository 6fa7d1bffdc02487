"""Rooms with a given number of objects, the more the larger: several groups, and full surfaces."""

from __future__ import annotations

import numpy as np

from scenemind.simulation import furniture, groups, household, small_things
from scenemind.simulation.clutter import add_clutter
from scenemind.simulation.groups import at_wall, one_of
from scenemind.simulation.layout import Layout
from scenemind.simulation.room import Loop

FEWEST, MOST = 20, 60

_ROOMY = 34  # objects; more make the room larger
_GROWTH_M = np.array([2.0, 1.8])  # of the largest room


def crowded_layout(rng: np.random.Generator, count: int) -> Layout:
    """Exactly `count` objects.

    Raises:
        SimulationError: no room for something, this time.
    """
    growth = max(0.0, (count - _ROOMY) / (MOST - _ROOMY)) * _GROWTH_M
    x, y = rng.uniform((7.0, 6.4), (7.8, 7.0)) + growth
    half_x, half_y = np.array([1.75, 1.5]) + growth / 2
    layout = Layout((float(x), float(y), 2.6), Loop(float(half_x), float(half_y)), rng)
    _furnish(layout, count)
    add_clutter(layout, count)
    return layout


def _furnish(layout: Layout, count: int) -> None:
    """What stands on the floor and hangs on walls, according to how many objects there may be."""
    rng = layout.rng
    if count < 46:
        groups.dining_group(layout)
    else:
        apart = layout.loop.half_x - 1.25
        groups.dining_group(layout, -apart)
        groups.dining_group(layout, apart)
    layout.place_at_wall(at_wall(small_things.door(one_of(rng, "white", "brown"))))
    groups.desk_group(layout)
    groups.couch_group(layout)
    if count >= 52:
        groups.desk_group(layout)
    if count >= 28:
        groups.cabinet(layout)
    if count >= 32:
        layout.place_at_wall(at_wall(household.open_shelf(rng)))
    if count >= 26:
        layout.place_at_wall(at_wall(furniture.bookshelf(rng)))
        layout.place_at_wall(at_wall(furniture.refrigerator(one_of(rng, "white", "grey", "red"))))
        layout.place_in_corner(small_things.potted_plant(rng, float(rng.uniform(1.0, 1.3))))
    if count >= 54:
        layout.place_at_wall(at_wall(household.open_shelf(rng)))
    if count >= 24:
        groups.wall_decoration(layout)
