"""Where tracked boxes move in the image because the camera moved.

BoT-SORT estimates the camera's motion from the picture; here the poses are known, so the boxes are
reprojected. A box whose depth is unknown is taken to be far away: only the rotation moves it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose

_NEAREST = 0.1  # a box whose depth shrinks below this share has passed the camera


def reproject(
    centers_px: NDArray[np.float64],
    inverse_depth: NDArray[np.float64],
    camera: PinholeCamera,
    current_T_previous: Pose,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Box centres of the previous frame in the current one.

    Args:
        centers_px: (T, 2) in the previous image.
        inverse_depth: (T,) in 1/m; 0 where the depth is unknown.
        camera: intrinsics of both frames.
        current_T_previous: maps previous camera coordinates to current ones.

    Returns:
        Centres (T, 2) in the current image, the factor (T,) by which boxes grow, and which (T,)
        are still in front of the camera; the others' values mean nothing.
    """
    rays = np.ones((len(centers_px), 3))
    rays[:, 0] = (centers_px[:, 0] - camera.cx) / camera.fx
    rays[:, 1] = (centers_px[:, 1] - camera.cy) / camera.fy
    # A point at depth z is z * (ray); divided by z it moves by translation / z.
    moved = rays @ current_T_previous.rotation.T
    moved += inverse_depth[:, None] * current_T_previous.translation
    in_front = moved[:, 2] > _NEAREST
    z = np.where(in_front, moved[:, 2], 1.0)
    u = camera.fx * moved[:, 0] / z + camera.cx
    v = camera.fy * moved[:, 1] / z + camera.cy
    return np.column_stack((u, v)), 1.0 / z, in_front
