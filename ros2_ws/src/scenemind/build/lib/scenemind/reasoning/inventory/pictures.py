"""The picture of a key frame as the model sees it: known things in thin boxes, and rulers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.images import decode_file
from scenemind.language.quoting import tame
from scenemind.memory import DepthImage, KeyFrame
from scenemind.reasoning.vlm_grounder.projection.fusion import seen_in
from scenemind.reasoning.vlm_grounder.targets import BoxPx

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_TEXT_SIZE, _LINE_PX = 0.42, 1
_COLORS = ((0, 220, 255), (255, 200, 0), (120, 255, 120), (255, 140, 255), (255, 255, 255))
_RULER_EVERY, _TICK_PX = 100, 6
_QUALITY = 90
_SAMPLE = 400  # points of a known thing
_SLACK_M = 0.05  # that a known surface may be off its depth
_SHOWN, _FEWEST, _LEAST_PX = 0.2, 8, 6.0  # share and number of points, and size, of a mark


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A thing that is not to be named again.

    Attributes:
        object_id: in the map; 0: found by this inventory.
        points: (M, 3) float32, world, of its surface.
    """

    object_id: int
    name: str
    points: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A known thing in a picture, with its box in pixels of the stored frame."""

    known: Known
    box_px: BoxPx


def find_marks(known: Sequence[Known], frame: KeyFrame, depth: DepthImage) -> list[Mark]:
    """The known things that a frame shows: enough of their points are where its depth is."""
    marks = []
    for thing in known:
        points = thing.points[:: max(1, -(-len(thing.points) // _SAMPLE))]
        if not len(points):
            continue
        seen = seen_in(points, 0.0, depth, frame.world_T_camera, slack_m=_SLACK_M)
        if np.count_nonzero(seen) < max(_FEWEST, _SHOWN * len(points)):
            continue
        pixels, _ = frame.camera.project(frame.world_T_camera.inverse().transform(points[seen]))
        (x0, y0), (x1, y1) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
        if min(x1 - x0, y1 - y0) >= _LEAST_PX:
            marks.append(Mark(thing, (x0, y0, x1, y1)))
    return marks


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A marked picture.

    Attributes:
        jpeg: JPEG file of `width` x `height` pixels.
        scale: its pixels for one of the stored frame.
    """

    jpeg: bytes
    width: int
    height: int
    scale: float


def draw(frame: KeyFrame, marks: Sequence[Mark], longest_px: int) -> Drawn:
    """The frame with its marks, numbered from 1, scaled to `longest_px`: small frames grow, so that
    numbers and names cover little of them.

    Raises:
        FrameError: its image is damaged.
    """
    image = decode_file(frame.jpeg, cv2.IMREAD_COLOR)
    scale = longest_px / max(image.shape[:2])
    how = cv2.INTER_CUBIC if scale > 1.0 else cv2.INTER_AREA
    image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=how)
    height, width = image.shape[:2]
    _draw_rulers(image)
    for number, mark in enumerate(marks, start=1):
        color = _COLORS[number % len(_COLORS)]
        x0, y0, x1, y1 = (round(scale * side) for side in mark.box_px)
        cv2.rectangle(image, (x0, y0), (x1, y1), color, _LINE_PX)
        text = f"{number} {tame(mark.known.name, 24)}"
        (wide, high), below = cv2.getTextSize(text, _FONT, _TEXT_SIZE, 1)
        left = min(max(x0, 0), max(width - wide, 0))
        bottom = min(max(y0, high + below), height - below)
        cv2.rectangle(
            image, (left, bottom - high - 2), (left + wide, bottom + below), (0, 0, 0), -1
        )
        cv2.putText(image, text, (left, bottom), _FONT, _TEXT_SIZE, color, 1, cv2.LINE_AA)
    _, data = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
    return Drawn(data.tobytes(), width, height, scale)


def _draw_rulers(image: NDArray[np.uint8]) -> None:
    height, width = image.shape[:2]
    for at in range(_RULER_EVERY, width, _RULER_EVERY):
        cv2.line(image, (at, 0), (at, _TICK_PX), (255, 255, 255), 1)
        cv2.putText(image, str(at), (at + 2, 12), _FONT, 0.35, (255, 255, 255), 1, cv2.LINE_AA)
    for at in range(_RULER_EVERY, height, _RULER_EVERY):
        cv2.line(image, (0, at), (_TICK_PX, at), (255, 255, 255), 1)
        cv2.putText(image, str(at), (2, at - 2), _FONT, 0.35, (255, 255, 255), 1, cv2.LINE_AA)
