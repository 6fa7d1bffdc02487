"""Detections as the tracker compares them: columns next to each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from scenemind.frames import RGBDFrame
from scenemind.perception.appearance import LENGTH, color_histograms
from scenemind.perception.detection_depth import inverse_median_depth
from scenemind.perception.detection_samples import DetectionSamples
from scenemind.perception.image_border import cut_sides
from scenemind.perception.types import Detections


class LabelCodes:
    """Numbers for labels, in the order in which they come."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def of(self, labels: Iterable[str]) -> NDArray[np.int64]:
        """(N,)."""
        codes = self._codes
        return np.array([codes.setdefault(label, len(codes)) for label in labels], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """N detections.

    Attributes:
        boxes_px: (N, 4) float64: x0, y0, x1, y1.
        scores: (N,) float32.
        label_codes: (N,) int64, the tracker's own numbering of labels.
        inverse_depth: (N,) float64 in 1/m; 0 where it is unknown.
        cut: (N, 4) bool, which sides the image border cuts.
        appearance: (N, 48) float32, colour histograms; (N, 0) where they are not wanted.
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
        """
        Args:
            labels: numbers those of the detections.
            appearance: whether to look at the colours.
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
    """(N, 48), or (N, 0)."""
    count = len(samples.v)
    if not wanted or count == 0:
        return np.zeros((count, LENGTH if wanted else 0), dtype=np.float32)
    # What has no pixel of its own has those of its box.
    usable = samples.usable | ~samples.usable.any(axis=1, keepdims=True)
    owner, _ = np.nonzero(usable)
    return color_histograms(color[samples.v[usable], samples.u[usable]], owner, count)
