"""Upright boxes in the world, turned about z only; their overlaps, and the smallest one around
points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenemind.errors import GeometryError

Extent = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Box3D:
    """An upright cuboid in the world frame (z up).

    Attributes:
        center: x, y, z in metres.
        size: length along the box's own x, width along y, height along z, in metres.
        yaw: turn about z in radians; 0 is axis-aligned.
    """

    center: tuple[float, float, float]
    size: tuple[float, float, float]
    yaw: float = 0.0

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (*self.center, *self.size, self.yaw))):
            raise GeometryError(f"a box holds NaN or infinity: {self.center} {self.size}")
        if min(self.size) < 0.0:
            raise GeometryError(f"a box has a negative size: {self.size}")

    def __repr__(self) -> str:
        center, size = (", ".join(f"{x:.3f}" for x in xs) for xs in (self.center, self.size))
        return f"Box3D(center=({center}), size=({size}), yaw={self.yaw:.3f})"

    @classmethod
    def from_bounds(cls, low: ArrayLike, high: ArrayLike) -> Box3D:
        """The axis-aligned box between two corners (3,), metres."""
        lo, hi = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
        return cls(_triple((lo + hi) / 2.0), _triple(hi - lo))

    @property
    def volume(self) -> float:
        return self.size[0] * self.size[1] * self.size[2]

    @property
    def bottom_z(self) -> float:
        return self.center[2] - self.size[2] / 2.0

    @property
    def top_z(self) -> float:
        return self.center[2] + self.size[2] / 2.0

    def footprint(self) -> NDArray[np.float64]:
        """The four corners (4, 2) of the ground rectangle, counter-clockwise from above."""
        dx, dy = self.size[0] / 2.0, self.size[1] / 2.0
        corners = np.array([(-dx, -dy), (dx, -dy), (dx, dy), (-dx, dy)])
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        turned: NDArray[np.float64] = corners @ np.array([(c, s), (-s, c)]) + self.center[:2]
        return turned

    def corners(self) -> NDArray[np.float64]:
        """(8, 3): the bottom rectangle, then the top one, each counter-clockwise."""
        ground = self.footprint()
        low = np.column_stack((ground, np.full(4, self.bottom_z)))
        high = np.column_stack((ground, np.full(4, self.top_z)))
        return np.vstack((low, high))

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest corner (3,), (3,) of the axis-aligned box around this one."""
        extent = np.array(self.extent())
        return extent[:3], extent[3:]

    def extent(self) -> Extent:
        """x0, y0, z0, x1, y1, z1 of the axis-aligned box around this one, metres."""
        (x, y, z), (length, width, height) = self.center, self.size
        c, s = abs(math.cos(self.yaw)), abs(math.sin(self.yaw))
        dx, dy, dz = (c * length + s * width) / 2, (s * length + c * width) / 2, height / 2
        return (x - dx, y - dy, z - dz, x + dx, y + dy, z + dz)

    def contains(self, points: NDArray[np.floating], margin_m: float = 0.0) -> NDArray[np.bool_]:
        """(N,) bool: the points (N, 3) inside the box, grown by a margin on every side."""
        offset = points - np.asarray(self.center)
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        local_x = c * offset[:, 0] + s * offset[:, 1]
        local_y = -s * offset[:, 0] + c * offset[:, 1]
        local = np.abs(np.column_stack((local_x, local_y, offset[:, 2])))
        inside: NDArray[np.bool_] = (local <= np.asarray(self.size) / 2.0 + margin_m).all(axis=1)
        return inside


def gap_m(a: Box3D, b: Box3D) -> float:
    """Shortest distance between the axis-aligned hulls of two boxes; 0 where they touch."""
    return float(gaps_m(*a.bounds(), *b.bounds()))


def gaps_m(
    low_a: NDArray[np.float64],
    high_a: NDArray[np.float64],
    low_b: NDArray[np.float64],
    high_b: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Shortest distances (...) between axis-aligned boxes by their corners; 0 where they touch.

    Corners are (..., 3), or (..., 2) for boxes seen from above, and are broadcast.
    """
    between = np.maximum(0.0, np.maximum(low_b - high_a, low_a - high_b))
    return np.asarray(np.linalg.norm(between, axis=-1))


def turned_gaps_m(box: Box3D, others: Sequence[Box3D]) -> NDArray[np.float64]:
    """Shortest distances (N,) in metres between one upright box and others, exact for any yaw; 0
    where they touch or overlap."""
    n = len(others)
    return turned_pair_gaps_m([*others, box], np.arange(n), np.full(n, n))


def turned_pair_gaps_m(
    boxes: Sequence[Box3D], first: NDArray[np.intp], second: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Shortest distances (N,) in metres between pairs of upright boxes, exact for any yaw; 0 where
    they touch or overlap.

    Args:
        first, second: (N,) numbers of the boxes of each pair.
    """
    if not len(first):
        return np.zeros(0)
    corners, yaw = _footprints(boxes)
    a, b = corners[first], corners[second]
    apart = np.minimum(_corner_gaps(b, a), _corner_gaps(a, b))
    apart[_are_overlapping(a, b, np.stack((yaw[first], yaw[second]), axis=1))] = 0.0
    low, high = (np.array([(o.bottom_z, o.top_z)[end] for o in boxes]) for end in (0, 1))
    above = np.maximum(0.0, np.maximum(low[first] - high[second], low[second] - high[first]))
    return np.asarray(np.hypot(apart, above))


def _footprints(boxes: Sequence[Box3D]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ground rectangles (N, 4, 2) as `Box3D.footprint` has them, and the yaws (N,)."""
    flat = np.array([(*box.center[:2], *box.size[:2], box.yaw) for box in boxes])
    half, yaw = flat[:, 2:4] / 2.0, flat[:, 4]
    c, s = np.cos(yaw), np.sin(yaw)
    local = half[:, None] * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    turns = np.stack((np.stack((c, s), axis=1), np.stack((-s, c), axis=1)), axis=1)
    return local @ turns + flat[:, None, :2], yaw


def _corner_gaps(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least distances (N,) from corners of rectangles (N, 4, 2) to sides of others."""
    start, way = b[:, None], np.roll(b, -1, axis=1)[:, None] - b[:, None]
    offset = a[:, :, None] - start
    length = np.maximum((way * way).sum(axis=-1), 1e-12)
    share = np.clip((offset * way).sum(axis=-1) / length, 0.0, 1.0)
    gaps = np.linalg.norm(offset - share[..., None] * way, axis=-1)
    return np.asarray(gaps.min(axis=(1, 2)))


def _are_overlapping(
    a: NDArray[np.float64], b: NDArray[np.float64], yaws: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """(N,): pairs of rectangles (N, 4, 2) that overlap: no side separates them.

    Args:
        yaws: (N, 2) of both.
    """
    turns = np.concatenate((yaws, yaws + np.pi / 2.0), axis=1)
    axes = np.stack((np.cos(turns), np.sin(turns)), axis=-1)
    seen = np.einsum("nak,nck->nac", axes, a)
    here = np.einsum("nak,nck->nac", axes, b)
    beside = (seen.min(axis=2) > here.max(axis=2)) | (here.min(axis=2) > seen.max(axis=2))
    return np.asarray(~beside.any(axis=1))


def _triple(values: NDArray[np.float64]) -> tuple[float, float, float]:
    return (float(values[0]), float(values[1]), float(values[2]))


def iou_3d(a: Box3D, b: Box3D) -> float:
    """Intersection over union of two upright boxes, exact for any yaw."""
    height = min(a.top_z, b.top_z) - max(a.bottom_z, b.bottom_z)
    if height <= 0.0:
        return 0.0
    shared = footprint_overlap_m2(a, b) * height
    union = a.volume + b.volume - shared
    return float(shared / union) if union > 0.0 else 0.0


def footprint_overlap_m2(a: Box3D, b: Box3D) -> float:
    """Area that two boxes share seen from above."""
    if a.yaw == 0.0 and b.yaw == 0.0:
        side_x = _shared(a.center[0], a.size[0], b.center[0], b.size[0])
        side_y = _shared(a.center[1], a.size[1], b.center[1], b.size[1])
        return side_x * side_y
    return _area(_clip(a.footprint(), b.footprint()))


def iou_matrix_2d(a_px: NDArray[np.floating], b_px: NDArray[np.floating]) -> NDArray[np.float32]:
    """IoU table (N, M) of image boxes (N, 4) and (M, 4), each x0, y0, x1, y1 in pixels."""
    low = np.maximum(a_px[:, None, :2], b_px[None, :, :2])
    high = np.minimum(a_px[:, None, 2:], b_px[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=2)
    area_a = np.prod(a_px[:, 2:] - a_px[:, :2], axis=1)
    area_b = np.prod(b_px[:, 2:] - b_px[:, :2], axis=1)
    union = area_a[:, None] + area_b[None, :] - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0).astype(np.float32)


def _shared(center_a: float, size_a: float, center_b: float, size_b: float) -> float:
    high = min(center_a + size_a / 2.0, center_b + size_b / 2.0)
    low = max(center_a - size_a / 2.0, center_b - size_b / 2.0)
    return max(0.0, high - low)


def _clip(subject: NDArray[np.float64], window: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sutherland-Hodgman: a convex polygon (N, 2) cut by a convex counter-clockwise one."""
    polygon = subject
    for start, end in zip(window, np.roll(window, -1, axis=0), strict=True):
        if len(polygon) == 0:
            break
        edge = end - start
        offset = polygon - start
        side = edge[0] * offset[:, 1] - edge[1] * offset[:, 0]
        kept: list[NDArray[np.float64]] = []
        for i, point in enumerate(polygon):
            j = (i + 1) % len(polygon)
            if side[i] >= 0.0:
                kept.append(point)
            if (side[i] >= 0.0) != (side[j] >= 0.0):
                fraction = side[i] / (side[i] - side[j])
                kept.append(point + fraction * (polygon[j] - point))
        polygon = np.array(kept)
    return polygon


def _area(polygon: NDArray[np.float64]) -> float:
    if len(polygon) < 3:
        return 0.0
    x, y = polygon[:, 0], polygon[:, 1]
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2.0


# A turned rectangle must be this much smaller than the axis-aligned one: around noisy points of
# something that stands along an axis, or is round, some turned one is always a little smaller.
CLEARLY_SMALLER = 0.9


def smallest_upright_box(points: NDArray[np.floating]) -> Box3D:
    """The smallest box turned about z around points (N, 3), N > 0, metres.

    Seen from above it is the rectangle of least area around the convex hull (rotating calipers), or
    the axis-aligned one if no other is clearly smaller. The yaw is within 45 degrees: `size[0]` is
    the side nearer to the world's x.
    """
    columns = np.ascontiguousarray(points.T)  # reduced several times faster than rows
    along = Box3D.from_bounds(columns.min(axis=1), columns.max(axis=1))
    center, sides, degrees = cv2.minAreaRect(points[:, :2].astype(np.float32))
    if sides[0] * sides[1] >= CLEARLY_SMALLER * along.size[0] * along.size[1]:
        return along
    quarter_turns = round(degrees / 90.0)
    length, width = sides if quarter_turns % 2 == 0 else sides[::-1]
    return Box3D(
        (float(center[0]), float(center[1]), along.center[2]),
        (float(length), float(width), along.size[2]),
        math.radians(degrees - 90.0 * quarter_turns),
    )


def turned_box(points: NDArray[np.floating], box: Box3D) -> Box3D:
    """A box with its bottom and top, turned about z to fit its points (N, 3) best; without any the
    box itself."""
    if not len(points):
        return box
    fitted = smallest_upright_box(points)
    (x, y, _), (length, width, _) = fitted.center, fitted.size
    return Box3D((x, y, box.center[2]), (length, width, box.size[2]), fitted.yaw)
