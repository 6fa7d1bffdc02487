"""The best views of an object in stored frames, cut out, and how much of it each shows."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError
from scenemind.frames.images import decode_color_file
from scenemind.geometry import Box3D
from scenemind.memory import KeyFrame, MapObject, Memory

_log = logging.getLogger(__name__)

_Rectangle = NDArray[np.float64]  # x0, y0, x1, y1 in pixels
# An object hides this one where all of it is nearer, up to this overlap; a support does not.
_TOUCHING_M = 0.05
_GRID = 32  # cells a side in which hidden parts are counted
# Least IoU of the projected and the detected box; below it the object has been moved since.
_SAME_PLACE_IOU = 0.3
_SHARE_OF_CUT = 0.5  # share inside the image where the part outside is unknown
_BORDER_PX = 2.0
# Candidate frames for each crop.
_CANDIDATES = 3
# Least visible share of the object in a good view; worse views are used only where no other exists.
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
    """Count of stored images that cannot be decoded; the first one is logged.

    Attributes:
        count: images skipped.
    """

    def __init__(self) -> None:
        self.count = 0

    def note(self, frame_number: int, error: FrameError) -> None:
        if not self.count:
            _log.warning(
                "The image of frame %d is skipped: %s; later failures are only counted",
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
    """Up to `count` crops of an object, best first: large, with a high score and little occlusion.

    Each location's best crop comes before a second one of any location.

    Args:
        objects: all objects of the map, which may occlude it.
        damaged: counts images that cannot be decoded; the next best view takes their place.

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
    """Whether the object's box is large enough; False where a later frame took the box from it."""
    x0, y0, x1, y1 = frame.boxes_px.get(object_id, (0.0, 0.0, 0.0, 0.0))
    return max(x1 - x0, y1 - y0) >= _LEAST_PX


def _crops(
    views: Iterable[tuple[KeyFrame, float]], object_id: int, damaged: DamagedFrames
) -> Iterator[Crop]:
    """Crops of the views whose image can be decoded, read lazily."""
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


def jpeg_of(rgb: NDArray[np.uint8], longest_px: int, quality: int) -> bytes:
    """RGB (H, W, 3) as a JPEG, scaled down to the longest side; never enlarged."""
    scale = longest_px / max(rgb.shape[:2])
    bgr = cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)
    if scale < 1.0:
        bgr = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, quality))
    return data.tobytes()


def visible_share(thing: MapObject, frame: KeyFrame, objects: Mapping[int, MapObject]) -> float:
    """Visible share of the object in [0, 1], from boxes alone.

    SynergAI (appendix B) finds views of minimal occlusion by rendering points; the boxes of nearer
    objects give the same without the depth image.

    Args:
        frame: with the boxes of all its objects, this one included.
    """
    seen_px = np.asarray(frame.boxes_px[thing.object_id], np.float64)
    near_m = _depths_m(thing.box, frame).min()
    hiding = [
        np.asarray(box_px, np.float64)
        for object_id, box_px in frame.boxes_px.items()
        if object_id != thing.object_id
        and object_id in objects
        and _depths_m(objects[object_id].box, frame).max() <= near_m + _TOUCHING_M
    ]
    return _share_inside(thing.box, seen_px, frame) * (1.0 - _share_covered(seen_px, hiding))


def _depths_m(box: Box3D, frame: KeyFrame) -> NDArray[np.float64]:
    """(8,) of the corners, along the optical axis."""
    corners = frame.world_T_camera.inverse().transform(box.corners())
    return np.asarray(corners[:, 2], np.float64)


def _share_inside(box: Box3D, seen_px: _Rectangle, frame: KeyFrame) -> float:
    """Share of the object that is within the image."""
    size = np.array((frame.camera.width, frame.camera.height), np.float64)
    pixels, depths_m = frame.camera.project(frame.world_T_camera.inverse().transform(box.corners()))
    if depths_m.min() > 0.0:
        whole = np.concatenate((pixels.min(axis=0), pixels.max(axis=0)))
        inside = np.concatenate((np.maximum(whole[:2], 0.0), np.minimum(whole[2:], size)))
        if _iou(inside, seen_px) >= _SAME_PLACE_IOU:
            return _area(inside) / _area(whole)
    is_cut = (seen_px[:2] <= _BORDER_PX).any() or (seen_px[2:] >= size - _BORDER_PX).any()
    return _SHARE_OF_CUT if is_cut else 1.0


def _share_covered(rectangle: _Rectangle, others: list[_Rectangle]) -> float:
    """Share of a rectangle that others cover together."""
    x, y = (
        np.linspace(rectangle[k], rectangle[k + 2], _GRID, endpoint=False)
        + (rectangle[k + 2] - rectangle[k]) / (2 * _GRID)
        for k in (0, 1)
    )
    covered = np.zeros((_GRID, _GRID), bool)
    for x0, y0, x1, y1 in others:
        covered |= ((x >= x0) & (x <= x1)) & ((y >= y0) & (y <= y1))[:, None]
    return float(covered.mean())


def _iou(a: _Rectangle, b: _Rectangle) -> float:
    shared = np.concatenate((np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])))
    both = _area(shared)
    return both / max(_area(a) + _area(b) - both, 1e-9)


def _area(rectangle: _Rectangle) -> float:
    width, height = np.maximum(rectangle[2:] - rectangle[:2], 0.0)
    return float(width * height)
