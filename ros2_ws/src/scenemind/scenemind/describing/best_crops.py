"""The parts of stored frames that show an object best."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.describing.visibility import visible_share
from scenemind.frames import FrameError
from scenemind.frames.encodings import decode_color_file
from scenemind.memory import KeyFrame, MapObject, Memory

_log = logging.getLogger(__name__)

# Frames that are looked at for each that is taken.
_CANDIDATES = 3
# Of the object; less says more about what stands before it, and does only where nothing else is.
_LEAST_VISIBLE = 0.3
_LEAST_PX = 24  # longer side of the box: smaller ones show a colour at most
_MARGIN = 0.15  # of the box's sides, around it: what a thing is can depend on where it stands


@dataclass(frozen=True, slots=True, eq=False)
class Crop:
    """An object in a stored frame.

    Attributes:
        visible: share of the object that is seen, in [0, 1].
        rgb: (H, W, 3) uint8, the object with a margin.
    """

    frame_number: int
    location_id: int
    visible: float
    rgb: NDArray[np.uint8]


class DamagedFrames:
    """Stored images that cannot be shown: the first is logged, all are counted.

    Attributes:
        count: how often one was passed over.
    """

    def __init__(self) -> None:
        self.count = 0

    def note(self, frame_number: int, error: FrameError) -> None:
        if not self.count:
            _log.warning(
                "The image of frame %d is passed over: %s; others are only counted",
                frame_number,
                error,
            )
        self.count += 1


def best_crops(
    memory: Memory,
    thing: MapObject,
    objects: Mapping[int, MapObject],
    count: int,
    damaged: DamagedFrames,
) -> list[Crop]:
    """Up to `count` crops of an object, best first: large, sure, and little of it hidden; those of
    other locations before a second one of the same.

    Args:
        objects: all that are there, which may hide it.
        damaged: told of images that are none; the next best takes their place.

    Raises:
        SceneMemoryError: the disk failed.
    """
    frames = memory.key_frames_of([thing.object_id], count * _CANDIDATES, all_boxes=True)
    shown = [
        (frame, visible_share(thing, frame, objects))
        for frame in frames
        if _is_large_enough(frame, thing.object_id)
    ]
    ranked = sorted(shown, key=lambda view: (-view[0].score * view[1], view[0].frame_number))
    clear = [view for view in ranked if view[1] >= _LEAST_VISIBLE]
    hidden = [view for view in ranked if view[1] < _LEAST_VISIBLE]
    crops = _crops(_first_of_each_location(clear), thing.object_id, damaged)
    return list(islice(crops, count)) or list(islice(_crops(hidden, thing.object_id, damaged), 1))


def jpeg_of(rgb: NDArray[np.uint8], longest_px: int, quality: int) -> bytes:
    """RGB (H, W, 3) as a JPEG no larger than that; never enlarged."""
    scale = longest_px / max(rgb.shape[:2])
    bgr = cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)
    if scale < 1.0:
        bgr = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, quality))
    return data.tobytes()


def _first_of_each_location(
    ranked: Sequence[tuple[KeyFrame, float]],
) -> list[tuple[KeyFrame, float]]:
    seen: set[int] = set()
    first: list[tuple[KeyFrame, float]] = []
    further: list[tuple[KeyFrame, float]] = []
    for view in ranked:
        (further if view[0].location_id in seen else first).append(view)
        seen.add(view[0].location_id)
    return first + further


def _is_large_enough(frame: KeyFrame, object_id: int) -> bool:
    """False too where a later frame showed that what was detected here is something else."""
    x0, y0, x1, y1 = frame.boxes_px.get(object_id, (0.0, 0.0, 0.0, 0.0))
    return max(x1 - x0, y1 - y0) >= _LEAST_PX


def _crops(
    views: Iterable[tuple[KeyFrame, float]], object_id: int, damaged: DamagedFrames
) -> Iterator[Crop]:
    """Of the views whose image can be shown; one is read when it is asked for."""
    for frame, share in views:
        try:
            rgb = _cut_out(frame, object_id)
        except FrameError as error:
            damaged.note(frame.frame_number, error)
        else:
            yield Crop(frame.frame_number, frame.location_id, share, rgb)


def _cut_out(frame: KeyFrame, object_id: int) -> NDArray[np.uint8]:
    """
    Raises:
        FrameError: the bytes are no image of the frame's camera.
    """
    rgb = decode_color_file(frame.jpeg)
    height, width = rgb.shape[:2]
    if (width, height) != (frame.camera.width, frame.camera.height):
        raise FrameError(
            f"it has {width}x{height} pixels, its camera {frame.camera.width}x{frame.camera.height}"
        )
    x0, y0, x1, y1 = frame.boxes_px[object_id]
    dx, dy = _MARGIN * (x1 - x0), _MARGIN * (y1 - y0)
    left, top = max(int(x0 - dx), 0), max(int(y0 - dy), 0)
    right, bottom = min(int(x1 + dx) + 1, width), min(int(y1 + dy) + 1, height)
    return np.ascontiguousarray(rgb[top:bottom, left:right])
