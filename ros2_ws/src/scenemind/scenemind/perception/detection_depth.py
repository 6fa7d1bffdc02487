"""How far away detections are: one robust number each, cheap enough for every frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.types import Detections

_GRID = 9  # sample positions a side


def inverse_median_depth(
    detections: Detections, depth_m: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Inverse of the median depth in each box (N,), in 1/m; 0 where nothing was measured.

    A grid of samples over the box's middle, on the mask where there is one.
    """
    if len(detections) == 0:
        return np.zeros(0)
    height, width = depth_m.shape
    fraction = np.linspace(0.2, 0.8, _GRID)
    low, size = detections.boxes_px[:, :2], detections.boxes_px[:, 2:] - detections.boxes_px[:, :2]
    u = np.clip((low[:, :1] + size[:, :1] * fraction).astype(int), 0, width - 1)
    v = np.clip((low[:, 1:] + size[:, 1:] * fraction).astype(int), 0, height - 1)
    samples = depth_m[v[:, :, None], u[:, None, :]].astype(np.float64)
    usable = np.isfinite(samples) & (samples > 0.0)
    for row, mask in enumerate(detections.masks):
        if mask is not None:
            usable[row] &= _on_mask(mask.bits, v[row] - mask.y_px, u[row] - mask.x_px)
    samples = np.where(usable, samples, np.inf).reshape(len(detections), -1)
    samples.sort(axis=1)
    count = usable.sum(axis=(1, 2))
    median = samples[np.arange(len(samples)), np.maximum(count - 1, 0) // 2]
    return 1.0 / median


def _on_mask(
    bits: NDArray[np.bool_], v: NDArray[np.integer], u: NDArray[np.integer]
) -> NDArray[np.bool_]:
    inside_v, inside_u = (v >= 0) & (v < bits.shape[0]), (u >= 0) & (u < bits.shape[1])
    found = bits[np.ix_(np.where(inside_v, v, 0), np.where(inside_u, u, 0))]
    on_mask: NDArray[np.bool_] = found & inside_v[:, None] & inside_u[None, :]
    return on_mask
