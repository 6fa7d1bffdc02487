"""Pictures turned upright before a network sees them.

Networks learn from pictures that people took upright: in a picture that lies on its side they find
a quarter as much. Hand-held cameras roll, and some are mounted sideways. The pose tells how far:
the picture is turned by the quarter turns that bring gravity nearest to its lower border, and what
is found in it is turned back.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, hypot, pi

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose
from scenemind.perception.types import BoxMask, Detections

# Of a camera that looks straight down or up nothing is upright: least share of gravity across the
# line of sight.
_ACROSS = 0.35


def detect_upright(
    frame: RGBDFrame, detect: Callable[[NDArray[np.uint8]], Detections]
) -> Detections:
    """What is found in the upright picture, where it is in the frame's picture.

    Args:
        detect: of a picture (H, W, 3) RGB.
    """
    turns = quarter_turns(frame.world_T_camera)
    if not turns:
        return detect(frame.color)
    return turned_back(
        detect(np.ascontiguousarray(np.rot90(frame.color, -turns))), frame.color.shape[:2], turns
    )


def quarter_turns(world_T_camera: Pose) -> int:
    """Clockwise quarter turns, 0 to 3, that bring a picture nearest to upright."""
    right, down, _ = (-world_T_camera.rotation[2]).tolist()  # gravity in the camera's axes
    if hypot(right, down) < _ACROSS:
        return 0
    return round(atan2(right, down) / (pi / 2.0)) % 4


def turned_back(detections: Detections, shape: tuple[int, ...], turns: int) -> Detections:
    """Detections of a picture, found after it was turned clockwise.

    Args:
        shape: height and width of the picture as it was. turns: quarter turns.
    """
    boxes, masks = detections.boxes_px, list(detections.masks)
    for turn in range(turns, 0, -1):
        width = np.float32(shape[1 - turn % 2])  # of the picture after so many turns
        x0, y0, x1, y1 = boxes.T
        boxes = np.stack((y0, width - x1, y1, width - x0), axis=1)
        masks = [mask and _turned_back(mask, int(width)) for mask in masks]
    return Detections(detections.labels, detections.scores, boxes, tuple(masks))


def _turned_back(mask: BoxMask, width: int) -> BoxMask:
    """A mask before a clockwise quarter turn. Args: width: of the picture after it."""
    bits = np.ascontiguousarray(np.rot90(mask.bits))
    return BoxMask(mask.y_px, width - mask.x_px - mask.bits.shape[1], bits)
