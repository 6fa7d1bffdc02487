"""A detection's part of the depth image, sampled on a grid of bounded size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig, LiftingConfig
from scenemind.perception.types import BoxMask

Scalar = TypeVar("Scalar", bound=np.generic)

_MAX_SAMPLES = 600  # of one detection; more adds time but no accuracy
_EROSION_SHARE = 0.1  # of the shorter side at most, so that small objects survive
_SMALL_PART = 0.25  # mask parts below this share of the largest are specks of other objects
_CENTRAL = 0.5  # share of a box's sides that is taken to show the object


@dataclass(frozen=True, slots=True, eq=False)
class PixelGrid:
    """Every `stride`-th pixel of a rectangle, and which of them belong to the object.

    Attributes:
        x_px, y_px: image position of the first sample.
        stride: pixels between samples.
        inside: (h, w) bool.
        trusted: (h, w) bool: samples whose depth tells how far away the object is.
    """

    x_px: int
    y_px: int
    stride: int
    inside: NDArray[np.bool_]
    trusted: NDArray[np.bool_]

    def window(self, image: NDArray[Scalar], shift_x: int = 0, shift_y: int = 0) -> NDArray[Scalar]:
        """The samples (h, w, ...) of an image, a view; shifted by so many pixels."""
        height, width = self.inside.shape
        x, y, step = self.x_px + shift_x, self.y_px + shift_y, self.stride
        return image[y : y + (height - 1) * step + 1 : step, x : x + (width - 1) * step + 1 : step]


def mask_grid(mask: BoxMask, erosion_px: int) -> PixelGrid | None:
    """Samples of a mask without its specks, trusted where the mask is eroded; None if empty."""
    bits = mask.bits.view(np.uint8)
    count = cv2.countNonZero(bits)
    if count == 0:
        return None
    radius = min(erosion_px, int(_EROSION_SHARE * min(bits.shape)))
    kernel = np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)
    eroded = cv2.erode(bits, kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    stride = max(1, round((count / _MAX_SAMPLES) ** 0.5))
    first = (min(stride, *bits.shape) - 1) // 2
    inside = _large_parts(np.ascontiguousarray(bits[first::stride, first::stride]))
    trusted = inside & eroded[first::stride, first::stride].view(np.bool_)
    return PixelGrid(mask.x_px + first, mask.y_px + first, stride, inside, trusted)


def box_grid(box_px: NDArray[np.float32]) -> PixelGrid | None:
    """Samples of a box without a mask; its central part is trusted."""
    x0, y0 = np.floor(box_px[:2]).astype(int)
    x1, y1 = np.ceil(box_px[2:]).astype(int)
    if x1 <= x0 or y1 <= y0:
        return None
    stride = max(1, round(((x1 - x0) * (y1 - y0) / _MAX_SAMPLES) ** 0.5))
    first = (min(stride, x1 - x0, y1 - y0) - 1) // 2
    height, width = -(-(y1 - y0 - first) // stride), -(-(x1 - x0 - first) // stride)
    trusted = np.zeros((height, width), dtype=np.bool_)
    margin_y, margin_x = (int(side * (1.0 - _CENTRAL) / 2.0) for side in (height, width))
    trusted[margin_y : height - margin_y, margin_x : width - margin_x] = True
    inside = np.ones((height, width), dtype=np.bool_)
    return PixelGrid(int(x0) + first, int(y0) + first, stride, inside, trusted)


def measured_depth(
    grid: PixelGrid, padded_m: NDArray[np.float32], lifting: LiftingConfig, depth: DepthConfig
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Depth at the samples (h, w), and which of them are measured and not on an edge.

    Next to a depth edge a sensor mixes foreground and background: pixels that fly between both.

    Args:
        grid: the samples.
        padded_m: the depth image with one pixel more on every side.
        lifting, depth: the relative step that makes an edge; the range that counts as measured.
    """
    depth_m = grid.window(padded_m, 1, 1)
    good = (depth_m >= depth.min_m) & (depth_m <= depth.max_m)  # NaN is neither
    step = lifting.edge_ratio * depth_m
    with np.errstate(invalid="ignore"):  # infinity minus infinity, in pixels that do not count
        for shift_x, shift_y in ((0, 1), (2, 1), (1, 0), (1, 2)):
            neighbor = grid.window(padded_m, shift_x, shift_y)
            good &= ~((np.abs(neighbor - depth_m) > step) & (neighbor > 0.0))
    return depth_m, good


def drop_isolated(kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without samples (h, w) that have fewer than two kept ones around them."""
    around = cv2.boxFilter(
        kept.view(np.uint8), cv2.CV_16U, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    return kept & (around >= 3)


def _large_parts(bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
    count, parts = cv2.connectedComponents(bits)
    if count <= 2:
        return bits.view(np.bool_)
    sizes = np.bincount(parts.ravel())
    large = sizes >= _SMALL_PART * sizes[1:].max()
    large[0] = False
    kept: NDArray[np.bool_] = large[parts]
    return kept
