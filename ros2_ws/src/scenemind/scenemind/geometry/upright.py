"""The smallest upright box around points: turned about z as they lie."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry.box import Box3D

# A turned rectangle must be this much smaller than the axis-aligned one: around noisy points of
# something that stands along an axis, or is round, some turned one is always a little smaller.
CLEARLY_SMALLER = 0.9


def smallest_upright_box(points: NDArray[np.floating]) -> Box3D:
    """The smallest box turned about z around points (N, 3), N > 0, metres.

    Seen from above it is the rectangle of least area around the convex hull (rotating calipers).
    Where none is clearly smaller than the axis-aligned one, it is that. The turn lies within 45
    degrees, so of the two sides `size[0]` is the one nearer to the world's x.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    along = Box3D.from_bounds(low, high)
    center, sides, degrees = cv2.minAreaRect(points[:, :2].astype(np.float32))
    if sides[0] * sides[1] >= CLEARLY_SMALLER * along.size[0] * along.size[1]:
        return along
    quarter_turns = round(degrees / 90.0)
    length, width = sides if quarter_turns % 2 == 0 else sides[::-1]
    return Box3D(
        (float(center[0]), float(center[1]), along.center[2]),
        (float(length), float(width), along.size[2]),
        math.radians(degrees - 90.0 * quarter_turns),
    )
