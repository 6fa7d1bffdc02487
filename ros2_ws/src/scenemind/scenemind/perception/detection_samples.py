"""Pixels that stand for a detection: a few dozen of its own, cheap enough for every frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.types import BoxMask, Detections

_GRID = 8  # positions a side
_COUNT = _GRID * _GRID
_FRACTION = np.linspace(0.2, 0.8, _GRID)  # of the box, where they lie
_FEWEST = 4  # on a mask, below which it needs its own


@dataclass(frozen=True, slots=True, eq=False)
class DetectionSamples:
    """Samples of N detections.

    Attributes:
        v, u: (N, 64) intp, rows and columns of the image.
        usable: (N, 64) bool, which of them lie on the object.
    """

    v: NDArray[np.intp]
    u: NDArray[np.intp]
    usable: NDArray[np.bool_]

    @classmethod
    def of(cls, detections: Detections, height: int, width: int) -> DetectionSamples:
        """A grid over each box's middle, usable on the mask where there is one.

        Masks that the grid misses, of things with holes or mostly hidden ones, are sampled on
        their own pixels.
        """
        low = detections.boxes_px[:, :2]
        size = detections.boxes_px[:, 2:] - low
        columns = (low[:, :1] + size[:, :1] * _FRACTION).astype(np.intp).clip(0, width - 1)
        rows = (low[:, 1:] + size[:, 1:] * _FRACTION).astype(np.intp).clip(0, height - 1)
        v, u = np.repeat(rows, _GRID, axis=1), np.tile(columns, _GRID)
        usable = np.ones(v.shape, dtype=np.bool_)
        masked = [row for row, mask in enumerate(detections.masks) if mask is not None]
        if masked:
            masks = [mask for mask in detections.masks if mask is not None]
            usable[masked] = _on_masks(masks, v[masked], u[masked])
            for row in np.flatnonzero(np.count_nonzero(usable, axis=1) < _FEWEST):
                mask = detections.masks[row]
                assert mask is not None
                _sample(mask, v[row], u[row], usable[row])
        return cls(v, u, usable)


def _on_masks(masks: list[BoxMask], v: NDArray[np.intp], u: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(K, 64): where each mask is set at its rows v and columns u of the image."""
    place = np.array([(mask.y_px, mask.x_px, *mask.bits.shape) for mask in masks], dtype=np.intp)
    top, left, height, width = place.T[:, :, None]
    v, u = v - top, u - left
    pixels = v * width + u
    on_mask = np.empty(v.shape, dtype=np.bool_)
    for row, mask in enumerate(masks):
        mask.bits.take(pixels[row], mode="clip", out=on_mask[row])
    inside: NDArray[np.bool_] = (v >= 0) & (v < height) & (u >= 0) & (u < width)
    return on_mask & inside


def _sample(
    mask: BoxMask, v: NDArray[np.intp], u: NDArray[np.intp], usable: NDArray[np.bool_]
) -> None:
    """Put pixels spread over a mask into one row (64,) of samples."""
    pixels = np.flatnonzero(mask.bits)
    usable[:] = False
    if len(pixels) > 0:
        chosen = pixels[:: -(-len(pixels) // _COUNT)]
        usable[: len(chosen)] = True
        rows, columns = np.divmod(chosen, mask.bits.shape[1])
        v[: len(chosen)], u[: len(chosen)] = mask.y_px + rows, mask.x_px + columns
