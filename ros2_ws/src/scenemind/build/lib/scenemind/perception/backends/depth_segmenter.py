"""Segmentation of boxes without a model, by depth, colour and the planes around each box."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.depth_samples import foreground_ranges
from scenemind.perception.types import BoxMask, PerceptionError, cut_mask

_MARGIN = 0.15  # of the box's sides
_LEAST_MARGIN_PX = 8
_CELLS = 10_000
_LIGHTNESS_BINS, _CHROMA_BINS = 8, 32  # chroma spans a small part of its scale
_BINS = _LIGHTNESS_BINS * _CHROMA_BINS**2
# Least frequency outside of the box relative to inside, each among the candidates there.
_LEAST_RATIO = 0.5
_MOST_PLANES = 3
_LEAST_SHARE = 0.12  # share of the measured surroundings on a plane
_LEAST_POINTS = 12
_MOST_POINTS = 400
_HYPOTHESES = 60
# Largest distance of a plane's points: its roughness, and stereo noise at 1 m.
_ROUGHNESS_M, _NOISE_1M_M = 0.01, 0.004
_GAP_RATIO = 0.2  # relative gap between layers of depth; parts of one object have gaps too
_JUMP_RATIO = 0.03  # relative depth step between neighbouring samples of different objects
_FLAT = 0.06  # share of a box's samples that stand out, below which the object is itself flat
_REACHES_OUT = 0.05  # samples at the window's frame over a part's size: it extends beyond
_LEAST_LEFT = 0.1  # least share of a box that remains without parts that extend beyond
_SMALLEST_PART = 0.2  # smallest part kept, as a share of the largest


class DepthSegmenter:
    """A `Segmenter` without a model, for machines without SAM.

    Everything that extends beyond the box is removed: planes with the colours of the surroundings
    (the floor, the table under a cup), and occluders that reach beyond the window. The nearest
    layer of depth of the rest is the object (`foreground_ranges`).
    """

    name = "depth and colour, without a model"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`; None where no pixel of a box has depth."""
        check_boxes(boxes_px)
        step = depth_step_px(frame.depth_m) if len(boxes_px) else 1
        return tuple(_cut_out(BoxWindow.around(frame, box, step)) for box in boxes_px)


def _cut_out(window: BoxWindow) -> BoxMask | None:
    measured = window.depth_m > 0.0
    inside = measured & window.in_box
    if not inside.any():
        return None
    stands_out = measured & ~_is_surroundings(window)
    if np.count_nonzero(stands_out & inside) < _FLAT * np.count_nonzero(inside):
        stands_out = measured  # a flat object, such as a picture or a rug: the whole box
    own = _without_occluders(window, stands_out) & window.in_box
    cells = _large_parts(_nearest_layer(window.depth_m, own))
    return window.mask(_with_holes_filled(cells, measured) & window.in_box)


def _is_surroundings(window: BoxWindow) -> NDArray[np.bool_]:
    on_plane = on_surrounding_planes(window)
    same_colors = surrounding_colors(window, on_plane)
    smooth = cv2.medianBlur(same_colors.astype(np.uint8), 5).view(np.bool_)
    surroundings: NDArray[np.bool_] = on_plane & (smooth | ~window.in_box)
    return surroundings


def _without_occluders(window: BoxWindow, stands_out: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The samples without parts that extend beyond the window; all where little else is left."""
    smooth = stands_out & ~_at_jumps(window.depth_m)
    count, parts, stats, _ = cv2.connectedComponentsWithStats(
        smooth.astype(np.uint8), connectivity=4
    )
    at_frame = np.bincount(parts[window.frame], minlength=count)
    goes_on = at_frame > _REACHES_OUT * np.sqrt(stats[:, cv2.CC_STAT_AREA])
    goes_on[0] = False  # the background
    left: NDArray[np.bool_] = stands_out & ~goes_on[parts]
    enough = _LEAST_LEFT * np.count_nonzero(stands_out & window.in_box)
    return left if np.count_nonzero(left & smooth & window.in_box) > enough else stands_out


def _at_jumps(depth_m: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(h, w) bool: the far side of each depth step, and samples next to unmeasured ones."""
    jumps = np.zeros(depth_m.shape, np.bool_)
    for axis in (0, 1):
        near, far = (np.moveaxis(depth_m, axis, 0)[part] for part in (slice(-1), slice(1, None)))
        step = np.abs(far - near) > _JUMP_RATIO * np.maximum(far, near)
        moved = np.moveaxis(jumps, axis, 0)
        moved[1:] |= step & (far > near)
        moved[:-1] |= step & (near > far)
    return jumps


def _nearest_layer(depth_m: NDArray[np.float32], own: NDArray[np.bool_]) -> NDArray[np.bool_]:
    depths = depth_m[own]
    nearest_m, farthest_m = foreground_ranges(depths, np.zeros(len(depths), np.intp), 1, _GAP_RATIO)
    layer = own & (depth_m >= nearest_m[0]) & (depth_m <= farthest_m[0])
    closed = cv2.morphologyEx(layer.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    return closed.view(np.bool_)


def _with_holes_filled(cells: NDArray[np.bool_], measured: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells with unmeasured samples, such as screens, set as their nearest measured sample is."""
    _, nearest = cv2.distanceTransformWithLabels(
        (~measured).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    of_label = np.zeros(int(nearest.max()) + 1, np.bool_)
    of_label[nearest[measured]] = cells[measured]
    return of_label[nearest]


def _large_parts(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The large connected components: an occluder may split an object, small ones are specks."""
    _, parts, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8))
    sizes = stats[:, cv2.CC_STAT_AREA].copy()
    sizes[0] = 0
    large: NDArray[np.bool_] = (sizes >= _SMALLEST_PART * sizes.max())[parts] & cells
    return large


def check_boxes(boxes_px: NDArray[np.floating]) -> None:
    """Check boxes to segment.

    Raises:
        PerceptionError: not (N, 4) finite numbers.
    """
    if boxes_px.ndim != 2 or boxes_px.shape[1] != 4 or not np.isfinite(boxes_px).all():
        raise PerceptionError(
            f"boxes to cut out are (N, 4) finite numbers x0, y0, x1, y1, not {boxes_px.tolist()}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class BoxWindow:
    """Samples (h, w) of a box and a margin around it, at every `step_px`-th pixel.

    Attributes:
        x_px, y_px: image position of the first sample.
        image_size: width and height.
        depth_m: (h, w) float32; 0: not measured.
        color: (h, w, 3) uint8, RGB.
        points: (h, w, 3) float32, camera frame, metres.
        in_box: (h, w) bool.
        frame: (h, w) bool, the outermost samples except at the image border: objects there extend
            beyond the window.
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
        """The window of a box.

        Args:
            box_px: (4,) x0, y0, x1, y1.
            depth_step: pixels between depth samples, in both directions.
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
        """The mask of cells (h, w) at the image's resolution; None where none is set."""
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
    """Spacing in pixels of the measured depths of an image (H, W).

    1 for dense depth, n where it was stored at every n-th pixel of every n-th row only.
    """
    measured = depth_m > 0.0
    rows, columns = np.flatnonzero(measured.any(1)), np.flatnonzero(measured.any(0))
    return max(1, int(np.gcd.reduce(np.concatenate((rows, columns)), initial=0)))


def surrounding_colors(window: BoxWindow, candidates: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(h, w) bool: samples whose colour is about as frequent outside of the box as inside.

    Colours of an object among the candidates, such as a book on a table, occur in the box only.

    Args:
        candidates: (h, w) bool, samples that may be surroundings by their place.
    """
    code = _color_codes(window.color)
    outside = np.bincount(code[candidates & ~window.in_box], minlength=_BINS)
    inside = np.bincount(code[candidates & window.in_box], minlength=_BINS)
    often = outside * float(inside.sum()) > _LEAST_RATIO * inside * float(outside.sum())
    found: NDArray[np.bool_] = often[code]
    return found


def _color_codes(color: NDArray[np.uint8]) -> NDArray[np.intp]:
    """(h, w) bins of the colours in CIELAB, whose distances are perceptually uniform."""
    lab = cv2.cvtColor(color, cv2.COLOR_RGB2LAB).astype(np.intp)
    lightness, a, b = lab[..., 0] * _LIGHTNESS_BINS, lab[..., 1], lab[..., 2]
    code: NDArray[np.intp] = ((lightness >> 8) * _CHROMA_BINS + (a * _CHROMA_BINS >> 8)) * (
        _CHROMA_BINS
    ) + (b * _CHROMA_BINS >> 8)
    return code


def on_surrounding_planes(window: BoxWindow) -> NDArray[np.bool_]:
    """(h, w) bool: samples on the main planes of the surroundings, connected with these.

    Planes are found by RANSAC (Fischler and Bolles 1981) with a fixed seed.
    """
    measured = window.depth_m > 0.0
    around = measured & ~window.in_box
    on_plane = np.zeros(measured.shape, np.bool_)
    for normal, offset_m in _planes(_thinned(window.points[around])):
        near = measured & _is_on_plane(window.points, normal, offset_m)
        _, parts = cv2.connectedComponents(near.astype(np.uint8))
        goes_on = np.zeros(int(parts.max()) + 1, np.bool_)
        goes_on[parts[around & near]] = True
        on_plane |= near & goes_on[parts]
    return on_plane


def _planes(points: NDArray[np.float32]) -> list[tuple[NDArray[np.float32], float]]:
    """Normals and offsets of planes, the largest first."""
    generator = np.random.default_rng(0)
    least = max(_LEAST_POINTS, _LEAST_SHARE * len(points))
    found: list[tuple[NDArray[np.float32], float]] = []
    while len(points) >= least and len(found) < _MOST_PLANES:
        best = _largest_plane_points(points, generator)
        if best is None or np.count_nonzero(best) < least:
            break
        normal, offset_m = _fitted(points[best])
        found.append((normal, offset_m))
        points = points[~_is_on_plane(points, normal, offset_m)]
    return found


def _largest_plane_points(
    points: NDArray[np.float32], generator: np.random.Generator
) -> NDArray[np.bool_] | None:
    """(K,) bool: points near the best plane through three of them; None without a plane."""
    a, b, c = points[generator.integers(0, len(points), (3, _HYPOTHESES))]
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    real = lengths > 1e-6
    if not real.any():
        return None
    normals = normals[real] / lengths[real, None]
    offsets_m = (normals * a[real]).sum(axis=1)
    near = np.abs(points @ normals.T - offsets_m) < _tolerance_m(points)[:, None]
    best: NDArray[np.bool_] = near[:, np.argmax(near.sum(axis=0))]
    return best


def _fitted(points: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
    center = points.mean(axis=0)
    normal = np.linalg.svd(points - center, full_matrices=False)[2][2]
    return normal, float(normal @ center)


def _is_on_plane(
    points: NDArray[np.float32], normal: NDArray[np.float32], offset_m: float
) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = np.abs(points @ normal - offset_m) < _tolerance_m(points)
    return near


def _tolerance_m(points: NDArray[np.float32]) -> NDArray[np.float32]:
    reach: NDArray[np.float32] = _ROUGHNESS_M + _NOISE_1M_M * points[..., 2] ** 2
    return reach


def _thinned(points: NDArray[np.float32]) -> NDArray[np.float32]:
    if len(points) <= _MOST_POINTS:
        return points
    return points[np.random.default_rng(0).choice(len(points), _MOST_POINTS, replace=False)]
