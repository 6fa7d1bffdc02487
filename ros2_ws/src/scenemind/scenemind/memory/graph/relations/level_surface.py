"""Where on a thing other things stand: a seat below a back rest, a table top below monitors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# How a level surface stands out of an object's points.
LAYER_M = 0.04
LEVEL_POINTS = 0.25
FEWEST_POINTS = 30
# Lower things carry at their top.
LOW_HEIGHT_M = 0.3
# Nothing is taller indoors; points that are further apart are wrong.
TALLEST_M = 20.0


def level_surface_z(points: NDArray[np.float32]) -> float | None:
    """Height of the level surface of a thing, to 1 cm, from its surface points (N, 3).

    A level surface shows as many points at one height: those within 4 cm that are most, if they
    are at least a quarter of all. None where no height stands out, where points are not finite,
    and for things lower than 0.3 m, which carry at their top (the bottom of a bowl is inside it).
    """
    if len(points) < FEWEST_POINTS:
        return None
    z = np.ascontiguousarray(points[:, 2])
    low = z.min()
    if not LOW_HEIGHT_M <= z.max() - low <= TALLEST_M:  # NaN is neither
        return None
    layer = ((z - low) * np.float32(1.0 / LAYER_M)).astype(np.intp)
    counts = np.bincount(layer)
    best = int(counts.argmax())
    if counts[best] < LEVEL_POINTS * len(points):
        return None
    return round(float(z[layer == best].mean()), 2)
