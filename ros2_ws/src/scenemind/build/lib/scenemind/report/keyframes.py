"""Key frames and other pictures with labelled boxes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.memory import KeyFrame
from scenemind.report.drawing import Rectangle, overlap, rgb_of

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_TEXT_SCALE = 0.45
_PADDING_PX = 4
_JPEG_QUALITY = 82
_WHITE = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """
    Attributes:
        color: `#rrggbb`.
        is_cue: a cue object, drawn with thin lines.
    """

    box_px: tuple[float, float, float, float]
    text: str
    color: str
    is_cue: bool = False


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
        cues: ids of cue objects, drawn with thin lines.

    Raises:
        ValueError: the frame's image cannot be decoded.
    """
    boxes = [
        DrawnBox(box, f"{labels[i]} {i}", colors[labels[i]], i in cues)
        for i, box in frame.boxes_px.items()
        if i in labels
    ]
    return draw_boxes(frame.jpeg, boxes, width, f"frame {frame.frame_number}")


def draw_boxes(jpeg: bytes, boxes: Iterable[DrawnBox], width: int, name: str) -> bytes:
    """A JPEG of at most that width.

    Args:
        name: of the picture, for the error.

    Raises:
        ValueError: the picture cannot be decoded.
    """
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError(f"the image of {name} cannot be decoded")
    scale = min(1.0, width / image.shape[1])
    if scale < 1.0:
        size = (round(image.shape[1] * scale), max(1, round(image.shape[0] * scale)))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    # Large boxes first and small ones above them; labels above all lines.
    shown = sorted(boxes, key=lambda box: -_area(box.box_px))
    corners = [_scaled(box.box_px, scale) for box in shown]
    for box, (x0, y0, x1, y1) in zip(shown, corners, strict=True):
        line_px = 1 if box.is_cue else 2
        cv2.rectangle(image, (x0, y0), (x1, y1), rgb_of(box.color)[::-1], line_px, cv2.LINE_AA)
    taken: list[Rectangle] = []
    for box, at in reversed(list(zip(shown, corners, strict=True))):  # small ones have fewer places
        _write(image, at, box.text, rgb_of(box.color)[::-1], taken)
    _, drawn = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return drawn.tobytes()


def _write(
    image: NDArray[np.uint8],
    box: tuple[int, int, int, int],
    text: str,
    bgr: tuple[int, ...],
    taken: list[Rectangle],
) -> None:
    """Write a label at its box, where possible without covering another one."""
    # The font has only ASCII.
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
