"""Scenes in closed form for the tests of perception."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.perception import BoxMask, Detections

FRAME_NS = 33_000_000
CAMERA = PinholeCamera(640, 480, 525.0, 525.0, 319.5, 239.5)

# The camera at the origin looks along world +y: right is +x, up is +z.
LOOKING_ALONG_Y = Pose.from_matrix(
    [(1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)],
)


def render(boxes: list[Box3D], wall_y: float, pose: Pose = LOOKING_ALONG_Y) -> NDArray[np.float32]:
    """Depth (H, W) of axis-aligned boxes before the wall y = wall_y, ray by ray."""
    return depth_and_ids(boxes, wall_y, pose)[0]


def depth_and_ids(
    boxes: list[Box3D], wall_y: float, pose: Pose = LOOKING_ALONG_Y
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """The same with the number of the box that each pixel shows, from 1; 0 for the wall."""
    v, u = np.mgrid[: CAMERA.height, : CAMERA.width]
    rays = np.stack(
        ((u - CAMERA.cx) / CAMERA.fx, (v - CAMERA.cy) / CAMERA.fy, np.ones(u.shape)), axis=-1
    )
    direction, origin = rays @ pose.rotation.T, pose.translation
    depth = (wall_y - origin[1]) / direction[..., 1]
    ids = np.zeros(depth.shape, np.int32)
    for number, box in enumerate(boxes, start=1):
        low, high = box.bounds()
        enter, leave = np.full(depth.shape, -np.inf), np.full(depth.shape, np.inf)
        for axis in range(3):
            with np.errstate(divide="ignore", invalid="ignore"):
                first, second = (
                    (bound[axis] - origin[axis]) / direction[..., axis] for bound in (low, high)
                )
            np.maximum(enter, np.minimum(first, second), out=enter)
            np.minimum(leave, np.maximum(first, second), out=leave)
        hit = (enter < leave) & (enter > 0) & (enter < depth)
        depth[hit], ids[hit] = enter[hit], number
    return depth.astype(np.float32), ids


def depth_of_sphere(
    center: NDArray[np.float64], radius: float, wall_y: float
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Depth (H, W) of a sphere before the wall, seen from the origin along y, and its pixels."""
    v, u = np.mgrid[: CAMERA.height, : CAMERA.width]
    rays = np.stack(
        ((u - CAMERA.cx) / CAMERA.fx, (v - CAMERA.cy) / CAMERA.fy, np.ones(u.shape)), axis=-1
    )
    direction = rays @ LOOKING_ALONG_Y.rotation.T
    square, along = (direction**2).sum(axis=-1), direction @ center
    discriminant = along**2 - square * (center @ center - radius**2)
    hit = discriminant > 0.0
    near = (along - np.sqrt(np.maximum(discriminant, 0.0))) / square
    return np.where(hit, near, wall_y / direction[..., 1]).astype(np.float32), hit


def frame_of(
    depth_m: NDArray[np.float32],
    pose: Pose = LOOKING_ALONG_Y,
    color: tuple[int, int, int] = (0, 0, 0),
    number: int = 0,
) -> RGBDFrame:
    picture = np.empty((*depth_m.shape, 3), np.uint8)
    picture[:] = color
    return RGBDFrame(number, number * FRAME_NS, picture, depth_m, CAMERA, pose)


def detection_of(pixels: NDArray[np.bool_], *, with_mask: bool) -> Detections:
    """A perfect detection of those pixels (H, W)."""
    v, u = np.nonzero(pixels)
    x0, y0, x1, y1 = int(u.min()), int(v.min()), int(u.max()) + 1, int(v.max()) + 1
    mask = BoxMask(x0, y0, pixels[y0:y1, x0:x1].copy()) if with_mask else None
    box = np.array([(x0, y0, x1, y1)], np.float32)
    return Detections(("chair",), np.array([0.9], np.float32), box, (mask,))


def boxes_only(
    boxes_px: list[tuple[float, float, float, float]],
    scores: list[float] | None = None,
    labels: list[str] | None = None,
) -> Detections:
    """Detections without masks."""
    count = len(boxes_px)
    return Detections(
        tuple(labels or ["chair"] * count),
        np.array(scores or [0.9] * count, np.float32),
        np.array(boxes_px, np.float32).reshape(count, 4),
        (None,) * count,
    )
