"""Marks on a picture by which a model names what it sees (VLM-Grounder, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.encodings import decode_file
from scenemind.reasoning.vlm_grounder.types import BoxPx

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)
_TEXT_SHARE = 1 / 26  # of the picture's shorter side
_LEAST_TEXT_PX = 12
_MARGIN_SHARE = 0.35  # of the height of digits
_QUALITY = 92

Place = tuple[int, int, int, int]


def marked_picture(jpeg: bytes, boxes_px: Sequence[BoxPx], longest_px: int) -> bytes:
    """The picture with the number of each box, from 0, at its centre, in white on black. A mark
    that would hide another stands below it.

    Args:
        jpeg: JPEG file. boxes_px: in its pixels.
        longest_px: of the marked picture; it is never made larger.

    Raises:
        FrameError: it is no picture, or a damaged one.
    """
    image = decode_file(jpeg, cv2.IMREAD_COLOR)
    scale = min(1.0, longest_px / max(image.shape[:2]))
    if scale < 1.0:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    text_px = max(_LEAST_TEXT_PX, round(_TEXT_SHARE * min(image.shape[:2])))
    taken: list[Place] = []
    for number, (x0, y0, x1, y1) in enumerate(boxes_px):
        center = round(scale * (x0 + x1) / 2), round(scale * (y0 + y1) / 2)
        _mark(image, str(number), center, text_px, taken)
    _, data = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
    return data.tobytes()


def _mark(
    image: NDArray[np.uint8], text: str, center: tuple[int, int], text_px: int, taken: list[Place]
) -> None:
    thickness = max(1, text_px // 10)
    size = cv2.getFontScaleFromHeight(_FONT, text_px, thickness)
    (width, height), _ = cv2.getTextSize(text, _FONT, size, thickness)
    margin = round(_MARGIN_SHARE * text_px)
    place = _free_place(center, (width + 2 * margin, height + 2 * margin), image.shape, taken)
    left, top, right, bottom = place
    cv2.rectangle(image, (left, top), (right - 1, bottom - 1), _BLACK, -1)
    at = left + margin, bottom - margin
    cv2.putText(image, text, at, _FONT, size, _WHITE, thickness, cv2.LINE_AA)
    taken.append(place)


def _free_place(
    center: tuple[int, int], size: tuple[int, int], shape: tuple[int, ...], taken: Sequence[Place]
) -> Place:
    """Around the centre and within the picture; below what stands there already, as long as there
    is room."""
    width, height = size
    left = min(max(center[0] - width // 2, 0), max(shape[1] - width, 0))
    lowest = max(shape[0] - height, 0)
    top = min(max(center[1] - height // 2, 0), lowest)
    while hidden := [p for p in taken if _overlap((left, top, left + width, top + height), p)]:
        below = max(place[3] for place in hidden)
        if below > lowest:
            break
        top = below
    return left, top, left + width, top + height


def _overlap(a: Place, b: Place) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
