"""The box of an object: what was measured of it, where pictures place it, and what its kind adds.

Depth shows the parts that face the camera. Of things with little depth pictures tell the place and
height (`perception.standing`); the median over views counts, since a view may be wrong. What stands
on the floor reaches the floor, though a table hides its legs, and a table ends with its top,
whatever lies on it.
"""

from __future__ import annotations

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.perception.standing import TOLERANCE, Stance

# Boxes are rounded outward to this step, finer than a depth camera measures: an object at rest
# keeps exactly the same box, and values derived from it need not be computed again.
BOX_STEP_M = 0.005
# Things reach up from the floor where they begin this far below it, or higher.
_BELOW_FLOOR_M = 0.1
# A top is a level with this share of all points.
_TOP_SHARE = 0.2


def box_of(
    points: NDArray[np.float32],
    places: NDArray[np.float32],
    stance: Stance | None,
    floor_z: float | None,
    cell_m: float,
) -> Box3D:
    """The axis-aligned box of an object, rounded outward.

    Args:
        points: (M, 3), M > 0, of its surface, world, metres.
        places: (P, 6), boxes from pictures, lowest and highest corner; P = 0: use the points.
        stance: how it stands; None: it does not, or its kind is unknown.
        floor_z: height of the floor; None: unknown.
        cell_m: edge of the voxels that the points stand for.
    """
    if len(places):
        ordered, middle = np.sort(places.astype(np.float64), axis=0), len(places) // 2
        median = (ordered[middle] + ordered[-1 - middle]) / 2.0
        low, high = median[:3].tolist(), median[3:].tolist()
    else:
        columns = np.ascontiguousarray(points.T)  # reduced several times faster than rows
        low, high = columns.min(axis=1).tolist(), columns.max(axis=1).tolist()
    if stance is not None and stance.on_floor and floor_z is not None:
        lowest_z = 1.0 / TOLERANCE * stance.height_m[0] + floor_z
        highest_z = TOLERANCE * stance.height_m[1] + floor_z
        if stance.flat_top:
            top_z = _top_z(points[:, 2], lowest_z, highest_z, cell_m)
            if top_z is not None and high[2] > min(top_z + cell_m, highest_z):
                high[2] = top_z
        if low[2] > floor_z - _BELOW_FLOOR_M and high[2] <= highest_z:
            low[2] = floor_z
    x0, y0, z0 = (floor(bound / BOX_STEP_M) * BOX_STEP_M for bound in low)
    x1, y1, z1 = (ceil(bound / BOX_STEP_M) * BOX_STEP_M for bound in high)
    center = (x0 + x1) / 2.0, (y0 + y1) / 2.0, (z0 + z1) / 2.0
    return Box3D(center, (x1 - x0, y1 - y0, z1 - z0))


def is_too_wide(points: NDArray[np.float32], stance: Stance | None) -> bool:
    """True if points (M, 3) spread farther along an axis than one thing of its kind is deep: chairs
    in a row, of which depth shows the floor between them."""
    if stance is None or stance.depth_m is None or not stance.on_floor:
        return False
    x, y = np.ascontiguousarray(points.T[:2])
    widest_m = max(float(x.max()) - float(x.min()), float(y.max()) - float(y.min()))
    return widest_m > stance.depth_m[1] * TOLERANCE


def _top_z(
    z: NDArray[np.float32], lowest_z: float, highest_z: float, cell_m: float
) -> float | None:
    """Height of the level between two heights that has most points; None without one."""
    usual = z[(z > lowest_z) & (z < highest_z)]
    if not len(usual):
        return None
    level = np.floor((usual - lowest_z) / cell_m).astype(np.intp)
    # Noise spreads a level over two.
    on_top = usual[np.abs(level - np.bincount(level).argmax()) <= 1]
    return float(np.median(on_top)) if len(on_top) >= _TOP_SHARE * len(z) else None
