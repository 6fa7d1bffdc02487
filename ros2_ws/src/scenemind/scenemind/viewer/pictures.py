"""Words and pictures for the page: plain text of what was perceived or typed, and stored frames
with boxes around what they show."""

from __future__ import annotations

from collections.abc import Collection

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError
from scenemind.frames.images import decode_color_file
from scenemind.language.quoting import tame
from scenemind.memory import KeyFrame

PICTURE = "/scenemind/picture"
MOST_BOXED = 20  # objects of a picture
_LONGEST_NAME = 24  # so many capital Ws fit into a button
_RGB, _LINE_PX = (255, 0, 140), 4
_WIDTH_PX = 480
_QUALITY = 80


def plain(text: str, limit: int = _LONGEST_NAME) -> str:
    """Text of one line, without control or direction characters."""
    return tame(text, limit)


def picture_address(frame_number: int, object_ids: Collection[int]) -> str:
    """Where the page finds the picture of a frame with boxes around objects."""
    boxed = "".join(f"&object={i}" for i in list(object_ids)[:MOST_BOXED])
    return f"{PICTURE}?frame={frame_number}{boxed}"


def picture_of(frame: KeyFrame, object_ids: Collection[int]) -> bytes | None:
    """A small JPEG of a frame with boxes around these objects; None: the image is damaged."""
    try:
        color = decode_color_file(frame.jpeg)
    except FrameError:
        return None
    boxes = [box for i, box in frame.boxes_px.items() if i in object_ids]
    picture = with_boxes(color, boxes)
    width = min(_WIDTH_PX, picture.shape[1])
    height = max(1, round(picture.shape[0] * width / picture.shape[1]))
    small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    _, file = cv2.imencode(".jpg", small[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(file.tobytes())


def with_boxes(
    color: NDArray[np.uint8], boxes_px: Collection[tuple[float, float, float, float]]
) -> NDArray[np.uint8]:
    """A copy of (H, W, 3) RGB with the boxes drawn, as wide on a small image as on a large one."""
    picture = color.copy()
    width = max(1, round(_LINE_PX * color.shape[1] / _WIDTH_PX))
    for box_px in boxes_px:
        x0, y0, x1, y1 = (round(v) for v in box_px)
        cv2.rectangle(picture, (x0, y0), (x1, y1), _RGB, width)
    return picture
