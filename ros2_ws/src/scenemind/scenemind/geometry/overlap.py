"""How much boxes overlap: exact for pairs in the world, vectorised for image boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry.box import Box3D


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
