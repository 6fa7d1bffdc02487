"""The memory on disk: one SQLite file that survives a killed process."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.disk import rows
from scenemind.memory.disk.changes import Changes, FrameRecord
from scenemind.memory.disk.frame_columns import FrameColumns
from scenemind.memory.disk.frame_tables import FrameTables
from scenemind.memory.disk.store_schema import check, connect, create_tables, sqlite_errors
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.tree.tree import TreeChanges
from scenemind.memory.tree.views import ViewsRecord
from scenemind.memory.types import Correction, Description, Embedding

_TABLES = (
    *("frames", "cameras", "labels", "detections", "locations", "tracklets", "views"),
    *("objects", "corrections", "descriptions", "embeddings", "structure"),
)
_LOG_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True, eq=False)
class StoredMemory:
    """Everything needed to go on, except images and DetNodes, which stay on disk.

    Attributes:
        last_frame: the newest frame, without its detections; None in an empty memory.
        image_bytes: frame -> bytes of its image, for those that have one.
        path: (N, 3) float32, world: the camera's way.
        largest_track_id: -1 when nothing was tracked yet.
        structure: as its estimator packed it; None: nothing is known.
    """

    last_frame: FrameRecord | None
    image_bytes: Mapping[int, int]
    path: NDArray[np.float32]
    largest_track_id: int
    tree: TreeChanges
    views: tuple[ViewsRecord, ...]
    objects: tuple[ObjectRecord, ...]
    corrections: tuple[Correction, ...]
    descriptions: tuple[Description, ...]
    embeddings: tuple[Embedding, ...]
    structure: bytes | None


class Store:
    """Reads and writes, from any thread, one at a time.

    All methods raise `SceneMemoryError` when SQLite fails; a failed write leaves no trace.
    """

    def __init__(self, path: Path, *, to_read: bool = False) -> None:
        """Open an existing file.

        Args:
            to_read: whatever writes fails.

        Raises:
            SceneMemoryError: it is missing, damaged, no memory, or of another version.
        """
        self._path = path
        self._lock = threading.Lock()
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
        # The log is 4 MB and grows while a copy is made; afterwards it shrinks again.
        self._connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
        self._connection.execute(f"PRAGMA query_only = {int(to_read)}")
        self._frames = FrameTables(self._connection)

    @classmethod
    def create(cls, path: Path) -> Store:
        """A new, empty file."""
        create_tables(path)
        return cls(path)

    def write(self, changes: Changes) -> None:
        """All of it in one transaction."""
        with self._transaction("storing"):
            self._frames.write(changes.frames)
            self._frames.write_images(changes.images)
            self._write_tree(changes.tree)
            self._write_views(changes.views)
            self._write_objects(changes)
            self._write_said(changes)

    def write_images(self, image_bytes: Mapping[int, int]) -> None:
        """Frame -> bytes of its image; 0: it has none any more."""
        with self._transaction("storing"):
            self._frames.write_images(image_bytes)

    def load(self) -> StoredMemory:
        """What was committed last."""
        with self._lock, sqlite_errors(self._path, "reading"):
            query = self._connection.execute
            (largest,) = query("SELECT MAX(track_id) FROM tracklets").fetchone()
            structure = query("SELECT packed FROM structure").fetchone()
            tree = TreeChanges(
                tuple(map(rows.location_of, query("SELECT * FROM locations ORDER BY id"))),
                tuple(map(rows.tracklet_of, query("SELECT * FROM tracklets"))),
            )
            return StoredMemory(
                last_frame=self._frames.find_newest(),
                image_bytes=self._frames.image_bytes(),
                path=self._frames.path(),
                largest_track_id=-1 if largest is None else largest,
                tree=tree,
                views=tuple(starmap(ViewsRecord, query("SELECT * FROM views"))),
                objects=tuple(map(rows.object_of, query("SELECT * FROM objects ORDER BY id"))),
                corrections=tuple(
                    map(rows.correction_of, query("SELECT * FROM corrections ORDER BY id"))
                ),
                descriptions=tuple(map(rows.description_of, query("SELECT * FROM descriptions"))),
                embeddings=tuple(map(rows.embedding_of, query("SELECT * FROM embeddings"))),
                structure=None if structure is None else structure[0],
            )

    def find_frame(self, number: int) -> FrameRecord | None:
        """A frame with its detections; None when it is not stored (yet)."""
        with self._lock, sqlite_errors(self._path, f"reading frame {number}"):
            return self._frames.find(number)

    def frame_columns(self, numbers: Sequence[int]) -> FrameColumns:
        """Those of some frames that are stored, with their detections."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return self._frames.columns(numbers)

    def frame_stamps(self) -> NDArray[np.int64]:
        """(N, 2) int64: number and stamp of every frame, by ascending number."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return self._frames.stamps()

    def views(self, first_ns: int, last_ns: int) -> list[tuple[Pose, PinholeCamera]]:
        """`world_T_camera` and camera of frames between two stamps, one for each place of the
        way."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return self._frames.views(first_ns, last_ns)

    def image_numbers(self) -> list[int]:
        """Frames whose image is on disk, ascending."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return list(self._frames.image_bytes())

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
        self._frames.forget()

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
                self._frames.forget()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

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

        for table in ("descriptions", "embeddings"):
            self._connection.executemany(f"DELETE FROM {table} WHERE object_id = ?", gone)

    def _write_said(self, changes: Changes) -> None:
        """By people and by models; and the building."""
        self._put("corrections", map(rows.correction_row, changes.corrections), 10)
        self._put("descriptions", map(rows.description_row, changes.descriptions), 2)
        self._put("embeddings", map(rows.embedding_row, changes.embeddings), 4)
        if changes.structure is not None:
            self._put("structure", [(0, changes.structure)], 2)

    def _put(self, table: str, values: Iterable[rows.Row], columns: int) -> None:
        marks = ", ".join("?" * columns)
        self._connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)
