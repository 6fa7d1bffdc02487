"""The tables of frames and their detections (DetNodes).

Rows of frames are small, because all of them are scanned at every opening. The detections of a
frame are packed into one row, because an hour of driving has two million of them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose
from scenemind.geometry.pose import POSE_NUMBERS, matrices_of
from scenemind.memory.disk import rows
from scenemind.memory.disk.changes import FrameRecord
from scenemind.memory.types import DetectionNode

# One detection as it is stored. `label` is a row of the table `labels`.
DETECTION = np.dtype(
    [("track", "<i4"), ("label", "<u2"), ("score", "<f4"), ("box_px", "<f4", (4,))]
)


@dataclass(frozen=True, slots=True, eq=False)
class FrameColumns:
    """N frames with M detections; the arrays are read-only.

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
        """These frames followed by newer ones, whose numbers are larger."""
        joined = {
            name: np.concatenate((getattr(self, name), getattr(newer, name)))
            for name in (*_OF_FRAMES, *_OF_DETECTIONS)
        }
        joined["frame_rows"][len(self.frame_rows) :] += np.int32(len(self))
        return FrameColumns(**joined, cameras=newer.cameras, labels=newer.labels)

    def only(self, kept: NDArray[np.bool_]) -> FrameColumns:
        """The frames of a mask (N,), with their detections."""
        kept_detections = kept[self.frame_rows]
        left = {name: getattr(self, name)[kept] for name in _OF_FRAMES}
        left |= {name: getattr(self, name)[kept_detections] for name in _OF_DETECTIONS}
        left["frame_rows"] = (np.cumsum(kept, dtype=np.int32) - 1)[left["frame_rows"]]
        return FrameColumns(**left, cameras=self.cameras, labels=self.labels)


_COLUMNS = [column.name for column in fields(FrameColumns)]
_OF_FRAMES, _OF_DETECTIONS = _COLUMNS[:5], _COLUMNS[5:10]

_FRAME = (
    "SELECT number, stamp_ns, location_id, world_T_camera, on_path, width, height, fx, fy, cx, cy,"
    " packed FROM frames JOIN cameras ON camera_id = cameras.id LEFT JOIN detections ON number ="
    " frame"
)


class FrameTables:
    """Reads and writes the tables on a connection whose owner locks it, opens transactions and
    translates errors."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._camera_ids: dict[PinholeCamera, int] = {}
        self._label_ids: dict[str, int] = {}
        self._labels: dict[int, str] = {}

    def forget(self) -> None:
        """Drop cached ids after a rollback, as their rows may be missing."""
        self._camera_ids.clear()
        self._label_ids.clear()
        self._labels.clear()

    def write(self, frames: Iterable[FrameRecord]) -> None:
        """Write new frames, whose images are not on disk yet."""
        for frame in frames:
            self._connection.execute(
                "INSERT OR REPLACE INTO frames VALUES (?, ?, ?, ?, ?, ?, 0)",
                (
                    frame.number,
                    frame.stamp_ns,
                    frame.location_id,
                    self._camera_id(frame.camera),
                    rows.pose_blob(frame.world_T_camera),
                    frame.on_path,
                ),
            )
            if frame.detections:
                self._connection.execute(
                    "INSERT OR REPLACE INTO detections VALUES (?, ?)",
                    (frame.number, self._pack(frame).tobytes()),
                )

    def write_images(self, image_bytes: Mapping[int, int]) -> None:
        """Set the size in bytes of images by frame; 0: the frame has none."""
        self._connection.executemany(
            "UPDATE frames SET image_bytes = ? WHERE number = ?",
            [(size, number) for number, size in image_bytes.items()],
        )

    def find(self, number: int) -> FrameRecord | None:
        """A frame with its detections."""
        row = self._connection.execute(f"{_FRAME} WHERE number = ?", (number,)).fetchone()
        return None if row is None else self._record(row)

    def find_newest(self) -> FrameRecord | None:
        row = self._connection.execute(f"{_FRAME} ORDER BY number DESC LIMIT 1").fetchone()
        return None if row is None else self._record(row)

    def columns(self, numbers: Sequence[int]) -> FrameColumns:
        """The stored ones of some frames, with their detections."""
        query = self._connection.execute
        found = query(
            "SELECT number, stamp_ns, location_id, camera_id, world_T_camera, packed FROM frames"
            " LEFT JOIN detections ON number = frame"
            " WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number",
            (json.dumps(numbers),),
        ).fetchall()
        cameras = query("SELECT id, width, height, fx, fy, cx, cy FROM cameras")
        return FrameColumns.of_rows(
            found,
            {camera_id: PinholeCamera(*camera) for camera_id, *camera in cameras},
            dict(query("SELECT id, label FROM labels")),
        )

    def image_bytes(self) -> dict[int, int]:
        """Frame -> size in bytes of its image, of all that have one."""
        return dict(
            self._connection.execute(
                "SELECT number, image_bytes FROM frames WHERE image_bytes > 0 ORDER BY number"
            )
        )

    def path(self) -> NDArray[np.float32]:
        """(N, 3) float32, world: the camera's path."""
        poses = self._connection.execute(
            "SELECT world_T_camera FROM frames WHERE on_path ORDER BY number"
        )
        buffer = b"".join(blob for (blob,) in poses)
        return np.frombuffer(buffer, np.float64).reshape(-1, 7)[:, :3].astype(np.float32)

    def stamps(self) -> NDArray[np.int64]:
        """(N, 2) int64: number and stamp of every frame, by ascending number."""
        found = self._connection.execute("SELECT number, stamp_ns FROM frames ORDER BY number")
        return np.array(found.fetchall(), np.int64).reshape(-1, 2)

    def views(self, first_ns: int, last_ns: int) -> list[tuple[Pose, PinholeCamera]]:
        """`world_T_camera` and camera of frames between two stamps, one for each place of the
        camera's path."""
        found = self._connection.execute(
            "SELECT world_T_camera, width, height, fx, fy, cx, cy FROM frames JOIN cameras"
            " ON camera_id = cameras.id WHERE on_path AND stamp_ns BETWEEN ? AND ?"
            " ORDER BY number",
            (first_ns, last_ns),
        )
        return [(rows.pose_of(pose), PinholeCamera(*camera)) for pose, *camera in found]

    def _record(self, row: rows.Row) -> FrameRecord:
        number, stamp_ns, location_id, pose, on_path, *camera, packed = row
        seen = np.frombuffer(packed or b"", DETECTION)
        return FrameRecord(
            number,
            stamp_ns,
            location_id,
            PinholeCamera(*camera),
            rows.pose_of(pose),
            bool(on_path),
            tuple(_nodes(number, stamp_ns, seen)),
            tuple(self._label(label_id) for label_id in seen["label"].tolist()),
            tuple(seen["track"].tolist()),
        )

    def _pack(self, frame: FrameRecord) -> NDArray[np.void]:
        packed = np.empty(len(frame.detections), DETECTION)
        packed["track"] = frame.track_ids
        packed["label"] = [self._label_id(label) for label in frame.labels]
        packed["score"] = [node.score for node in frame.detections]
        packed["box_px"] = [node.box_px for node in frame.detections]
        return packed

    def _camera_id(self, camera: PinholeCamera) -> int:
        if camera not in self._camera_ids:
            values = (camera.width, camera.height, camera.fx, camera.fy, camera.cx, camera.cy)
            self._connection.execute(
                "INSERT OR IGNORE INTO cameras (width, height, fx, fy, cx, cy)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                values,
            )
            (self._camera_ids[camera],) = self._connection.execute(
                "SELECT id FROM cameras WHERE (width, height, fx, fy, cx, cy) = (?, ?, ?, ?, ?, ?)",
                values,
            ).fetchone()
        return self._camera_ids[camera]

    def _label_id(self, label: str) -> int:
        if label not in self._label_ids:
            self._connection.execute("INSERT OR IGNORE INTO labels (label) VALUES (?)", (label,))
            (self._label_ids[label],) = self._connection.execute(
                "SELECT id FROM labels WHERE label = ?", (label,)
            ).fetchone()
        return self._label_ids[label]

    def _label(self, label_id: int) -> str:
        if label_id not in self._labels:
            self._labels = dict(self._connection.execute("SELECT id, label FROM labels"))
        return self._labels[label_id]


def _nodes(number: int, stamp_ns: int, seen: NDArray[np.void]) -> list[DetectionNode]:
    columns = zip(seen["score"].tolist(), seen["box_px"].tolist(), strict=True)
    return [DetectionNode(number, stamp_ns, score, tuple(box)) for score, box in columns]
