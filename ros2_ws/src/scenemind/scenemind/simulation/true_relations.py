"""Relations that hold by construction, with margins that every reasonable threshold agrees on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.geometry import gap_m
from scenemind.simulation.room import Room, SimObject

# Definitions of "next to" and "near" differ between 0.5 and 1 m; nothing is said in between.
SURELY_NEXT_TO_M = 0.35
SURELY_APART_M = 1.2
SURELY_HIGHER_BY_M = 0.2
# Centres and surfaces, and an unsure box, may rank objects differently below this.
SURELY_CLOSER_BY_M = 0.4


def things_on(room: Room, support: SimObject) -> tuple[SimObject, ...]:
    """What stands on an object."""
    return tuple(item for item in room.objects if item.supported_by == support.instance_id)


def stands_on_floor(item: SimObject) -> bool:
    """Neither on something nor on a wall."""
    return item.supported_by is None and not item.on_wall


def surely_next_to(a: SimObject, b: SimObject) -> bool:
    """Both stand on the floor with hardly a gap between them."""
    both_stand = stands_on_floor(a) and stands_on_floor(b)
    return both_stand and a != b and gap_m(a.box, b.box) <= SURELY_NEXT_TO_M


def surely_apart(a: SimObject, b: SimObject) -> bool:
    """So far from each other that nobody says near."""
    return gap_m(a.box, b.box) >= SURELY_APART_M


def surely_higher(a: SimObject, b: SimObject) -> bool:
    """All of it is above the other's top."""
    return a.box.bottom_z >= b.box.top_z + SURELY_HIGHER_BY_M


def find_surely_closest(anchor: SimObject, candidates: Sequence[SimObject]) -> SimObject | None:
    """The candidate that is closest by far, between surfaces and between centres."""
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
