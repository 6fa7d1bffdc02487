"""Where on the screen solids can be: only these pixels are worth casting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose

_NEAR_M = 0.02
_MARGIN_PX = 1
# Corners are numbered as `Box3D.corners` orders them: the bottom ring, then the top one.
_EDGES = np.array(
    [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
)


@dataclass(frozen=True, slots=True, eq=False)
class ScreenBounds:
    """Pixel rectangles (N, 4) int: first column, first row, past the last ones; (N,) visible."""

    rectangles: NDArray[np.int64]
    visible: NDArray[np.bool_]

    def window(self, number: int) -> tuple[slice, slice]:
        """Columns and rows of one."""
        x0, y0, x1, y1 = self.rectangles[number].tolist()
        return slice(x0, x1), slice(y0, y1)


def screen_bounds(
    corners: NDArray[np.float64], camera: PinholeCamera, world_T_camera: Pose
) -> ScreenBounds:
    """Rectangles that hold the projections of hulls with the given corners (N, 8, 3), world.

    What lies behind the camera is cut off at a near plane.
    """
    at = np.asarray(world_T_camera.inverse().transform(corners))
    points = np.concatenate((at, _cut_edges(at)), axis=1)
    ahead = points[..., 2] >= _NEAR_M - 1e-9
    pixels, _ = camera.project(points)
    low = np.where(ahead[..., None], pixels, np.inf).min(axis=1)
    high = np.where(ahead[..., None], pixels, -np.inf).max(axis=1)
    limit = np.array([camera.width, camera.height])
    first = np.clip(np.floor(low) - _MARGIN_PX, 0, limit).astype(np.int64)
    last = np.clip(np.ceil(high) + 1 + _MARGIN_PX, 0, limit).astype(np.int64)
    return ScreenBounds(np.hstack((first, last)), (last > first).all(axis=1))


def _cut_edges(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 12, 3): where edges cross the near plane; a point behind the camera where they do not."""
    start, end = corners[:, _EDGES[:, 0]], corners[:, _EDGES[:, 1]]
    over = end[..., 2] - start[..., 2]
    crosses = (start[..., 2] < _NEAR_M) != (end[..., 2] < _NEAR_M)
    fraction = np.where(crosses, (_NEAR_M - start[..., 2]) / np.where(crosses, over, 1.0), 0.0)
    points = start + fraction[..., None] * (end - start)
    points[~crosses] = (0.0, 0.0, -1.0)
    return points
