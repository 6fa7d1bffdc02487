"""A wall with a block before it, seen by cameras whose depth is computed exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask

CAMERA = PinholeCamera(320, 240, 260.0, 260.0, 159.5, 119.5)
BLOCK = Box3D((2.0, 0.0, 0.5), (0.4, 0.6, 0.5))
WALL_X_M = 4.0


def looking(x: float, y: float, z: float) -> Pose:
    """A camera there, upright, that looks at the block."""
    eye = np.array([x, y, z])
    forward = BLOCK.center - eye
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    return Pose(np.column_stack((right, np.cross(forward, right), forward)), eye)


def film(pose: Pose, every_px: int = 1) -> tuple[DepthImage, BoxMask]:
    """Depth of every n-th pixel of block and wall, and the block's mask in full resolution."""
    full, on_block = _cast(pose)
    rows, columns = np.flatnonzero(on_block.any(1)), np.flatnonzero(on_block.any(0))
    mask = BoxMask(
        int(columns[0]),
        int(rows[0]),
        on_block[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1],
    )
    depth_m = np.ascontiguousarray(full[::every_px, ::every_px])
    return DepthImage(depth_m, every_px, CAMERA.subsampled(every_px)), mask


def _cast(pose: Pose) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """(H, W) depth and whether it is the block's: slabs, ray by ray."""
    v, u = np.mgrid[0 : CAMERA.height, 0 : CAMERA.width]
    local = np.stack(
        ((u - CAMERA.cx) / CAMERA.fx, (v - CAMERA.cy) / CAMERA.fy, np.ones(u.shape)), axis=-1
    )
    ray = local @ pose.rotation.T
    low, high = BLOCK.bounds()
    with np.errstate(divide="ignore"):
        a, b = (low - pose.translation) / ray, (high - pose.translation) / ray
        wall = (WALL_X_M - pose.translation[0]) / ray[..., 0]
    enter, leave = np.minimum(a, b).max(axis=-1), np.maximum(a, b).min(axis=-1)
    on_block = (enter < leave) & (enter > 0)
    depth = np.where(on_block, enter, np.where(wall > 0, wall, 0.0))
    return depth.astype(np.float32), on_block
