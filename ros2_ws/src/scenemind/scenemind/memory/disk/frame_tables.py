"""The tables of frames and their DetNodes: small rows that are scanned at every opening, and the
detections of a frame packed into one, since an hour has two million of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.disk import rows
from scenemind.memory.disk.changes import FrameRecord
from scenemind.memory.disk.frame_columns import DETECTION, FrameColumns
from scenemind.memory.types import DetectionNode

_FRAME = (
    "SELECT number, stamp_ns, location_id, world_T_camera, on_path, width, height, fx, fy, cx, cy,"
    " packed FROM frames JOIN cameras ON camera_id = cameras.id LEFT JOIN detections ON number ="
    " frame"
)


class FrameTables:
    """Speaks SQL on a connection whose owner locks it, opens transactions and turns its errors
    into the package's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._camera_ids: dict[PinholeCamera, int] = {}
        self._label_ids: dict[str, int] = {}
        self._labels: dict[int, str] = {}

    def forget(self) -> None:
        """A transaction was taken back: what it numbered may not be there."""
        self._camera_ids.clear()
        self._label_ids.clear()
        self._labels.clear()

    def write(self, frames: Iterable[FrameRecord]) -> None:
        """New frames, whose images are not on disk yet."""
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
        """Frame -> bytes of its image, 0: it has none (any more)."""
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
        """Those of some frames that there are, with their detections."""
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
        """Frame -> bytes, of all that have an image."""
        return dict(
            self._connection.execute(
                "SELECT number, image_bytes FROM frames WHERE image_bytes > 0 ORDER BY number"
            )
        )

    def path(self) -> NDArray[np.float32]:
        """(N, 3) float32, world: the camera's way."""
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
        way."""
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
