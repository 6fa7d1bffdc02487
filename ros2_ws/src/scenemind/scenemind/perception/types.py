"""Results of perception: detections and masks in an image, observations in the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMindError
from scenemind.geometry import Box3D, PinholeCamera

_NEAR_PX = 2.0  # distance to the border at which detectors' boxes of cut objects end


class PerceptionError(SceneMindError, RuntimeError):
    """A model file or output that cannot be used; the message names the remedy."""


@dataclass(frozen=True, slots=True, eq=False)
class BoxMask:
    """A mask within its bounding rectangle.

    Attributes:
        x_px, y_px: image position of the rectangle's top-left pixel.
        bits: (h, w) bool.
    """

    x_px: int
    y_px: int
    bits: NDArray[np.bool_]


def cut_mask(bits: NDArray[np.bool_], x_px: int = 0, y_px: int = 0) -> BoxMask | None:
    """The mask of bits (h, w) cut to its set pixels; None where none is set.

    Args:
        x_px, y_px: image position of the first bit.
    """
    rows, columns = np.flatnonzero(bits.any(axis=1)), np.flatnonzero(bits.any(axis=0))
    if len(rows) == 0:
        return None
    top, left = int(rows[0]), int(columns[0])
    window = bits[top : rows[-1] + 1, left : columns[-1] + 1]
    return BoxMask(x_px + left, y_px + top, np.ascontiguousarray(window))


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """Detections of one image, as columns.

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
        """The given rows (indices or a boolean column), in their order."""
        index = np.arange(len(self))[np.asarray(rows)] if len(rows) else np.zeros(0, np.intp)
        return Detections(
            tuple(self.labels[i] for i in index),
            self.scores[index],
            self.boxes_px[index],
            tuple(self.masks[i] for i in index),
        )


def cut_sides(boxes_px: NDArray[np.floating], camera: PinholeCamera) -> NDArray[np.bool_]:
    """Sides (N, 4) bool of boxes (N, 4) that the image border cuts: left, top, right, bottom."""
    far = np.array((camera.width, camera.height)) - _NEAR_PX
    return np.concatenate((boxes_px[:, :2] <= _NEAR_PX, boxes_px[:, 2:] >= far), axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One detection lifted into the world.

    Attributes:
        track_id: the tracker's id, constant while the object stays in view.
        label, score, box_px: the detection.
        points: (M, 3) float32, world, metres: a bounded sample of the visible surface.
        box: axis-aligned box around the points, world.
        color_shares: (24,) float32 of sum 1, shares of `colors.COLOR_NAMES` in the object's pixels.
        pixel_count: pixels that the points stand for, before sampling.
        truncated: whether the image border cuts the box.
        appearance: (48,) float32 of sum 1, colour histogram of the object's pixels
            (`colors.color_histograms`).
        sigma_m: expected standard deviation of the camera's depth in metres, from its noise at
            1 m (`LiftingConfig.depth_noise_1m_m`) and the distance; an upper bound for the points,
            which are denoised up to correlated errors of neighbouring pixels.
        from_picture: too little of the thing has depth: the box is that of the place where its mask
            meets its support (`perception.standing`).
        mask: of the detection; None: it had none.
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
    from_picture: bool = False
    mask: BoxMask | None = None

    def of_track(self, track_id: int) -> Observation:
        """The same with another track; several times as fast as `replace`."""
        return Observation(
            track_id,
            self.label,
            self.score,
            self.box_px,
            self.points,
            self.box,
            self.color_shares,
            self.pixel_count,
            self.truncated,
            self.appearance,
            self.sigma_m,
            self.from_picture,
            self.mask,
        )
