"""Detections as the tracker compares them: boxes, labels, colours and depths in columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from scenemind.frames import RGBDFrame
from scenemind.perception.colors import HISTOGRAM_LENGTH, color_histograms, pixels_at
from scenemind.perception.types import BoxMask, Detections, cut_sides

_GRID = 8  # positions a side
_COUNT = _GRID * _GRID
_FRACTION = np.linspace(0.2, 0.8, _GRID)  # positions as shares of the box
_FEWEST = 4  # grid positions on a mask, below which the mask's own pixels are sampled


class LabelCodes:
    """Integer codes of labels, in order of appearance."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def of(self, labels: Iterable[str]) -> NDArray[np.int64]:
        """Codes (N,) of labels."""
        codes = self._codes
        return np.array([codes.setdefault(label, len(codes)) for label in labels], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """N detections as columns that the tracker compares.

    Attributes:
        boxes_px: (N, 4) float64: x0, y0, x1, y1.
        scores: (N,) float32.
        label_codes: (N,) int64, the tracker's own numbering of labels.
        inverse_depth: (N,) float64 in 1/m; 0 where it is unknown.
        cut: (N, 4) bool, sides that the image border cuts.
        appearance: (N, 48) float32, colour histograms; (N, 0) where unused.
    """

    boxes_px: NDArray[np.float64]
    scores: NDArray[np.float32]
    label_codes: NDArray[np.int64]
    inverse_depth: NDArray[np.float64]
    cut: NDArray[np.bool_]
    appearance: NDArray[np.float32]

    @classmethod
    def of(
        cls, detections: Detections, frame: RGBDFrame, labels: LabelCodes, *, appearance: bool
    ) -> Self:
        """Measurements of detections.

        Args:
            labels: codes of the labels.
            appearance: whether to compute colour histograms.
        """
        samples = DetectionSamples.of(detections, *frame.depth_m.shape)
        boxes = detections.boxes_px.astype(np.float64)
        return cls(
            boxes_px=boxes,
            scores=detections.scores,
            label_codes=labels.of(detections.labels),
            inverse_depth=inverse_median_depth(samples, frame.depth_m),
            cut=cut_sides(boxes, frame.camera),
            appearance=_colors(samples, frame.color, wanted=appearance),
        )

    def __len__(self) -> int:
        return len(self.scores)

    def select(self, rows: NDArray[np.intp]) -> Measurements:
        return Measurements(
            self.boxes_px[rows],
            self.scores[rows],
            self.label_codes[rows],
            self.inverse_depth[rows],
            self.cut[rows],
            self.appearance[rows],
        )


def _colors(
    samples: DetectionSamples, color: NDArray[np.uint8], *, wanted: bool
) -> NDArray[np.float32]:
    """Colour histograms (N, 48), or (N, 0) where unused."""
    count = len(samples.v)
    if not wanted or count == 0:
        return np.zeros((count, HISTOGRAM_LENGTH if wanted else 0), dtype=np.float32)
    # Detections without usable samples use all samples of their box.
    usable = samples.usable | ~samples.usable.any(axis=1, keepdims=True)
    owner, _ = np.nonzero(usable)
    rgb = pixels_at(color, samples.u[usable], samples.v[usable])
    return color_histograms(rgb, owner, count)


@dataclass(frozen=True, slots=True, eq=False)
class DetectionSamples:
    """A few dozen pixels of each of N detections.

    Attributes:
        v, u: (N, 64) intp, rows and columns of the image.
        usable: (N, 64) bool, whether they lie on the object.
    """

    v: NDArray[np.intp]
    u: NDArray[np.intp]
    usable: NDArray[np.bool_]

    @classmethod
    def of(cls, detections: Detections, height: int, width: int) -> DetectionSamples:
        """Samples on a grid over each box's centre, usable on the mask where there is one.

        Masks that the grid misses (objects with holes or mostly hidden) are sampled on their own
        pixels.
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
    """(K, 64) bool: whether each mask is set at its rows v and columns u of the image."""
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
    """Fill one row (64,) of samples with pixels spread over a mask."""
    pixels = np.flatnonzero(mask.bits)
    usable[:] = False
    if len(pixels) > 0:
        chosen = pixels[:: -(-len(pixels) // _COUNT)]
        usable[: len(chosen)] = True
        rows, columns = np.divmod(chosen, mask.bits.shape[1])
        v[: len(chosen)], u[: len(chosen)] = mask.y_px + rows, mask.x_px + columns


def inverse_median_depth(
    samples: DetectionSamples, depth_m: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Inverse of the median depth of each detection (N,), in 1/m; 0 where nothing was measured."""
    depth = depth_m[samples.v, samples.u]
    # Invalid depths sort last; comparisons with NaN are false.
    depth[~(samples.usable & (depth > 0.0))] = np.inf
    depth.sort(axis=1)
    measured = np.count_nonzero(np.isfinite(depth), axis=1)
    median = depth[np.arange(len(depth)), np.maximum(measured - 1, 0) // 2]
    return 1.0 / median.astype(np.float64)
