"""Furnishing: which objects a room gets."""

from __future__ import annotations

import numpy as np

from scenemind.simulation import furniture, groups, small_things
from scenemind.simulation.crowded_room import FEWEST, MOST, crowded_layout
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.groups import at_wall, one_of
from scenemind.simulation.layout import Layout
from scenemind.simulation.room import Loop, Room

_ATTEMPTS = 30
_LOOP = Loop(half_x=1.75, half_y=1.5)


def make_room(seed: int, objects: int | None = None) -> Room:
    """A living and working room: the same one for the same seed.

    Args:
        objects: how many it has, from 20 to 60; more need a larger room. Usually 32 to 34.

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
    groups.lay_table(layout, groups.dining_group(layout))
    layout.place_at_wall(at_wall(small_things.door(one_of(rng, "white", "brown"))))
    groups.litter_desk(layout, groups.desk_group(layout))
    groups.couch_group(layout)
    groups.decorate_cabinet(layout, groups.cabinet(layout))
    layout.place_at_wall(at_wall(furniture.bookshelf(rng)))
    layout.place_at_wall(at_wall(furniture.refrigerator(one_of(rng, "white", "grey", "red"))))
    layout.place_in_corner(small_things.potted_plant(rng, float(rng.uniform(1.0, 1.3))))
    groups.wall_decoration(layout)
    return layout
