"""Points on surfaces with their normals, from a sample of frames."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import SensorFrame
from scenemind.geometry import PinholeCamera

_STRIDE = 6  # pixels between samples: wide enough for a normal despite noise
_SMOOTH = 5  # median filter, pixels
_FLAT = 0.06  # relative depth step within a surface
_FARTHEST_M = 6.0


def surface_points(
    frames: Iterable[SensorFrame], camera: PinholeCamera
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Points and unit normals (N, 3), (N, 3), world; depth is aligned to `camera`."""
    parts = [_of_frame(frame, camera) for frame in frames]
    if not parts:
        return np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)
    points, normals = zip(*parts, strict=True)
    return np.concatenate(points), np.concatenate(normals)


def _of_frame(
    frame: SensorFrame, camera: PinholeCamera
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    depth_m = cv2.medianBlur(frame.depth_m, _SMOOTH)[::_STRIDE, ::_STRIDE]
    v, u = np.mgrid[0 : frame.depth_m.shape[0] : _STRIDE, 0 : frame.depth_m.shape[1] : _STRIDE]
    grid = camera.unproject(u, v, depth_m)
    across, along = grid[:-1, 1:] - grid[:-1, :-1], grid[1:, :-1] - grid[:-1, :-1]
    normals = np.cross(across, along)
    length = np.linalg.norm(normals, axis=-1)
    z = depth_m[:-1, :-1]
    step = np.maximum(np.abs(across[..., 2]), np.abs(along[..., 2]))
    good = (z > 0) & (z < _FARTHEST_M) & (step < _FLAT * z) & (length > 0)
    turn = frame.world_T_camera.rotation.astype(np.float32)
    points = frame.world_T_camera.transform(grid[:-1, :-1][good]).astype(np.float32)
    return points, (normals[good] / length[good, None]) @ turn.T
