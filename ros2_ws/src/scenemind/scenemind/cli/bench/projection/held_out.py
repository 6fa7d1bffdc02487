"""Every second stored frame is measured from; detections in the others judge what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, Pose, iou_matrix_2d
from scenemind.memory import FrameIndex, MapObject
from scenemind.reasoning.vlm_grounder.projection.outline import find_bounds_px
from scenemind.reasoning.vlm_grounder.types import BoxPx


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """One detection in a frame that nothing was measured from.

    Attributes:
        iou: of the detection with the bounds of the measured box there. covered: share of the
            detection inside these bounds. map_iou: as `iou`, of the map's own box, which was made
            from this frame as well.
    """

    row: int
    box_px: BoxPx
    iou: float
    covered: float
    map_iou: float


def every_second(index: FrameIndex) -> FrameIndex:
    """The first, third, ... of the stored frames."""
    rows = np.arange(0, len(index), 2)
    stays = index.detection_frames % 2 == 0
    return replace(
        index,
        frame_numbers=index.frame_numbers[rows],
        stamps_ns=index.stamps_ns[rows],
        location_ids=index.location_ids[rows],
        world_T_camera=index.world_T_camera[rows],
        camera_indices=index.camera_indices[rows],
        detection_frames=index.detection_frames[stays] // 2,
        detection_labels=index.detection_labels[stays],
        detection_objects=index.detection_objects[stays],
        detection_scores=index.detection_scores[stays],
        detection_boxes_px=index.detection_boxes_px[stays],
    )


def held_out_rows(thing: MapObject, index: FrameIndex) -> NDArray[np.intp]:
    """Detections of it in the second, fourth, ... frames."""
    own = index.detection_objects == thing.object_id
    return np.flatnonzero(own & (index.detection_frames % 2 == 1))


def held_against(box: Box3D, map_box: Box3D, index: FrameIndex, row: int) -> HeldOut:
    """One detection, by its row of the index, against the measured box and the map's."""
    detected = as_box(index.detection_boxes_px[row])
    bounds, map_bounds = _bounds(box, index, row), _bounds(map_box, index, row)
    iou, covered = (0.0, 0.0) if bounds is None else _overlap(bounds, detected)
    map_iou = 0.0 if map_bounds is None else _overlap(map_bounds, detected)[0]
    return HeldOut(row, detected, iou, covered, map_iou)


def _bounds(box: Box3D, index: FrameIndex, row: int) -> BoxPx | None:
    at = index.detection_frames[row]
    camera = index.cameras[index.camera_indices[at]]
    return find_bounds_px(box, camera, Pose.from_matrix(index.world_T_camera[at]))


def _overlap(bounds: BoxPx, detected: BoxPx) -> tuple[float, float]:
    """IoU, and the share of what was detected that lies within the bounds."""
    a, b = np.array([bounds]), np.array([detected])
    low, high = np.maximum(a[0, :2], b[0, :2]), np.minimum(a[0, 2:], b[0, 2:])
    shared = float(np.prod(np.clip(high - low, 0.0, None)))
    area = float(np.prod(b[0, 2:] - b[0, :2]))
    return float(iou_matrix_2d(a, b)[0, 0]), shared / max(area, 1e-9)


def as_box(values: NDArray[np.float32]) -> BoxPx:
    x0, y0, x1, y1 = (float(value) for value in values)
    return (x0, y0, x1, y1)
