"""A stored picture with one box in it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_RGB, _LINE_PX = (255, 200, 0), 3


def with_box(
    color: NDArray[np.uint8], box_px: tuple[float, float, float, float] | None
) -> NDArray[np.uint8]:
    """A copy of (H, W, 3) RGB with the box drawn; None: without."""
    picture = color.copy()
    if box_px is not None:
        x0, y0, x1, y1 = (round(v) for v in box_px)
        cv2.rectangle(picture, (x0, y0), (x1, y1), _RGB, _LINE_PX)
    return picture
