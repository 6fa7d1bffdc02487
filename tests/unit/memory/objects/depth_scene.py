"""Exact depth images of cuboids before a wall, seen by a camera that looks along x."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.perception.types import Observation
from tests.unit.memory.things import observe

CAMERA = PinholeCamera(160, 120, 120.0, 120.0, 79.5, 59.5)
WALL_X_M = 4.0
_ALONG_X = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


def look_along_x(y_m: float, z_m: float = 1.0) -> Pose:
    return Pose(_ALONG_X, np.array((0.0, y_m, z_m)))


def depth_of(boxes: Sequence[Box3D], world_T_camera: Pose) -> NDArray[np.float32]:
    """(H, W): the nearest of the wall and the boxes, by the slab method."""
    v, u = np.indices((CAMERA.height, CAMERA.width), dtype=np.float64)
    rays = np.stack(((u - CAMERA.cx) / CAMERA.fx, (v - CAMERA.cy) / CAMERA.fy, np.ones_like(u)), -1)
    rays = rays @ world_T_camera.rotation.T
    start = world_T_camera.translation
    depth = np.full(u.shape, WALL_X_M - start[0])
    for box in boxes:
        low, high = box.bounds()
        enter, leave = np.full(u.shape, -np.inf), np.full(u.shape, np.inf)
        for axis in range(3):
            with np.errstate(divide="ignore"):
                a, b = ((end[axis] - start[axis]) / rays[..., axis] for end in (low, high))
            np.maximum(enter, np.minimum(a, b), out=enter)
            np.minimum(leave, np.maximum(a, b), out=leave)
        depth = np.where((enter <= leave) & (enter > 0.0), np.minimum(depth, enter), depth)
    return depth.astype(np.float32)


def frame_of(
    boxes: Sequence[Box3D], number: int, y_m: float, pose_error_m: float = 0.0
) -> RGBDFrame:
    """A frame whose pose is wrong along y by a given distance."""
    return RGBDFrame(
        number=number,
        stamp_ns=number * 100_000_000,
        color=np.zeros((CAMERA.height, CAMERA.width, 3), np.uint8),
        depth_m=depth_of(boxes, look_along_x(y_m)),
        camera=CAMERA,
        world_T_camera=look_along_x(y_m + pose_error_m),
    )


def observe_box(box: Box3D, **details: object) -> Observation:
    return observe(box.center, box.size, **details)  # type: ignore[arg-type]
