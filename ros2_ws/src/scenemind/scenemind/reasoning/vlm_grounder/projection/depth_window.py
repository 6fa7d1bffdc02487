"""The part of a depth image that a mask lies in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask


@dataclass(frozen=True, slots=True, eq=False)
class DepthWindow:
    """Arrays are (h, w), one entry a depth pixel.

    Attributes:
        x_px, y_px: of its first pixel in the depth image.
        inside: bool: the mask.
        depth_m: float32, a view; 0: not measured.
        wide_m: depth with a pixel more on each side, where the image has one. inner: where
            `depth_m` lies in it.
        camera: of the depth image.
    """

    x_px: int
    y_px: int
    inside: NDArray[np.bool_]
    depth_m: NDArray[np.float32]
    wide_m: NDArray[np.float32]
    inner: tuple[slice, slice]
    camera: PinholeCamera
    _bits: tuple[slice, slice]

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Bool; NaN is not."""
        known: NDArray[np.bool_] = self.depth_m > 0.0
        return known

    def of(self, bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Bits in the mask's rectangle of the colour image, at the depth pixels."""
        return bits[self._bits]

    def world_points(
        self,
        rows: NDArray[np.integer],
        columns: NDArray[np.integer],
        depth_m: NDArray[np.float32],
        world_T_camera: Pose,
    ) -> NDArray[np.float32]:
        """(M, 3) of pixels of the window (M,), (M,) with depth (M,)."""
        points = self.camera.unproject(columns + self.x_px, rows + self.y_px, depth_m)
        return np.asarray(world_T_camera.transform(points), np.float32)


def depth_window(mask: BoxMask, depth: DepthImage) -> DepthWindow:
    """Where every n-th pixel's depth is known, every n-th pixel of the mask is looked at."""
    every = depth.every_px
    height, width = depth.depth_m.shape
    x0, y0 = -(-max(mask.x_px, 0) // every), -(-max(mask.y_px, 0) // every)
    rows, columns = mask.bits.shape
    x1 = max(x0, min(width, -(-(mask.x_px + columns) // every)))
    y1 = max(y0, min(height, -(-(mask.y_px + rows) // every)))
    bits = (
        slice(y0 * every - mask.y_px, max(0, y1 * every - mask.y_px), every),
        slice(x0 * every - mask.x_px, max(0, x1 * every - mask.x_px), every),
    )
    top, left = min(y0, 1), min(x0, 1)
    wide = depth.depth_m[y0 - top : y1 + 1, x0 - left : x1 + 1]
    wide = np.where(wide > 0.0, wide, np.float32(0.0))  # NaN is not measured either
    inner = (slice(top, top + y1 - y0), slice(left, left + x1 - x0))
    return DepthWindow(x0, y0, mask.bits[bits], wide[inner], wide, inner, depth.camera, bits)
