"""Places in words: beside which thing one was."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from scenemind.geometry import Box3D, gap_m
from scenemind.memory import MapObject
from scenemind.viewer.pictures import plain

_TOUCHES_M, _BESIDE_M, _NEAR_M = 0.1, 0.4, 1.5


def name_of(thing: MapObject) -> str:
    """ "chair 12"."""
    return f"{plain(thing.label)} {thing.object_id}"


def place_words(box: Box3D, things: Iterable[MapObject], but: int) -> str:
    """Where a box is, such as "on desk 22 (x 0.4, y -2.9, z 0.8 m)".

    Args:
        things: those by which a place is told.
        but: the id of what stood there.
    """
    x, y, z = box.center
    numbers = f"x {x:.1f}, y {y:.1f}, z {z:.1f} m"
    others = [thing for thing in things if thing.object_id != but]
    below = next((thing for thing in others if _carries(thing.box, box)), None)
    if below is not None:
        return f"on {name_of(below)} ({numbers})"
    gap, _, nearest = min(
        ((gap_m(box, thing.box), thing.object_id, thing) for thing in others),
        default=(_NEAR_M, 0, None),
    )
    if nearest is None or gap >= _NEAR_M:
        return f"at {numbers}"
    return f"{'beside' if gap < _BESIDE_M else 'near'} {name_of(nearest)} ({numbers})"


def _carries(below: Box3D, above: Box3D) -> bool:
    x, y, _ = above.center
    middle = (x, y, below.center[2])
    is_over = bool(below.contains(np.array([middle]))[0]) and max(above.size[:2]) <= max(
        below.size[:2]
    )
    return is_over and abs(above.bottom_z - below.top_z) <= _TOUCHES_M
