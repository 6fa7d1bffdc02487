"""What perception says about one frame, in two and in three dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.perception.errors import PerceptionError


@dataclass(frozen=True, slots=True, eq=False)
class BoxMask:
    """A mask cut to its own rectangle: far smaller than the image.

    Attributes:
        x_px, y_px: image position of the rectangle's top-left pixel.
        bits: (h, w) bool.
    """

    x_px: int
    y_px: int
    bits: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """The detections of one image, as columns.

    Attributes:
        labels: N class names, lower case.
        scores: (N,) float32 in [0, 1].
        boxes_px: (N, 4) float32: x0, y0, x1, y1 inside the image.
        masks: N masks, or None where the detector gives boxes only.
    """

    labels: tuple[str, ...]
    scores: NDArray[np.float32]
    boxes_px: NDArray[np.float32]
    masks: tuple[BoxMask | None, ...]

    def __post_init__(self) -> None:
        n = len(self.labels)
        if self.scores.shape != (n,) or self.boxes_px.shape != (n, 4) or len(self.masks) != n:
            raise PerceptionError(
                f"{n} labels, scores {self.scores.shape}, boxes {self.boxes_px.shape},"
                f" {len(self.masks)} masks: a detector must return one of each"
            )

    @classmethod
    def empty(cls) -> Detections:
        return cls((), np.zeros(0, np.float32), np.zeros((0, 4), np.float32), ())

    def __len__(self) -> int:
        return len(self.labels)

    def select(self, rows: NDArray[np.integer] | NDArray[np.bool_] | Sequence[int]) -> Detections:
        """The given rows (indices or a boolean column) in their order."""
        index = np.arange(len(self))[np.asarray(rows)] if len(rows) else np.zeros(0, np.intp)
        return Detections(
            tuple(self.labels[i] for i in index),
            self.scores[index],
            self.boxes_px[index],
            tuple(self.masks[i] for i in index),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One detection lifted into the world.

    Attributes:
        track_id: the tracker's id, constant while the object stays in view.
        label, score, box_px: the detection.
        points: (M, 3) float32, world, metres: a bounded sample of the visible surface.
        box: axis-aligned box around the points, world.
        color_shares: (24,) float32 of sum 1, how much of the object's own pixels bears each of
            `color_names.COLOR_NAMES`.
        pixel_count: how many pixels carried the points before sampling.
        truncated: the image border cuts the box, so the object goes on outside.
        appearance: (48,) float32 of sum 1, colour histogram of the object's own pixels
            (`appearance.color_histograms`).
        sigma_m: expected standard deviation of the camera's depth in metres, from its noise at
            1 m (`LiftingConfig.depth_noise_1m_m`) and the distance. The points are smoothed, but
            errors that neighbouring pixels share stay, so this is an upper bound for them.
    """

    track_id: int
    label: str
    score: float
    box_px: NDArray[np.float32]
    points: NDArray[np.float32]
    box: Box3D
    color_shares: NDArray[np.float32]
    pixel_count: int
    truncated: bool
    appearance: NDArray[np.float32]
    sigma_m: float
