"""The memory on disk: one SQLite file that survives a killed process."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera
from scenemind.memory.disk import rows
from scenemind.memory.disk.changes import Changes, FrameRecord
from scenemind.memory.disk.store_schema import check, connect, create_tables, sqlite_errors
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.tree.tree import TreeChanges
from scenemind.memory.tree.views import ViewsRecord
from scenemind.memory.types import Correction, DetectionNode

_TABLES = (
    *("frames", "cameras", "detections", "locations", "tracklets", "views"),
    *("objects", "corrections"),
)


@dataclass(frozen=True, slots=True, eq=False)
class StoredMemory:
    """Everything needed to go on, except images and DetNodes, which stay on disk.

    Attributes:
        last_frame: the newest frame, without its detections; None in an empty memory.
        positions: (N, 3) float32, world: where the camera took the stored images.
        largest_track_id: -1 when nothing was tracked yet.
    """

    last_frame: FrameRecord | None
    positions: NDArray[np.float32]
    largest_track_id: int
    tree: TreeChanges
    views: tuple[ViewsRecord, ...]
    objects: tuple[ObjectRecord, ...]
    corrections: tuple[Correction, ...]


class Store:
    """Reads and writes, from any thread, one at a time.

    All methods raise `SceneMemoryError` when SQLite fails; a failed write leaves no trace.
    """

    def __init__(self, path: Path) -> None:
        """Open an existing file.

        Raises:
            SceneMemoryError: it is missing, damaged, no memory, or of another version.
        """
        self._path = path
        self._lock = threading.Lock()
        self._camera_ids: dict[PinholeCamera, int] = {}
        if not path.is_file():
            raise SceneMemoryError(f"there is no memory at {path}")
        with sqlite_errors(path, "opening"):
            self._connection = connect(path)
        try:
            check(self._connection, path)
        except SceneMemoryError:
            self._connection.close()
            raise
        # With WAL this keeps the file whole in a power cut too; only the last commits may be lost.
        self._connection.execute("PRAGMA synchronous = NORMAL")

    @classmethod
    def create(cls, path: Path) -> Store:
        """A new, empty file."""
        create_tables(path)
        return cls(path)

    def write(self, changes: Changes | None, corrections: Sequence[Correction] = ()) -> None:
        """All of it in one transaction."""
        with self._transaction("storing"):
            if changes is not None:
                self._write_frames(changes.frames)
                self._write_tree(changes.tree)
                self._write_views(changes.views)
                self._write_objects(changes)
            self._put("corrections", map(rows.correction_row, corrections), 9)

    def load(self) -> StoredMemory:
        """What was committed last."""
        with self._lock, sqlite_errors(self._path, "reading"):
            query = self._connection.execute
            poses = query("SELECT world_T_camera FROM frames WHERE has_image ORDER BY number")
            buffer = b"".join(blob for (blob,) in poses)
            (largest,) = query("SELECT MAX(track_id) FROM tracklets").fetchone()
            tree = TreeChanges(
                tuple(map(rows.location_of, query("SELECT * FROM locations ORDER BY id"))),
                tuple(map(rows.tracklet_of, query("SELECT * FROM tracklets"))),
            )
            return StoredMemory(
                last_frame=self._find_frame("ORDER BY number DESC LIMIT 1"),
                positions=np.frombuffer(buffer, np.float64).reshape(-1, 7)[:, :3].astype("f4"),
                largest_track_id=-1 if largest is None else largest,
                tree=tree,
                views=tuple(starmap(ViewsRecord, query("SELECT * FROM views"))),
                objects=tuple(map(rows.object_of, query("SELECT * FROM objects ORDER BY id"))),
                corrections=tuple(
                    map(rows.correction_of, query("SELECT * FROM corrections ORDER BY id"))
                ),
            )

    def find_frame(self, number: int) -> FrameRecord | None:
        """A frame with its detections; None when it is not stored (yet)."""
        with self._lock, sqlite_errors(self._path, f"reading frame {number}"):
            return self._find_frame("WHERE number = ?", number)

    def detections_of(
        self, track_id: int, first_frame: int, last_frame: int
    ) -> list[DetectionNode]:
        """The DetNodes of a track in a stretch of frames (both included), oldest first."""
        with self._lock, sqlite_errors(self._path, f"reading track {track_id}"):
            found = self._connection.execute(
                "SELECT frame, stamp_ns, score, x0, y0, x1, y1 FROM detections"
                " JOIN frames ON number = frame"
                " WHERE frame BETWEEN ? AND ? AND track_id = ? ORDER BY frame",
                (first_frame, last_frame, track_id),
            )
            return [
                DetectionNode(frame, stamp_ns, score, tuple(box))
                for frame, stamp_ns, score, *box in found
            ]

    def copy_to(self, path: Path) -> None:
        """A consistent copy of what is committed, while writing goes on."""
        with sqlite_errors(path, "copying the memory"):
            source, target = connect(self._path), sqlite3.connect(path)
            try:
                source.backup(target)
            finally:
                source.close()
                target.close()

    def clear(self) -> None:
        """Forget everything."""
        with self._transaction("clearing"):
            for table in _TABLES:
                self._connection.execute(f"DELETE FROM {table}")
        self._camera_ids.clear()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def _transaction(self, doing: str) -> Iterator[None]:
        with self._lock, sqlite_errors(self._path, doing):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._camera_ids.clear()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _write_frames(self, frames: Iterable[FrameRecord]) -> None:
        for frame in frames:
            self._put("frames", [self._frame_row(frame)], 6)
            columns = zip(frame.track_ids, frame.labels, frame.detections, strict=True)
            self._put(
                "detections",
                [
                    (frame.number, position, track_id, label, node.score, *node.box_px)
                    for position, (track_id, label, node) in enumerate(columns)
                ],
                9,
            )

    def _frame_row(self, frame: FrameRecord) -> rows.Row:
        return (
            frame.number,
            frame.stamp_ns,
            frame.location_id,
            self._camera_id(frame.camera),
            rows.pose_blob(frame.world_T_camera),
            frame.has_image,
        )

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

    def _write_tree(self, tree: TreeChanges) -> None:
        self._put("locations", map(rows.location_row, tree.locations), 7)
        self._put("tracklets", map(rows.tracklet_row, tree.tracklets), 9)

    def _write_views(self, views: Sequence[ViewsRecord]) -> None:
        kept = ((v.location_id, v.object_id, v.packed) for v in views if v.packed)
        self._put("views", kept, 3)
        gone = [(v.location_id, v.object_id) for v in views if not v.packed]
        self._connection.executemany(
            "DELETE FROM views WHERE location_id = ? AND object_id = ?", gone
        )

    def _write_objects(self, changes: Changes) -> None:
        self._put("objects", map(rows.object_row, changes.objects), 4)
        gone = [(object_id,) for object_id in changes.removed_objects]
        self._connection.executemany("DELETE FROM objects WHERE id = ?", gone)

    def _put(self, table: str, values: Iterable[rows.Row], columns: int) -> None:
        marks = ", ".join("?" * columns)
        self._connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)

    def _find_frame(self, clause: str, *values: int) -> FrameRecord | None:
        found = self._connection.execute(
            "SELECT number, stamp_ns, location_id, world_T_camera, has_image, width, height, fx,"
            f" fy, cx, cy FROM frames JOIN cameras ON camera_id = cameras.id {clause}",
            values,
        ).fetchone()
        if found is None:
            return None
        number, stamp_ns, location_id, pose, has_image, *camera = found
        seen = self._connection.execute(
            "SELECT track_id, label, score, x0, y0, x1, y1 FROM detections WHERE frame = ?"
            " ORDER BY position",
            (number,),
        ).fetchall()
        return FrameRecord(
            number,
            stamp_ns,
            location_id,
            PinholeCamera(*camera),
            rows.pose_of(pose),
            bool(has_image),
            tuple(DetectionNode(number, stamp_ns, row[2], tuple(row[3:])) for row in seen),
            tuple(row[1] for row in seen),
            tuple(row[0] for row in seen),
        )
