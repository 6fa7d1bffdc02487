"""Which object somebody clicks on: what the eye sees first there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from scenemind.memory import MapObject
from scenemind.memory.finding.pointing import find_object_on_ray

_NEAR_M = 0.02  # a surface point is hit that close to the ray,
_SPREAD = 0.012  # and so much farther off for each metre of distance: about 12 pixels


def find_object_at(
    objects: Sequence[MapObject], origin: ArrayLike, direction: ArrayLike
) -> MapObject | None:
    """The object whose surface a ray meets first; where it meets none, whose box it enters first.

    Boxes are larger than things: a ray to the chair under a table enters the table's box first.

    Args:
        origin: (3,) world, metres.
        direction: (3,) world, any length but zero.
    """
    solid = [thing for thing in objects if len(thing.points)]
    if solid:
        start = np.asarray(origin, np.float32)
        way = np.asarray(direction, np.float32)
        way = way / np.linalg.norm(way)
        points = np.concatenate([thing.points for thing in solid]) - start
        along = points @ way
        beside = np.linalg.norm(points - along[:, None] * way, axis=1)
        is_hit = (along > 0.0) & (beside < _NEAR_M + _SPREAD * along)
        if is_hit.any():
            nearest = int(np.where(is_hit, along, np.inf).argmin())
            ends = np.cumsum([len(thing.points) for thing in solid])
            return solid[int(np.searchsorted(ends, nearest, side="right"))]
    found = find_object_on_ray(objects, origin, direction)
    return None if found is None else found[0]
