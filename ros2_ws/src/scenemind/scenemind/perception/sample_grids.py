"""The pixels of a frame's detections that are lifted: a bounded grid of samples in each.

The grids of all detections lie below each other in one small image, the canvas. A frame's samples
are then a few arrays instead of a few for each detection, and what looks at neighbouring samples
is one filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.types import BoxMask, Detections

_SAMPLES = 600  # of one detection, about; more add time but no accuracy
_CELLS = 8000  # of a grid at most: a thin mask may lie in a large rectangle
_EROSION_SHARE = 0.1  # of the shorter side at most, so that small objects survive
_CENTRAL = 0.5  # share of a box's sides that is taken to show the object
_PARTS = 2

_INSIDE, _TRUSTED = 1, 2  # in the canvas; 0 is outside


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The samples of N grids, grid after grid and row after row.

    Attributes:
        owner: (K,) intp, never falling: which grid.
        cell: (K,) intp: position in the flat canvas.
        u_px, v_px: (K,) intp: position in the image.
        trusted: (K,) bool: samples whose depth tells how far away the object is.
        stride_px: (N,) intp: pixels between the samples of a grid.
        canvas_shape: rows and columns of the canvas, in which an empty row lies between grids.
    """

    owner: NDArray[np.intp]
    cell: NDArray[np.intp]
    u_px: NDArray[np.intp]
    v_px: NDArray[np.intp]
    trusted: NDArray[np.bool_]
    stride_px: NDArray[np.intp]
    canvas_shape: tuple[int, int]

    def counts(self) -> NDArray[np.intp]:
        """How many samples each grid has, (N,)."""
        return np.bincount(self.owner, minlength=len(self.stride_px))

    def select(self, rows: NDArray[np.intp], grids: NDArray[np.bool_]) -> Samples:
        """The samples of those rows, rising, which belong to those grids, numbered anew."""
        number = np.cumsum(grids) - 1
        return Samples(
            number.take(self.owner.take(rows)),
            self.cell.take(rows),
            self.u_px.take(rows),
            self.v_px.take(rows),
            self.trusted.take(rows),
            self.stride_px[grids],
            self.canvas_shape,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Every `stride`-th pixel of a rectangle that begins at x, y; cells (h, w) as in the canvas."""

    x_px: int
    y_px: int
    stride: int
    cells: NDArray[np.uint8]


def sample(detections: Detections, rows: Sequence[int], erosion_px: int) -> Samples:
    """Samples of the given detections: the grid of `rows[i]` is number i.

    A mask is sampled but for specks, and trusted where `erosion_px` of its border are taken away.
    (VLM-Grounder, section 3.4, takes the points themselves from the eroded mask, which makes
    every object smaller.) A box without a mask is sampled everywhere and trusted in the middle.
    """
    grids = []
    for row in rows:
        mask = detections.masks[row]
        box_px = detections.boxes_px[row]
        grids.append(_box_grid(box_px) if mask is None else _mask_grid(mask, erosion_px))
    heights = np.array([len(grid.cells) + 1 for grid in grids], np.intp)
    width = max((grid.cells.shape[1] for grid in grids), default=0)
    tops = np.cumsum(heights) - heights
    canvas = np.zeros((int(heights.sum()), width), np.uint8)
    for grid, top in zip(grids, tops.tolist(), strict=True):
        height, columns = grid.cells.shape
        canvas[top : top + height, :columns] = grid.cells
    place = np.array([(g.x_px, g.y_px, g.stride) for g in grids], np.intp).reshape(-1, 3)
    x_px, y_px, stride = np.ascontiguousarray(place.T)

    flat = canvas.reshape(-1)
    cell = np.flatnonzero(flat.view(np.bool_))
    line = cell // max(width, 1)
    owner = np.repeat(np.arange(len(grids)), heights).take(line)
    step = stride.take(owner)
    return Samples(
        owner=owner,
        cell=cell,
        u_px=(cell - line * width) * step + x_px.take(owner),
        v_px=(line - tops.take(owner)) * step + y_px.take(owner),
        trusted=flat.take(cell) == _TRUSTED,
        stride_px=stride,
        canvas_shape=(len(canvas), width),
    )


def _mask_grid(mask: BoxMask, erosion_px: int) -> _Grid:
    bits = mask.bits.view(np.uint8)
    if bits.size == 0:
        return _Grid(mask.x_px, mask.y_px, 1, bits)
    stride = _stride(cv2.countNonZero(bits), bits.size)
    shorter = min(bits.shape)
    first = (min(stride, shorter) - 1) // 2
    kernel = _square(min(erosion_px, int(_EROSION_SHARE * shorter)))
    eroded = cv2.erode(bits, kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    inside = _large_parts(np.ascontiguousarray(bits[first::stride, first::stride]))
    cells = inside + (inside & eroded[first::stride, first::stride])
    return _Grid(mask.x_px + first, mask.y_px + first, stride, cells)


def _box_grid(box_px: NDArray[np.float32]) -> _Grid:
    x0, y0, x1, y1 = box_px.tolist()
    left, top = floor(x0), floor(y0)
    width, height = max(0, ceil(x1) - left), max(0, ceil(y1) - top)
    stride = _stride(width * height, width * height)
    first = max(0, min(stride, width, height) - 1) // 2
    rows, columns = -(-(height - first) // stride), -(-(width - first) // stride)
    cells = np.full((rows, columns), _INSIDE, np.uint8)
    margin_y, margin_x = (int(side * (1.0 - _CENTRAL) / 2.0) for side in (rows, columns))
    cells[margin_y : rows - margin_y, margin_x : columns - margin_x] = _TRUSTED
    return _Grid(left + first, top + first, stride, cells)


def _stride(pixels: int, rectangle: int) -> int:
    return max(1, round(sqrt(pixels / _SAMPLES)), ceil(sqrt(rectangle / _CELLS)))


@lru_cache(maxsize=32)
def _square(radius: int) -> NDArray[np.uint8]:
    return np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)


def _large_parts(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The two largest connected parts.

    What stands before the middle of an object leaves two parts of it; more are mostly specks of
    other things (VLM-Grounder, section 3.4, keeps two as well).
    """
    count, parts = cv2.connectedComponents(bits, ltype=cv2.CV_16U)
    if count - 1 <= _PARTS:  # 0 is what lies between them
        return bits
    sizes = np.bincount(parts.ravel())
    sizes[0] = 0
    kept = np.zeros(count, np.uint8)
    kept[np.argsort(-sizes, kind="stable")[:_PARTS]] = 1
    return kept[parts]
