"""Where a thing is in another view's image."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, iou_matrix_2d
from scenemind.memory import FrameIndex
from scenemind.reasoning.vlm_grounder.types import BoxPx

_OVERLAP = 0.5  # of the visible points that a detection must hold
_ALIKE = 0.4  # IoU with the points' bounds: a table holds all points of a book
_MARGIN = 0.1  # of the points' extent, around them where nothing was detected
_LEAST_MARGIN_PX = 4.0

Source = Literal["object", "detection", "points"]


def box_in_view(
    pixels: NDArray[np.floating],
    camera: PinholeCamera,
    index: FrameIndex,
    row: int,
    object_id: int | None,
) -> tuple[BoxPx, Source]:
    """The box, and what it is: the detection of the same object of the map, else the detection with
    most projected points an area (as the paper's code) of those that are about as large, else the
    points' bounds.

    Args:
        pixels: (M, 2) of the target's points, finite; at least one.
        row: of the frame index.
    """
    first, end = np.searchsorted(index.detection_frames, (row, row + 1))
    boxes = index.detection_boxes_px[first:end]
    inside = (
        (pixels[None, :, 0] >= boxes[:, None, 0])
        & (pixels[None, :, 0] <= boxes[:, None, 2])
        & (pixels[None, :, 1] >= boxes[:, None, 1])
        & (pixels[None, :, 1] <= boxes[:, None, 3])
    )
    held = inside.mean(axis=1) if len(boxes) else np.zeros(0)
    holds = held >= _OVERLAP
    own = holds & (index.detection_objects[first:end] == object_id)
    if object_id is not None and own.any():
        return _box(boxes[np.argmax(np.where(own, held, -1.0))]), "object"
    bounds = _bounds(pixels, camera)
    holds &= iou_matrix_2d(boxes, np.array([bounds], np.float32))[:, 0] >= _ALIKE
    if holds.any():
        area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
        dense = np.where(holds, held / np.maximum(area, 1.0), -1.0)
        return _box(boxes[np.argmax(dense)]), "detection"
    return bounds, "points"


def _bounds(pixels: NDArray[np.floating], camera: PinholeCamera) -> BoxPx:
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    margin = np.maximum(_MARGIN * (high - low), _LEAST_MARGIN_PX)
    size = (camera.width, camera.height)
    return _box(np.concatenate((np.maximum(low - margin, 0), np.minimum(high + margin, size))))


def _box(values: NDArray[np.floating]) -> BoxPx:
    x0, y0, x1, y1 = (float(value) for value in values)
    return (x0, y0, x1, y1)
