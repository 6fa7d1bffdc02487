"""What lies in plain sight beside the mask of a thing is not the thing.

A mask takes the wall behind a screen and the table beside a cup with it, and at its border depth is
that of either. Depth there is right, and so no test of depth finds it. Other views do: the same
wall is in plain sight beside the masks of most of them. Sides that few views show are not
contradicted by this, as the others do not see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.types import BoxMask

# A pixel this near to the border of a mask may be of either side.
_BORDER_PX = 1
_KERNEL = np.ones((2 * _BORDER_PX + 1, 2 * _BORDER_PX + 1), np.uint8)
NEAREST_M = 0.1  # before the camera


class Outline(NamedTuple):
    """What a detection covers of its image.

    Attributes:
        box_px: (4,) x0, y0, x1, y1. mask: None: all of the box.
    """

    box_px: NDArray[np.float32]
    mask: BoxMask | None

    def covers(self, u_px: NDArray[np.intp], v_px: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether each pixel (N,), (N,) is in it or at its border."""
        if self.mask is None:
            x0, y0, x1, y1 = self.box_px.tolist()
            covered = (u_px >= x0 - _BORDER_PX) & (u_px <= x1 + _BORDER_PX)
            covered &= (v_px >= y0 - _BORDER_PX) & (v_px <= y1 + _BORDER_PX)
            return covered
        sides = (_BORDER_PX,) * 4
        bits = cv2.copyMakeBorder(self.mask.bits.view(np.uint8), *sides, cv2.BORDER_CONSTANT)
        bits = cv2.dilate(bits, _KERNEL)
        height, width = bits.shape
        column, row = u_px - (self.mask.x_px - _BORDER_PX), v_px - (self.mask.y_px - _BORDER_PX)
        within = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        pixel = np.where(within, row * width + column, 0)
        return np.asarray(within & bits.view(np.bool_).reshape(-1).take(pixel))


def sort_by_outline(
    clouds: Sequence[NDArray[np.float32]],
    within_m: Sequence[float],
    outlines: Sequence[Outline],
    frame: RGBDFrame,
) -> list[tuple[int, NDArray[np.intp]]]:
    """How many points of each cloud (M, 3), world, are in plain sight within its outline, and the
    rows of those in plain sight outside of it.

    Args:
        within_m: of each cloud, how near measured depth is to a point that it shows.
    """
    if not clouds:
        return []
    counts = [len(points) for points in clouds]
    pose, camera = frame.world_T_camera, frame.camera
    points = np.concatenate(clouds) - pose.translation.astype(np.float32)
    x, y, z = pose.rotation.T.astype(np.float32) @ points.T
    in_front = z > NEAREST_M
    safe_m = np.where(in_front, z, np.float32(1.0))
    u_px = np.rint(x / safe_m * np.float32(camera.fx) + np.float32(camera.cx)).astype(np.intp)
    v_px = np.rint(y / safe_m * np.float32(camera.fy) + np.float32(camera.cy)).astype(np.intp)
    height, width = frame.depth_m.shape
    seen = in_front & (u_px >= 0) & (u_px < width) & (v_px >= 0) & (v_px < height)
    depth_m = frame.depth_m.reshape(-1).take(np.where(seen, v_px * width + u_px, 0))
    reach_m = np.repeat(np.array(within_m, np.float32), counts)
    with np.errstate(invalid="ignore"):  # depth may be NaN or infinite
        seen &= (depth_m > 0.0) & (np.abs(depth_m - z) <= reach_m)
    found, start = [], 0
    for count, outline in zip(counts, outlines, strict=True):
        rows = np.flatnonzero(seen[start : start + count])
        covered = outline.covers(u_px[start:][rows], v_px[start:][rows])
        found.append((int(np.count_nonzero(covered)), rows[~covered]))
        start += count
    return found
