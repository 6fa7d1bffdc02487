"""An image as SAM takes it, and its masks back in the image.

Kirillov et al. 2023 (Segment Anything, arXiv:2304.02643): the longer side is scaled to 1024 pixels,
the rest is padded at right and bottom; masks come at a quarter of that.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.cut_mask import cut_mask
from scenemind.perception.types import BoxMask

SIDE = 1024
_PIXELS_A_CELL = 4  # of the input, in a mask
_MEAN = np.array((123.675, 116.28, 103.53), np.float32)
_DEVIATION = np.array((58.395, 57.12, 57.375), np.float32)


@dataclass(frozen=True, slots=True)
class SamImage:
    """How pixels of an image map to pixels of the input.

    Attributes:
        image_size, scaled_size: width and height.
    """

    image_size: tuple[int, int]
    scaled_size: tuple[int, int]

    @classmethod
    def fit(cls, width: int, height: int) -> SamImage:
        """Rounded as SAM's own code does it."""
        ratio = SIDE / max(width, height)
        return cls((width, height), (int(width * ratio + 0.5), int(height * ratio + 0.5)))

    @property
    def scale(self) -> NDArray[np.float32]:
        """(2,), x and y."""
        scale: NDArray[np.float32] = np.divide(self.scaled_size, self.image_size).astype(np.float32)
        return scale

    def input_of(self, color: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(H, W, 3) RGB to (1, 3, 1024, 1024), normalised."""
        width, height = self.scaled_size
        shrinks = width < self.image_size[0]
        how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        scaled = cv2.resize(color, self.scaled_size, interpolation=how)
        padded = np.zeros((1, 3, SIDE, SIDE), np.float32)
        padded[0, :, :height, :width] = ((scaled - _MEAN) / _DEVIATION).transpose(2, 0, 1)
        return padded

    def boxes_of(self, boxes_px: NDArray[np.floating]) -> NDArray[np.float32]:
        """Boxes (N, 4) of the image in the input, cut at the image's border."""
        limit = np.tile(np.array(self.image_size, np.float32), 2)
        inside = np.clip(boxes_px.astype(np.float32), 0.0, limit)
        boxes: NDArray[np.float32] = inside * np.tile(self.scale, 2)
        return boxes

    def mask_of(self, logits: NDArray[np.float32]) -> BoxMask | None:
        """One mask (256, 256) of the input in the image; None where it is empty."""
        scale_x, scale_y = (self.scale / _PIXELS_A_CELL).tolist()
        # Pixel centres lie on whole numbers on both sides.
        to_cells = np.array(
            ((scale_x, 0.0, scale_x / 2 - 0.5), (0.0, scale_y, scale_y / 2 - 0.5)), np.float64
        )
        in_image = cv2.warpAffine(
            logits,
            to_cells,
            self.image_size,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        return cut_mask(in_image > 0.0)  # a probability of 0.5 is a logit of 0
