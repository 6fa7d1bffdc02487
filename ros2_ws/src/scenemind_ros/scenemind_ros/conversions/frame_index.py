"""The index of stored frames between its columns and a response."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry.pose_arrays import POSE_NUMBERS, matrices_of, poses_of
from scenemind.memory import FrameIndex
from scenemind_interfaces.srv import GetFrameIndex
from scenemind_ros.conversions.geometry import camera_from_msg, camera_to_msg
from scenemind_ros.errors import RosError

_ARRAY_TYPES = {"int32": "i", "int64": "q", "float32": "f", "float64": "d"}


def fill_frame_index(
    index: FrameIndex, response: GetFrameIndex.Response, camera_frame: str
) -> None:
    """Whole columns at once: a memory has hundreds of thousands of detections."""
    response.frame_ids = _values(index.frame_numbers)
    response.stamps_ns = _values(index.stamps_ns)
    response.location_ids = _values(index.location_ids)
    response.world_t_camera = _values(poses_of(index.world_T_camera))
    response.camera_indices = _values(index.camera_indices)
    response.cameras = [camera_to_msg(camera, 0, camera_frame) for camera in index.cameras]
    response.detection_frames = _values(index.detection_frames)
    response.detection_labels = _values(index.detection_labels)
    response.detection_objects = _values(index.detection_objects)
    response.detection_scores = _values(index.detection_scores)
    response.detection_boxes_px = _values(index.detection_boxes_px)
    response.labels = list(index.labels)


def frame_index_from_msg(response: GetFrameIndex.Response) -> FrameIndex:
    """
    Raises:
        RosError: columns of different lengths, or a row that is not there.
        GeometryError: a camera or a pose is none.
    """
    frames, detections = len(response.frame_ids), len(response.detection_frames)
    poses = _column(response, "world_t_camera", np.float64, POSE_NUMBERS * frames)
    boxes_px = _column(response, "detection_boxes_px", np.float32, 4 * detections)
    return FrameIndex(
        frame_numbers=_column(response, "frame_ids", np.int32, frames),
        stamps_ns=_column(response, "stamps_ns", np.int64, frames),
        location_ids=_column(response, "location_ids", np.int32, frames),
        world_T_camera=matrices_of(poses.reshape(-1, POSE_NUMBERS)),
        camera_indices=_rows(response, "camera_indices", frames, len(response.cameras)),
        cameras=tuple(camera_from_msg(camera) for camera in response.cameras),
        detection_frames=_rows(response, "detection_frames", detections, frames),
        detection_labels=_rows(response, "detection_labels", detections, len(response.labels)),
        detection_objects=_column(response, "detection_objects", np.int32, detections),
        detection_scores=_column(response, "detection_scores", np.float32, detections),
        detection_boxes_px=boxes_px.reshape(-1, 4),
        labels=tuple(response.labels),
    )


def _values(column: NDArray[Any]) -> array.array[Any]:
    return array.array(_ARRAY_TYPES[column.dtype.name], column.tobytes())


def _rows(
    response: GetFrameIndex.Response, name: str, count: int, of_count: int
) -> NDArray[np.int32]:
    """Rows of another column, of which there are so many."""
    rows = _column(response, name, np.int32, count)
    if count and (rows.min() < 0 or rows.max() >= of_count):
        raise RosError(f"{name} of a frame index names rows beyond the {of_count} that there are")
    return rows


def _column(
    response: GetFrameIndex.Response, name: str, dtype: type[np.generic], count: int
) -> NDArray[Any]:
    column: NDArray[Any] = np.array(getattr(response, name), dtype)
    if len(column) != count:
        raise RosError(f"{name} of a frame index has {len(column)} values, not {count}")
    column.flags.writeable = False
    return column
