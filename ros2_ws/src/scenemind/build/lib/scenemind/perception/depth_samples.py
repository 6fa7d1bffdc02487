"""Depth of a frame's detections: a grid of samples in each, denoised, and its foreground range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, sqrt
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig
from scenemind.geometry.points import sorted_within, starts_of
from scenemind.perception.types import BoxMask, Detections

_SAMPLES = 600  # samples per detection, about; more add time but no accuracy
_CELLS = 8000  # largest grid: a thin mask may lie in a large rectangle
_EROSION_SHARE = 0.1  # largest erosion over the shorter side, so that small objects survive
_CENTRAL = 0.5  # central share of a box's sides that is assumed to show the object
_PARTS = 2
_INSIDE, _TRUSTED = 1, 2  # in the canvas; 0 is outside
_SIDE = 3  # samples
_FULL = _SIDE * _SIDE
_RAMP = np.array([-1.0, 0.0, 1.0], np.float32)
_FLAT = np.ones(_SIDE, np.float32)
_SPREAD = _SIDE * float(_RAMP @ _RAMP)  # of the positions in a full window, summed squares
_ZEROS = cv2.BORDER_CONSTANT
_SIGNIFICANT = 0.4  # least size of the object's layer, as a share of the largest layer's samples
_DEVIATIONS = 3.0
_MAD_TO_SIGMA = 1.4826


@dataclass(frozen=True, slots=True, eq=False)
class DepthSamples:
    """Samples of N detections: a bounded grid of pixels in each, grid by grid and row by row.

    The grids of all detections are stacked in one small image, the canvas: a frame's samples are a
    few arrays instead of a few for each detection, and operations on neighbouring samples are one
    image filter.

    Attributes:
        owner: (K,) intp, non-decreasing: index of the grid.
        cell: (K,) intp: position in the flat canvas.
        u_px, v_px: (K,) intp: position in the image.
        trusted: (K,) bool: samples that determine the object's range of depths.
        stride_px: (N,) intp: pixels between the samples of a grid.
        canvas_shape: rows and columns of the canvas, with an empty row between grids.
    """

    owner: NDArray[np.intp]
    cell: NDArray[np.intp]
    u_px: NDArray[np.intp]
    v_px: NDArray[np.intp]
    trusted: NDArray[np.bool_]
    stride_px: NDArray[np.intp]
    canvas_shape: tuple[int, int]

    def counts(self, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
        """Number of samples (N,) of each grid, of all or of the chosen ones (K,)."""
        owner = self.owner if chosen is None else self.owner.take(np.flatnonzero(chosen))
        return np.bincount(owner, minlength=len(self.stride_px))

    def select(self, rows: NDArray[np.intp], grids: NDArray[np.bool_]) -> DepthSamples:
        """The samples of increasing rows, all within the given grids, which are renumbered."""
        number = np.cumsum(grids) - 1
        return DepthSamples(
            number.take(self.owner.take(rows)),
            self.cell.take(rows),
            self.u_px.take(rows),
            self.v_px.take(rows),
            self.trusted.take(rows),
            self.stride_px[grids],
            self.canvas_shape,
        )


class _Grid(NamedTuple):
    """Every `stride`-th pixel of a rectangle that begins at x, y; cells (h, w) as in the canvas."""

    x_px: int
    y_px: int
    stride: int
    cells: NDArray[np.uint8]


def sample_grids(detections: Detections, rows: Sequence[int], erosion_px: int) -> DepthSamples:
    """Samples of the given detections: the grid of `rows[i]` is number i.

    A mask is sampled without its small components, and trusted after erosion by `erosion_px`.
    (VLM-Grounder, section 3.4, takes the points themselves from the eroded mask, which shrinks
    every object.) A box without a mask is sampled everywhere and trusted in its centre.
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
    return DepthSamples(
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
    """The two largest connected components.

    An occluder before the centre of an object leaves two; further ones mostly belong to other
    objects (VLM-Grounder, section 3.4, keeps two as well).
    """
    count, parts = cv2.connectedComponents(bits, ltype=cv2.CV_16U)
    if count - 1 <= _PARTS:  # component 0 is the background
        return bits
    sizes = np.bincount(parts.ravel())
    sizes[0] = 0
    kept = np.zeros(count, np.uint8)
    kept[np.argsort(-sizes, kind="stable")[:_PARTS]] = 1
    return kept[parts]


def measured_depth(
    samples: DepthSamples, depth_m: NDArray[np.float32], depth: DepthConfig, edge_ratio: float
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Depth (K,) at the samples, and which of them (K,) are measured and not on a depth edge.

    Next to an edge a sensor mixes foreground and background to flying pixels.

    Args:
        depth_m: (H, W), the image.
        depth: the range that counts as measured.
        edge_ratio: relative depth step between neighbouring pixels that marks an edge.
    """
    height, width = depth_m.shape
    u, v = samples.u_px, samples.v_px
    flat, pixel = depth_m.reshape(-1), v * width + u
    own = flat.take(pixel)
    good = (own >= depth.min_m) & (own <= depth.max_m)  # NaN is neither
    step = np.float32(edge_ratio) * own
    neighbors = (
        pixel - (u > 0),
        pixel + (u < width - 1),
        pixel - width * (v > 0),
        pixel + width * (v < height - 1),
    )
    with np.errstate(invalid="ignore"):  # infinity minus infinity, in invalid pixels
        for neighbor in neighbors:
            there = flat.take(neighbor)
            good &= ~((np.abs(there - own) > step) & (there > 0.0))
    return own, good


def has_neighbors(samples: DepthSamples, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each sample (K,) has at least two kept samples among its neighbours.

    Outliers that pass the edge and range tests are isolated samples, which one filter finds.
    (VLM-Grounder, section 3.4, removes points far from their five nearest neighbours, with a
    search tree for each object.)
    """
    canvas = np.zeros(samples.canvas_shape, np.uint8)
    canvas.reshape(-1)[samples.cell] = kept
    enough: NDArray[np.bool_] = _at(samples, _box_sums(canvas)) >= 3
    return enough


def wiener_filtered(
    depth_m: NDArray[np.float32], samples: DepthSamples, noise_1m_m: float
) -> NDArray[np.float32]:
    """Smoothed depth (K,).

    An adaptive Wiener filter (Lee 1980, "Digital image enhancement and noise filtering by use of
    local statistics") over 3x3 samples: each sample moves towards the mean of its window by the
    share of the window's variance that noise explains. It works on inverse depth, in which a plane
    is affine in the pixel, so that its slope does not count as variance, and in which the noise of
    triangulating cameras is uniform. The noise of thin, distant objects, such as a picture on a
    wall, is several times their thickness. The gain depends on the camera: independent errors of
    pixels shrink to less than half, correlated errors of stereo cameras hardly at all.

    Args:
        depth_m: (K,) of every sample, positive.
        noise_1m_m: standard deviation of the noise at 1 m; it grows with the distance squared.
    """
    inverse = 1.0 / depth_m
    # Relative to one sample of the same object, so that squares keep their precision.
    level = np.zeros(len(samples.stride_px), np.float32)
    level[samples.owner] = inverse
    level = level.take(samples.owner)
    inverse -= level

    shown = np.zeros(samples.canvas_shape, np.uint8)
    shown.reshape(-1)[samples.cell] = 1
    count = _at(samples, _box_sums(shown)).astype(np.float32)
    values = np.zeros((2, *samples.canvas_shape), np.float32)
    for image, of_samples in zip(values, (inverse, inverse * inverse), strict=True):
        image.reshape(-1)[samples.cell] = of_samples
    total, squares = (_at(samples, _box_sums(image)) for image in values)
    mean = np.asarray(total / count, np.float32)
    variance = np.asarray(squares / count - mean * mean, np.float32)
    slope_x = _at(samples, cv2.sepFilter2D(values[0], -1, _RAMP, _FLAT, borderType=_ZEROS))
    slope_y = _at(samples, cv2.sepFilter2D(values[0], -1, _FLAT, _RAMP, borderType=_ZEROS))
    by_slope = (slope_x * slope_x + slope_y * slope_y) * np.float32(1.0 / (_SPREAD * _FULL))
    variance -= np.where(count == _FULL, by_slope, np.float32(0.0))

    noise = np.float32(noise_1m_m**2)
    kept = np.maximum(variance - noise, 0.0) / np.maximum(variance, noise)
    smooth_m: NDArray[np.float32] = 1.0 / (level + mean + kept * (inverse - mean))
    return smooth_m


def _box_sums(image: NDArray[Any]) -> NDArray[Any]:
    return cv2.boxFilter(image, -1, (_SIDE, _SIDE), normalize=False, borderType=_ZEROS)


def _at(samples: DepthSamples, image: NDArray[Any]) -> NDArray[Any]:
    """Of the canvas, the values (K,) at the samples."""
    return image.reshape(-1).take(samples.cell)


def foreground_ranges(
    depth_m: NDArray[np.float32], owner: NDArray[np.integer], count: int, gap_ratio: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Nearest and farthest depth (count,), (count,) of the object within each detection, in metres.

    Depths are split into layers at relative gaps, and the nearest significant layer is the object:
    behind a chair's slats the wall may have as many samples as the chair. Depths far from the
    layer's median, in units of the median absolute deviation, are cut, which trims tails along a
    floor or wall. The range ends half a gap beyond the samples, nearer to this layer than to any
    other.

    Args:
        depth_m: (K,), finite and positive.
        owner: (K,) in [0, count), non-decreasing. An object without depths gets an empty range.
        gap_ratio: smallest gap relative to the depth.
    """
    nearest_m, farthest_m = np.full(count, np.inf, np.float32), np.zeros(count, np.float32)
    if len(depth_m) == 0:
        return nearest_m, farthest_m
    ordered = sorted_within(depth_m, owner)
    start, size = _nearest_layers(ordered, owner, count, gap_ratio)
    found = owner[start]
    median = ordered[start + size // 2]
    own = np.repeat(np.arange(len(start)), size)
    in_layer = np.arange(len(own)) + np.repeat(start - starts_of(size), size)
    off_median = sorted_within(np.abs(ordered[in_layer] - median[own]), own)
    deviation = off_median[starts_of(size) + size // 2]
    reach = _DEVIATIONS * _MAD_TO_SIGMA * deviation + gap_ratio * median
    lowest, highest = ordered[start], ordered[start + size - 1]
    nearest_m[found] = np.maximum(lowest * (1.0 - gap_ratio / 2.0), median - reach)
    farthest_m[found] = np.minimum(highest * (1.0 + gap_ratio / 2.0), median + reach)
    return nearest_m, farthest_m


def _nearest_layers(
    ordered: NDArray[np.float32], owner: NDArray[np.integer], count: int, gap_ratio: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Start and size of the nearest significant layer of each object."""
    begins = np.ones(len(ordered), np.bool_)
    begins[1:] = ordered[1:] > ordered[:-1] * np.float32(1.0 + gap_ratio)
    begins[1:] |= owner[1:] != owner[:-1]
    starts = np.flatnonzero(begins)
    sizes = np.append(starts[1:], len(ordered)) - starts
    of_object = owner[starts]
    largest = np.zeros(count, np.intp)
    np.maximum.at(largest, of_object, sizes)
    significant = sizes >= _SIGNIFICANT * largest[of_object]
    starts, sizes, of_object = starts[significant], sizes[significant], of_object[significant]
    nearest = np.ones(len(starts), np.bool_)
    nearest[1:] = of_object[1:] != of_object[:-1]
    return starts[nearest], sizes[nearest]
