"""Boxes of pairs as columns, and what the relations measure of them.

Boxes come as (P, 6) arrays, lowest then highest corner, world, metres, compared line by line. Only
differences of heights are measured, never the height above the map's origin: a map may have its
floor anywhere. (A peer measures from the middle of the scene and loses every cup of a raised map.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# (P, 6): x0, y0, z0, x1, y1, z1.
Bounds = NDArray[np.float64]
# (P,) in [0, 1]; 0 where a relation does not hold.
Scores = NDArray[np.float64]

# Depth and boxes are not sure to better than this.
HEIGHT_NOISE_M = 0.03


def sizes(a: Bounds) -> NDArray[np.float64]:
    """Lengths (P, 3) along x, y and z."""
    return np.asarray(a[:, 3:] - a[:, :3])


def heights(a: Bounds) -> NDArray[np.float64]:
    """Heights (P,) of the boxes themselves."""
    return np.asarray(a[:, 5] - a[:, 2])


def is_higher(a: Bounds, b: Bounds) -> NDArray[np.bool_]:
    """(P,): the centre of a is higher than that of b."""
    return np.asarray(a[:, 2] + a[:, 5] > b[:, 2] + b[:, 5])


def shared_sides(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    """Lengths (P, 3) that two boxes have in common along each axis; 0 where none."""
    return np.clip(np.minimum(a[:, 3:], b[:, 3:]) - np.maximum(a[:, :3], b[:, :3]), 0.0, None)


def volumes(a: Bounds) -> NDArray[np.float64]:
    """(P,) in m3."""
    return np.asarray(np.prod(sizes(a), axis=1))


def footprints(a: Bounds) -> NDArray[np.float64]:
    """Areas (P,) seen from above, in m2."""
    return np.asarray((a[:, 3] - a[:, 0]) * (a[:, 4] - a[:, 1]))


def footprint_overlaps(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    """Areas (P,) that two boxes share seen from above, in m2."""
    sides = shared_sides(a, b)
    return np.asarray(sides[:, 0] * sides[:, 1])


def overlap_shares(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    """What two boxes share seen from above, over the smaller footprint: (P,) in [0, 1]."""
    smaller = np.maximum(np.minimum(footprints(a), footprints(b)), 1e-9)
    return np.minimum(footprint_overlaps(a, b) / smaller, 1.0)
