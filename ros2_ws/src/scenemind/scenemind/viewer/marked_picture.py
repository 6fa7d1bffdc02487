"""Stored pictures with boxes in them, small enough for a panel."""

from __future__ import annotations

from collections.abc import Collection

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError
from scenemind.frames.encodings import decode_color_file
from scenemind.memory import KeyFrame

_RGB, _LINE_PX = (255, 0, 140), 4
_WIDTH_PX = 360
_QUALITY = 80


def thumbnail(frame: KeyFrame, object_ids: Collection[int]) -> bytes | None:
    """A small JPEG of a frame with boxes around these objects; None: the picture is damaged."""
    try:
        color = decode_color_file(frame.jpeg)
    except FrameError:
        return None
    boxes = [box for i, box in frame.boxes_px.items() if i in object_ids]
    picture = with_boxes(color, boxes)
    height = round(picture.shape[0] * _WIDTH_PX / picture.shape[1])
    small = cv2.resize(picture, (_WIDTH_PX, max(1, height)), interpolation=cv2.INTER_AREA)
    _, file = cv2.imencode(".jpg", small[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(file.tobytes())


def with_boxes(
    color: NDArray[np.uint8], boxes_px: Collection[tuple[float, float, float, float]]
) -> NDArray[np.uint8]:
    """A copy of (H, W, 3) RGB with the boxes drawn."""
    picture = color.copy()
    for box_px in boxes_px:
        x0, y0, x1, y1 = (round(v) for v in box_px)
        cv2.rectangle(picture, (x0, y0), (x1, y1), _RGB, _LINE_PX)
    return picture
