"""Where things are as seen from the camera, so that the camera's motion moves them.

A place is a homogeneous point (x, y, z, w) in the camera's frame, its scale free: it is seen along
the ray (x/z, y/z) at the inverse depth w/z. It needs no depth (w = 0 is infinitely far: only
rotation moves it), and it stays valid behind the camera.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera

Places = NDArray[np.float64]

NEAREST = 0.1  # a place whose depth shrinks below this share has passed the camera


def places_at(
    centers_px: NDArray[np.float64], inverse_depth: NDArray[np.float64], camera: PinholeCamera
) -> Places:
    """Places (T, 4) with z = 1.

    Args:
        centers_px: (T, 2) in the image.
        inverse_depth: (T,) in 1/m; 0 where the depth is unknown.
        camera: intrinsics of the image.
    """
    places = np.empty((len(centers_px), 4))
    places[:, :2] = (centers_px - (camera.cx, camera.cy)) / (camera.fx, camera.fy)
    places[:, 2] = 1.0
    places[:, 3] = inverse_depth
    return places


def centers_of(places: Places, camera: PinholeCamera) -> NDArray[np.float64]:
    """Image positions (T, 2); those of places that are not in front mean nothing."""
    z = np.maximum(places[:, 2:3], NEAREST)
    centers: NDArray[np.float64] = places[:, :2] * (camera.fx, camera.fy) / z
    centers += (camera.cx, camera.cy)
    return centers


def are_in_front(places: Places) -> NDArray[np.bool_]:
    """Which (T,) the camera could see."""
    return places[:, 2] > NEAREST


def growth(before: Places, after: Places) -> NDArray[np.float64]:
    """By how much (T,) things look larger at the second place."""
    return np.maximum(before[:, 2], NEAREST) / np.maximum(after[:, 2], NEAREST)
