"""How far away detections are: one robust number each, cheap enough for every frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.types import BoxMask, Detections

_GRID = 8  # sample positions a side
_FRACTION = np.linspace(0.2, 0.8, _GRID)  # of the box, where samples lie
_FEWEST = 4  # samples on a mask, below which it needs its own


def inverse_median_depth(
    detections: Detections, depth_m: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Inverse of the median depth in each box (N,), in 1/m; 0 where nothing was measured.

    A grid of samples over the box's middle, on the mask where there is one. Masks that the grid
    misses, of things with holes or mostly hidden ones, are sampled on their own pixels.
    """
    count = len(detections)
    if count == 0:
        return np.zeros(0)
    height, width = depth_m.shape
    low = detections.boxes_px[:, :2]
    size = detections.boxes_px[:, 2:] - low
    u = (low[:, :1] + size[:, :1] * _FRACTION).astype(np.intp).clip(0, width - 1)
    v = (low[:, 1:] + size[:, 1:] * _FRACTION).astype(np.intp).clip(0, height - 1)
    samples = depth_m[v[:, :, None], u[:, None, :]].reshape(count, -1)
    masked = [row for row, mask in enumerate(detections.masks) if mask is not None]
    if masked:
        masks = [mask for mask in detections.masks if mask is not None]
        on_mask = _on_masks(masks, v[masked], u[masked])
        samples[masked] *= on_mask
        for index in np.flatnonzero(np.count_nonzero(on_mask, axis=1) < _FEWEST):
            samples[masked[index]] = _of_mask(masks[index], depth_m)
    # What is no depth goes to the end of the order; comparing with NaN is false.
    samples[~(samples > 0.0)] = np.inf
    samples.sort(axis=1)
    measured = np.count_nonzero(np.isfinite(samples), axis=1)
    median = samples[np.arange(count), np.maximum(measured - 1, 0) // 2]
    return 1.0 / median.astype(np.float64)


def _on_masks(masks: list[BoxMask], v: NDArray[np.intp], u: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(K, _GRID ** 2): where each mask is set at its rows v and columns u of the image."""
    place = np.array([(mask.y_px, mask.x_px, *mask.bits.shape) for mask in masks], dtype=np.intp)
    top, left, height, width = place.T[:, :, None]
    v, u = v - top, u - left
    inside = ((v >= 0) & (v < height))[:, :, None] & ((u >= 0) & (u < width))[:, None, :]
    pixels = (v * width)[:, :, None] + u[:, None, :]
    on_mask = np.empty((len(masks), _GRID * _GRID), dtype=np.bool_)
    for row, mask in enumerate(masks):
        mask.bits.take(pixels[row].ravel(), mode="clip", out=on_mask[row])
    return on_mask & inside.reshape(len(masks), -1)


def _of_mask(mask: BoxMask, depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """(_GRID ** 2,) depths spread over a mask, 0 where it has too few pixels."""
    samples = np.zeros(_GRID * _GRID, dtype=np.float32)
    pixels = np.flatnonzero(mask.bits)
    if len(pixels) > 0:
        chosen = pixels[:: -(-len(pixels) // len(samples))]
        v, u = np.divmod(chosen, mask.bits.shape[1])
        samples[: len(chosen)] = depth_m[mask.y_px + v, mask.x_px + u]
    return samples
