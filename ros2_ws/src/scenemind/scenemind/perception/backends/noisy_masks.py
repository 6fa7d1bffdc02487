"""What a network's mask head makes of an exact mask.

Such heads decide on a grid of a quarter of the image's resolution and interpolate, then cut the
result to the detected box. So borders are smooth and off by a few pixels, gnawed where the network
is unsure, and whatever the box misses is missing.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.types import BoxMask

_CELL_PX = 4


def noisy_mask(
    mask: BoxMask,
    box_px: NDArray[np.floating],
    shift: float,
    raggedness: float,
    rng: np.random.Generator,
) -> BoxMask:
    """The mask as a network would give it with a box.

    Args:
        mask: exact.
        box_px: (4,) x0, y0, x1, y1 of the detection, inside the image; the result is cut to it.
        shift: below 0 the mask is eroded, above it is dilated: about 1 is one pixel.
        raggedness: 0 for a smooth border; about 1 moves places of it by a pixel or two.
    """
    x0, y0 = (int(v) for v in np.floor(box_px[:2]))
    x1, y1 = (int(v) for v in np.ceil(box_px[2:]))
    exact = _window(mask, x0, y0, x1, y1)
    height, width = exact.shape
    grid = (-(-width // _CELL_PX), -(-height // _CELL_PX))
    coarse = cv2.resize(exact.astype(np.float32), grid, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(coarse, (3, 3), 0.6, borderType=cv2.BORDER_REPLICATE)
    unsure = 4.0 * soft * (1.0 - soft)
    soft += unsure * (0.12 * shift + 0.12 * raggedness * rng.standard_normal(soft.shape))
    fine = cv2.resize(soft.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    return BoxMask(x0, y0, fine > 0.5)


def _window(mask: BoxMask, x0: int, y0: int, x1: int, y1: int) -> NDArray[np.bool_]:
    """(y1 - y0, x1 - x0): the mask in another rectangle."""
    height, width = mask.bits.shape
    window = np.zeros((y1 - y0, x1 - x0), dtype=np.bool_)
    left, top = max(x0, mask.x_px), max(y0, mask.y_px)
    right, bottom = min(x1, mask.x_px + width), min(y1, mask.y_px + height)
    if left < right and top < bottom:
        window[top - y0 : bottom - y0, left - x0 : right - x0] = mask.bits[
            top - mask.y_px : bottom - mask.y_px, left - mask.x_px : right - mask.x_px
        ]
    return window
