"""What the camera had in its picture on the way, to tell what is new from where nobody looked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose

# A depth camera sees things well up to here, and not nearer than this.
_NEAREST_M, _FURTHEST_M = 0.3, 4.0
_MARGIN = 0.05  # of the picture, at each border
_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, eq=False)
class CameraViews:
    """Places from which the camera looked, a row each.

    Attributes:
        translation: (M, 3) float64, of world_T_camera.
        rotation: (M, 3, 3) float64, of world_T_camera.
        intrinsics: (M, 6) float64: width, height, fx, fy, cx, cy.
    """

    translation: NDArray[np.float64]
    rotation: NDArray[np.float64]
    intrinsics: NDArray[np.float64]

    @classmethod
    def of(cls, poses: list[Pose], cameras: list[PinholeCamera]) -> CameraViews:
        """Of as many poses `world_T_camera` as cameras."""
        rows = [(c.width, c.height, c.fx, c.fy, c.cx, c.cy) for c in cameras]
        return cls(
            np.array([pose.translation for pose in poses], np.float64).reshape(-1, 3),
            np.array([pose.rotation for pose in poses], np.float64).reshape(-1, 3, 3),
            np.array(rows, np.float64).reshape(-1, 6),
        )

    def count(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """(N,): how many views have each point (N, 3), world, in the picture and in reach.

        What stood in between is not known: no depth is kept of most frames.
        """
        counts = np.zeros(len(points), np.int64)
        for start in range(0, len(self.translation), _AT_ONCE):
            counts += self._in_view(points, slice(start, start + _AT_ONCE)).sum(axis=0)
        return counts

    def _in_view(self, points: NDArray[np.float64], rows: slice) -> NDArray[np.bool_]:
        """(M, N)."""
        offsets = points[None] - self.translation[rows, None]
        x, y, z = np.moveaxis(offsets @ self.rotation[rows], 2, 0)
        width, height, fx, fy, cx, cy = (c[:, None] for c in self.intrinsics[rows].T)
        ahead = (z >= _NEAREST_M) & (z <= _FURTHEST_M)
        depth_m = np.where(ahead, z, 1.0)
        u, v = fx * x / depth_m + cx, fy * y / depth_m + cy
        across = (u >= _MARGIN * width) & (u <= (1.0 - _MARGIN) * width)
        seen: NDArray[np.bool_] = (v >= _MARGIN * height) & (v <= (1.0 - _MARGIN) * height)
        return ahead & across & seen
