"""Fitting an image into a network's input without stretching it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

_BORDER = 114  # the grey that YOLO networks are trained with
_STRIDE = 32  # of their coarsest level


@dataclass(frozen=True, slots=True)
class Letterbox:
    """How image pixels map to network-input pixels: `input = image * scale + pad`, per axis.

    Pixels are areas here (the image spans 0..width), as detectors count them.
    """

    image_size: tuple[int, int]  # width, height
    input_size: tuple[int, int]
    resized: tuple[int, int]
    pad: tuple[int, int]

    @classmethod
    def fit(
        cls, image_size: tuple[int, int], input_size: tuple[int, int], *, centered: bool
    ) -> Letterbox:
        """The largest fit; the border goes to both sides, or all of it to right and bottom."""
        ratio = min(input_size[0] / image_size[0], input_size[1] / image_size[1])
        width = min(input_size[0], max(1, round(image_size[0] * ratio)))
        height = min(input_size[1], max(1, round(image_size[1] * ratio)))
        spare = (input_size[0] - width, input_size[1] - height)
        pad = (spare[0] // 2, spare[1] // 2) if centered else (0, 0)
        return cls(image_size, input_size, (width, height), pad)

    @property
    def scale(self) -> tuple[float, float]:
        return (self.resized[0] / self.image_size[0], self.resized[1] / self.image_size[1])

    def apply(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Image (H, W, 3) to network input (h, w, 3), uint8; the same array where it fits."""
        if self.image_size == self.input_size:
            return image
        width, height = self.input_size
        canvas = np.full((height, width, 3), _BORDER, dtype=np.uint8)
        x, y = self.pad
        inside = canvas[y : y + self.resized[1], x : x + self.resized[0]]
        inside[:] = cv2.resize(image, self.resized, interpolation=cv2.INTER_LINEAR)
        return canvas

    def to_image(self, boxes_px: NDArray[np.float32]) -> NDArray[np.float32]:
        """Boxes (N, 4) from network input back to the image, cut at its border."""
        pad = np.array(self.pad * 2, dtype=np.float32)
        scale = np.array(self.scale * 2, dtype=np.float32)
        limit = np.array(self.image_size * 2, dtype=np.float32)
        boxes: NDArray[np.float32] = np.clip((boxes_px - pad) / scale, 0.0, limit)
        return boxes


def input_size_for(image_size: tuple[int, int], longest: int) -> tuple[int, int]:
    """The smallest multiple of the networks' stride that holds the scaled image.

    Args:
        image_size: width, height.
        longest: the longer side after scaling, in pixels.
    """
    ratio = longest / max(image_size)
    return (_rounded_up(image_size[0] * ratio), _rounded_up(image_size[1] * ratio))


def _rounded_up(pixels: float) -> int:
    return _STRIDE * max(1, int(np.ceil(pixels / _STRIDE - 1e-6)))
