"""Which object somebody points at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenemind.memory.types import KeyFrame, MapObject


def find_object_on_ray(
    objects: Sequence[MapObject], origin: ArrayLike, direction: ArrayLike
) -> tuple[MapObject, NDArray[np.float64]] | None:
    """The nearest object whose box a ray enters, and where it enters.

    Slab test of the ray against the axis-aligned hulls of all boxes at once. Boxes around the
    origin are passed over: nobody points at what they stand in.

    Args:
        origin: (3,) world, metres.
        direction: (3,) world, any length but zero.
    """
    if not objects:
        return None
    start = np.asarray(origin, dtype=np.float64)
    way = np.asarray(direction, dtype=np.float64)
    way = way / np.linalg.norm(way)
    bounds = np.array([thing.box.bounds() for thing in objects])
    with np.errstate(divide="ignore", invalid="ignore"):
        to_planes = (bounds - start) / way
    # 0/0: the ray runs within a side's plane, so that side never ends it.
    entries = np.nan_to_num(to_planes.min(axis=1), nan=-np.inf).max(axis=1)
    exits = np.nan_to_num(to_planes.max(axis=1), nan=np.inf).min(axis=1)
    distances = np.where((entries > 0.0) & (entries <= exits), entries, np.inf)
    nearest = int(distances.argmin())
    if not np.isfinite(distances[nearest]):
        return None
    return objects[nearest], start + distances[nearest] * way


def find_object_in_view(key_frame: KeyFrame, u_px: float, v_px: float) -> int | None:
    """The id of the smallest detected box around a pixel: the cup rather than its table."""
    areas = {
        object_id: (x1 - x0) * (y1 - y0)
        for object_id, (x0, y0, x1, y1) in key_frame.boxes_px.items()
        if x0 <= u_px <= x1 and y0 <= v_px <= y1
    }
    return min(areas, key=areas.__getitem__) if areas else None
