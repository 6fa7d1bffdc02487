"""Instance masks from prototypes (YOLACT, Bolya et al. 2019), computed inside the boxes only."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.backends.letterbox import Letterbox
from scenemind.perception.types import BoxMask


def assemble_masks(
    prototypes: NDArray[np.float32],
    coefficients: NDArray[np.float32],
    boxes_px: NDArray[np.float32],
    letterbox: Letterbox,
) -> tuple[BoxMask, ...]:
    """One mask a box, at image resolution, cut to the box.

    Args:
        prototypes: (K, h, w), covering the network's input.
        coefficients: (N, K).
        boxes_px: (N, 4) in the image.
        letterbox: image to network input.
    """
    return tuple(
        _assemble(prototypes, weights, box, letterbox)
        for weights, box in zip(coefficients, boxes_px, strict=True)
    )


def _assemble(
    prototypes: NDArray[np.float32],
    weights: NDArray[np.float32],
    box_px: NDArray[np.float32],
    letterbox: Letterbox,
) -> BoxMask:
    _, rows, columns = prototypes.shape
    x0, y0 = np.floor(box_px[:2]).astype(int)
    x1, y1 = np.ceil(box_px[2:]).astype(int)
    # Prototype cell that holds the centre of image pixel p: p * step + start, per axis.
    cells = np.array([columns / letterbox.input_size[0], rows / letterbox.input_size[1]])
    step = np.array(letterbox.scale) * cells
    start = 0.5 * step + np.array(letterbox.pad) * cells - 0.5
    # One cell more on every side, for the interpolation.
    low = np.maximum(np.floor((x0, y0) * step + start).astype(int) - 1, 0)
    high = np.minimum(np.ceil((x1, y1) * step + start).astype(int) + 2, (columns, rows))
    window = prototypes[:, low[1] : high[1], low[0] : high[0]]
    logits = np.tensordot(weights, window, axes=1).astype(np.float32)
    shift = (x0, y0) * step + start - low
    to_cell = np.array([[step[0], 0.0, shift[0]], [0.0, step[1], shift[1]]])
    upsampled = cv2.warpAffine(
        logits,
        to_cell,
        (max(1, x1 - x0), max(1, y1 - y0)),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return BoxMask(int(x0), int(y0), upsampled > 0.0)  # a probability of 0.5 is a logit of 0
