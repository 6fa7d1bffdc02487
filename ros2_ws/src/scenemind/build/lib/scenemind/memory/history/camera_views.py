"""What a camera saw of places: from where it looked, and what the stored depth says about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.objects.gone_objects import lines_of_sight
from scenemind.memory.types import DepthImage

# A depth camera sees things well up to here, and not nearer than this.
_NEAREST_M, _FURTHEST_M = 0.3, 4.0
_MARGIN = 0.05  # of the picture, at each border
_AT_ONCE = 4096


# Reads the depth of a view; None where it cannot be read any more.
ReadDepth = Callable[[], DepthImage | None]
# Depth images read for one place, evenly over the views of it, which bounds the cost.
_MOST_LOOKS = 40


@dataclass(frozen=True, slots=True, eq=False)
class _StoredDepth:
    """Depth as `lines_of_sight` takes it."""

    camera: PinholeCamera
    world_T_camera: Pose
    depth_m: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class CameraViews:
    """Places from which the camera looked, a row each.

    Attributes:
        translation: (M, 3) float64, of world_T_camera.
        rotation: (M, 3, 3) float64, of world_T_camera.
        intrinsics: (M, 6) float64: width, height, fx, fy, cx, cy.
        depth: of each view how its depth is read; None: it is not stored, as of most frames.
    """

    translation: NDArray[np.float64]
    rotation: NDArray[np.float64]
    intrinsics: NDArray[np.float64]
    depth: tuple[ReadDepth | None, ...]

    @classmethod
    def of(
        cls,
        poses: Sequence[Pose],
        cameras: Sequence[PinholeCamera],
        depth: Sequence[ReadDepth | None] | None = None,
    ) -> CameraViews:
        """Views from as many poses `world_T_camera` as cameras and depths; None: no depth."""
        rows = [(c.width, c.height, c.fx, c.fy, c.cx, c.cy) for c in cameras]
        return cls(
            np.array([pose.translation for pose in poses], np.float64).reshape(-1, 3),
            np.array([pose.rotation for pose in poses], np.float64).reshape(-1, 3, 3),
            np.array(rows, np.float64).reshape(-1, 6),
            tuple([None] * len(poses) if depth is None else depth),
        )

    def count(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """(N,): number of views with each point (N, 3), world, in the image and in range.

        Occlusions are unknown: see `looks`.
        """
        counts = np.zeros(len(points), np.int64)
        for start in range(0, len(self.translation), _AT_ONCE):
            counts += self._in_view(points, slice(start, start + _AT_ONCE)).sum(axis=0)
        return counts

    def looks(self, surfaces: Sequence[NDArray[np.float32]]) -> NDArray[np.int64]:
        """(N, 2): numbers of views whose stored depth looked through each surface (M, 3), world,
        and of those that met something there. Neither counts where the view was blocked."""
        found = np.zeros((len(surfaces), 2), np.int64)
        stored = np.flatnonzero([read is not None for read in self.depth])
        able = [row for row, surface in enumerate(surfaces) if len(surface)]
        if not len(stored) or not able:
            return found
        centers = np.array([surfaces[row].mean(axis=0) for row in able], np.float64)
        asked: dict[int, list[int]] = {}
        for row, in_view in zip(able, self._in_view(centers, stored).T, strict=True):
            views = stored[in_view]
            for view in views[:: max(1, -(-len(views) // _MOST_LOOKS))].tolist():
                asked.setdefault(view, []).append(row)
        for view, rows in asked.items():
            depth = self._depth_at(view)
            if depth is not None:
                sights = lines_of_sight([surfaces[row] for row in rows], depth)
                for row, sight in zip(rows, sights, strict=True):
                    found[row] += sight == "through", sight == "there"
        return found

    def _depth_at(self, view: int) -> _StoredDepth | None:
        read = self.depth[view]
        image = None if read is None else read()
        if image is None:
            return None
        pose = Pose(self.rotation[view], self.translation[view])
        return _StoredDepth(image.camera, pose, image.depth_m)

    def _in_view(
        self, points: NDArray[np.float64], rows: slice | NDArray[np.intp]
    ) -> NDArray[np.bool_]:
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
