"""Key frames with what was detected in them drawn on."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.memory import KeyFrame
from scenemind.report.palette import rgb_of

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_TEXT_SCALE = 0.45
_PADDING_PX = 4
_JPEG_QUALITY = 82


def draw_key_frame(
    frame: KeyFrame,
    labels: Mapping[int, str],
    colors: Mapping[str, str],
    width: int = 480,
) -> bytes:
    """A JPEG of at most that width, with the frame's boxes of the labelled objects.

    Args:
        labels: object id -> label; boxes of other objects are left out.
        colors: label -> `#rrggbb`.

    Raises:
        ValueError: the frame's image is no picture.
    """
    image = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError(f"the image of frame {frame.frame_number} cannot be decoded")
    scale = min(1.0, width / image.shape[1])
    if scale < 1.0:
        size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    shown = [(i, box) for i, box in frame.boxes_px.items() if i in labels]
    # Large boxes first, so that small ones lie on top.
    for object_id, box in sorted(shown, key=lambda item: -_area(item[1])):
        red, green, blue = rgb_of(colors[labels[object_id]])
        corners = [round(edge * scale) for edge in box]
        _draw_box(image, corners, f"{labels[object_id]} {object_id}", (blue, green, red))
    _, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return jpeg.tobytes()


def _draw_box(
    image: NDArray[np.uint8], corners: list[int], text: str, bgr: tuple[int, int, int]
) -> None:
    x0, y0, x1, y1 = corners
    cv2.rectangle(image, (x0, y0), (x1, y1), bgr, 2, cv2.LINE_AA)
    # The font has ASCII only.
    text = text.encode("ascii", "replace").decode()
    (text_width, text_height), base = cv2.getTextSize(text, _FONT, _TEXT_SCALE, 1)
    height = text_height + base + _PADDING_PX
    left = max(0, min(x0 - 1, image.shape[1] - text_width - 2 * _PADDING_PX))
    top = y0 - height if y0 >= height else max(0, y0)
    right, bottom = left + text_width + 2 * _PADDING_PX, top + height
    cv2.rectangle(image, (left, top), (right, bottom), bgr, cv2.FILLED)
    place = (left + _PADDING_PX, top + text_height + _PADDING_PX // 2)
    cv2.putText(image, text, place, _FONT, _TEXT_SCALE, (255, 255, 255), 1, cv2.LINE_AA)


def _area(box: tuple[float, float, float, float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
