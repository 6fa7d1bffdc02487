"""Stored frames and their DetNodes as columns, for who looks at all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera
from scenemind.geometry.pose_arrays import POSE_NUMBERS, matrices_of

# One detection as it is stored. `label` is a row of the table `labels`.
DETECTION = np.dtype(
    [("track", "<i4"), ("label", "<u2"), ("score", "<f4"), ("box_px", "<f4", (4,))]
)


@dataclass(frozen=True, slots=True, eq=False)
class FrameColumns:
    """N frames with M detections; nobody writes to the arrays.

    Attributes:
        numbers: (N,) int32, ascending. stamps_ns: (N,) int64.
        location_ids: (N,) int32, never falling.
        world_T_camera: (N, 4, 4) float64.
        camera_ids: (N,) int32, keys of `cameras`.
        frame_rows: (M,) int32, rows of the columns above, never falling.
        track_ids: (M,) int32, -1 for a detection without a track.
        label_ids: (M,) int32, keys of `labels`.
        scores: (M,) float32. boxes_px: (M, 4) float32, x0, y0, x1, y1.
    """

    numbers: NDArray[np.int32]
    stamps_ns: NDArray[np.int64]
    location_ids: NDArray[np.int32]
    world_T_camera: NDArray[np.float64]
    camera_ids: NDArray[np.int32]
    frame_rows: NDArray[np.int32]
    track_ids: NDArray[np.int32]
    label_ids: NDArray[np.int32]
    scores: NDArray[np.float32]
    boxes_px: NDArray[np.float32]
    cameras: Mapping[int, PinholeCamera] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (*_OF_FRAMES, *_OF_DETECTIONS):
            getattr(self, name).flags.writeable = False

    def __len__(self) -> int:
        return len(self.numbers)

    @classmethod
    def of_rows(
        cls,
        rows: Sequence[tuple[Any, ...]],
        cameras: Mapping[int, PinholeCamera] = MappingProxyType({}),
        labels: Mapping[int, str] = MappingProxyType({}),
    ) -> FrameColumns:
        """
        Args:
            rows: of each frame, by ascending number: number, stamp_ns, location and camera id, pose
                (7 float64: x, y, z, quaternion x, y, z, w) and its detections, None for none.
        """
        columns = tuple(zip(*rows, strict=True)) or ((),) * 6
        numbers, stamps_ns, location_ids, camera_ids, poses, packed = columns
        blobs = [blob or b"" for blob in packed]
        seen = np.frombuffer(b"".join(blobs), DETECTION)
        counts = np.array([len(blob) for blob in blobs], np.intp) // DETECTION.itemsize
        return cls(
            np.array(numbers, np.int32),
            np.array(stamps_ns, np.int64),
            np.array(location_ids, np.int32),
            matrices_of(np.frombuffer(b"".join(poses), np.float64).reshape(-1, POSE_NUMBERS)),
            np.array(camera_ids, np.int32),
            np.repeat(np.arange(len(rows), dtype=np.int32), counts),
            np.ascontiguousarray(seen["track"]),
            seen["label"].astype(np.int32),
            np.ascontiguousarray(seen["score"]),
            np.ascontiguousarray(seen["box_px"]),
            cameras,
            labels,
        )

    def followed_by(self, newer: FrameColumns) -> FrameColumns:
        """These frames and then those, whose numbers are larger."""
        joined = {
            name: np.concatenate((getattr(self, name), getattr(newer, name)))
            for name in (*_OF_FRAMES, *_OF_DETECTIONS)
        }
        joined["frame_rows"][len(self.frame_rows) :] += np.int32(len(self))
        return FrameColumns(**joined, cameras=newer.cameras, labels=newer.labels)

    def only(self, kept: NDArray[np.bool_]) -> FrameColumns:
        """Args: kept: (N,) bool, which frames stay."""
        kept_detections = kept[self.frame_rows]
        left = {name: getattr(self, name)[kept] for name in _OF_FRAMES}
        left |= {name: getattr(self, name)[kept_detections] for name in _OF_DETECTIONS}
        left["frame_rows"] = (np.cumsum(kept, dtype=np.int32) - 1)[left["frame_rows"]]
        return FrameColumns(**left, cameras=self.cameras, labels=self.labels)


_COLUMNS = [column.name for column in fields(FrameColumns)]
_OF_FRAMES, _OF_DETECTIONS = _COLUMNS[:5], _COLUMNS[5:10]
