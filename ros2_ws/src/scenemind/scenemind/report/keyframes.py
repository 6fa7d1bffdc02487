"""Key frames with what was detected in them drawn on."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.memory import KeyFrame
from scenemind.report.label_places import Rectangle, overlap
from scenemind.report.palette import rgb_of

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_TEXT_SCALE = 0.45
_PADDING_PX = 4
_JPEG_QUALITY = 82
_WHITE = (255, 255, 255)


def draw_key_frame(
    frame: KeyFrame,
    labels: Mapping[int, str],
    colors: Mapping[str, str],
    width: int = 480,
    cues: Collection[int] = (),
) -> bytes:
    """A JPEG of at most that width, with the frame's boxes of the labelled objects.

    Args:
        labels: object id -> label; boxes of other objects are left out.
        colors: label -> `#rrggbb`.
        cues: objects that only help to find the others: their lines are thin.

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
    # Large boxes first, so that small ones lie on top; all labels above all lines.
    shown.sort(key=lambda item: -_area(item[1]))
    bgr = {i: rgb_of(colors[labels[i]])[::-1] for i, _ in shown}
    corners = {i: _scaled(box, scale) for i, box in shown}
    for object_id, (x0, y0, x1, y1) in corners.items():
        line_px = 1 if object_id in cues else 2
        cv2.rectangle(image, (x0, y0), (x1, y1), bgr[object_id], line_px, cv2.LINE_AA)
    taken: list[Rectangle] = []
    for object_id, box in reversed(corners.items()):  # the smallest have the least choice
        _write(image, box, f"{labels[object_id]} {object_id}", bgr[object_id], taken)
    _, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return jpeg.tobytes()


def _write(
    image: NDArray[np.uint8],
    box: tuple[int, int, int, int],
    text: str,
    bgr: tuple[int, ...],
    taken: list[Rectangle],
) -> None:
    """A label at its box, where it covers no other one if there is such a place."""
    # The font has ASCII only.
    text = text.encode("ascii", "replace").decode()
    (text_width, text_height), base = cv2.getTextSize(text, _FONT, _TEXT_SCALE, 1)
    width, height = text_width + 2 * _PADDING_PX, text_height + base + _PADDING_PX
    left = max(0, min(box[0] - 1, image.shape[1] - width))
    tops = [
        top
        for top in (box[1] - height, box[1], box[3], box[3] - height, box[1] - 2 * height)
        if 0 <= top <= image.shape[0] - height
    ] or [0]
    places = [(left, top, left + width, top + height) for top in tops]
    free = (place for place in places if not any(overlap(place, other) for other in taken))
    place = next(free, places[0])
    taken.append(place)
    cv2.rectangle(image, place[:2], place[2:], bgr, cv2.FILLED)
    at = (place[0] + _PADDING_PX, place[1] + text_height + _PADDING_PX // 2)
    cv2.putText(image, text, at, _FONT, _TEXT_SCALE, _WHITE, 1, cv2.LINE_AA)


def _scaled(box: tuple[float, float, float, float], scale: float) -> tuple[int, int, int, int]:
    x0, y0, x1, y1 = (round(edge * scale) for edge in box)
    return x0, y0, x1, y1


def _area(box: tuple[float, float, float, float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
