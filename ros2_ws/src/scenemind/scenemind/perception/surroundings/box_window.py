"""A box in an image with a margin around it, at a bounded number of samples."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.cut_mask import cut_mask
from scenemind.perception.types import BoxMask

_MARGIN = 0.15  # of the box's sides
_LEAST_MARGIN_PX = 8
_CELLS = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class BoxWindow:
    """Every `step_px`-th pixel of the box and its surroundings, h rows of w.

    Attributes:
        x_px, y_px: image position of the first sample.
        image_size: width and height.
        depth_m: (h, w) float32; 0: not measured.
        color: (h, w, 3) uint8, RGB.
        points: (h, w, 3) float32, camera frame, metres.
        in_box: (h, w) bool.
        frame: (h, w) bool, the outermost samples but those at the border of the image: what is
            there goes on outside of the window.
    """

    x_px: int
    y_px: int
    step_px: int
    image_size: tuple[int, int]
    depth_m: NDArray[np.float32]
    color: NDArray[np.uint8]
    points: NDArray[np.float32]
    in_box: NDArray[np.bool_]
    frame: NDArray[np.bool_]

    @classmethod
    def around(cls, frame: RGBDFrame, box_px: NDArray[np.floating], depth_step: int) -> BoxWindow:
        """
        Args:
            box_px: (4,) x0, y0, x1, y1.
            depth_step: only every so-many-th pixel of every so-many-th row has depth.
        """
        size = np.array((frame.camera.width, frame.camera.height))
        low, high = np.clip(box_px.reshape(2, 2), 0.0, size)
        margin = np.maximum(_MARGIN * (high - low), max(_LEAST_MARGIN_PX, 2 * depth_step))
        first = np.maximum(np.floor((low - margin) / depth_step), 0).astype(int) * depth_step
        last = np.minimum(np.ceil(high + margin), size).astype(int)
        pixels = float(np.prod(np.maximum(last - first, 1))) / depth_step**2
        step = depth_step * max(1, ceil(sqrt(pixels / _CELLS)))
        (x, y), (end_x, end_y) = first.tolist(), last.tolist()
        u, v = np.arange(x, end_x, step), np.arange(y, end_y, step)
        depth_m = np.ascontiguousarray(frame.depth_m[y:end_y:step, x:end_x:step])
        grid_u, grid_v = (
            np.broadcast_to(u, depth_m.shape),
            np.broadcast_to(v[:, None], depth_m.shape),
        )
        in_columns, in_rows = ((low[a] <= p) & (p < high[a]) for a, p in enumerate((u, v)))
        outermost = np.zeros(depth_m.shape, np.bool_)
        outermost[:, :1] |= x > 0
        outermost[:1] |= y > 0
        outermost[:, -1:] |= end_x < size[0]
        outermost[-1:] |= end_y < size[1]
        return cls(
            x,
            y,
            step,
            (frame.camera.width, frame.camera.height),
            depth_m,
            np.ascontiguousarray(frame.color[y:end_y:step, x:end_x:step]),
            frame.camera.unproject(grid_u, grid_v, depth_m),
            in_rows[:, None] & in_columns,
            outermost,
        )

    def mask(self, cells: NDArray[np.bool_]) -> BoxMask | None:
        """At the image's resolution, cut to what is set of (h, w); None where nothing is."""
        step, bits = self.step_px, cells
        x, y = self.x_px, self.y_px
        if step > 1:  # a sample stands for the pixels around it
            rows, columns = cells.shape
            shares = cells.astype(np.float32)
            size = (columns * step, rows * step)
            bits = cv2.resize(shares, size, interpolation=cv2.INTER_LINEAR) >= 0.5
            x, y = x - (step - 1) // 2, y - (step - 1) // 2
        bits = bits[max(0, -y) : self.image_size[1] - y, max(0, -x) : self.image_size[0] - x]
        x, y = max(x, 0), max(y, 0)
        return cut_mask(bits, x, y)


def depth_step_px(depth_m: NDArray[np.float32]) -> int:
    """How far apart the pixels of an image (H, W) are that have depth: 1 where all may have it,
    n where it was stored of every n-th pixel of every n-th row alone."""
    measured = depth_m > 0.0
    rows, columns = np.flatnonzero(measured.any(1)), np.flatnonzero(measured.any(0))
    return max(1, int(np.gcd.reduce(np.concatenate((rows, columns)), initial=0)))
