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

from scenemind.errors import SceneMemoryError
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.disk import rows
from scenemind.memory.disk.changes import Changes, FrameRecord
from scenemind.memory.disk.frame_tables import FrameColumns, FrameTables
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.tree.best_views import ViewsRecord
from scenemind.memory.tree.mem_tree import TreeChanges
from scenemind.memory.types import Correction, Description, Embedding

VERSION = 3
_CHECKED = (
    "frames",
    "cameras",
    "labels",
    "locations",
    "tracklets",
    "views",
    "corrections",
    "structure",
    "descriptions",
)
_NO_MEMORY = (
    "{path} is no scene memory, or a damaged one ({error}): open another one, or move it away and"
    " map again"
)
_SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('kind', 'scenemind memory'), ('version', '{VERSION}');

CREATE TABLE cameras (
    id INTEGER PRIMARY KEY,
    width INTEGER, height INTEGER, fx REAL, fy REAL, cx REAL, cy REAL,
    UNIQUE (width, height, fx, fy, cx, cy)
);
-- Every integrated frame.
CREATE TABLE frames (
    number INTEGER PRIMARY KEY,
    stamp_ns INTEGER NOT NULL,
    location_id INTEGER NOT NULL,
    camera_id INTEGER NOT NULL REFERENCES cameras (id),
    world_T_camera BLOB NOT NULL,         -- 7 float64: x y z, quaternion x y z w
    on_path INTEGER NOT NULL,             -- the camera had moved since the last such frame
    image_bytes INTEGER NOT NULL          -- of its files, which are there; 0: it has none
);
-- LocNodes.
CREATE TABLE locations (
    id INTEGER PRIMARY KEY,
    anchor BLOB NOT NULL,                 -- 7 float64, as above
    first_stamp_ns INTEGER NOT NULL, last_stamp_ns INTEGER NOT NULL,
    first_frame INTEGER NOT NULL, last_frame INTEGER NOT NULL,
    revisit_of INTEGER
);
-- ObjNodes.
CREATE TABLE tracklets (
    location_id INTEGER NOT NULL, track_id INTEGER NOT NULL,
    label TEXT NOT NULL,
    object_id INTEGER,
    detection_count INTEGER NOT NULL,
    first_seen_ns INTEGER NOT NULL, last_seen_ns INTEGER NOT NULL,
    best BLOB NOT NULL,                   -- frame, stamp_ns int64; score, x0, y0, x1, y1 float64
    trajectory BLOB NOT NULL,             -- (T, 3) float32, world
    PRIMARY KEY (location_id, track_id)
) WITHOUT ROWID;
-- The best stored views of an object at a location; object 0: of the location itself.
CREATE TABLE views (
    location_id INTEGER NOT NULL, object_id INTEGER NOT NULL,
    packed BLOB NOT NULL,                 -- a view: frame int32, score float32, box 4 int16
    PRIMARY KEY (location_id, object_id)
) WITHOUT ROWID;
-- DetNodes, all of a frame packed: track int32 (-1: seen, but not tracked), label uint16, score
-- float32, box 4 float32.
CREATE TABLE detections (frame INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE labels (id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);
-- Objects as perceived, tentative ones included; corrections are applied on reading.
CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    summary TEXT NOT NULL,                -- JSON: the fields of ObjectRecord that are no arrays
    points BLOB NOT NULL,                 -- (M + S, 3) float32, world: voxels, surface
    hits BLOB NOT NULL                    -- (2, M) float32: hits, weights
);
-- The journal of corrections.
CREATE TABLE corrections (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL, object_ids TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    by TEXT NOT NULL, reason TEXT NOT NULL, stamp_ns INTEGER NOT NULL,
    undone_ns INTEGER NOT NULL,           -- 0: it stands
    details TEXT NOT NULL                 -- JSON: places and new_ids of an Edit, anchors
);
-- Descriptions of objects by vision-language models, and image vectors by encoder.
CREATE TABLE descriptions (object_id INTEGER PRIMARY KEY, summary TEXT NOT NULL);
CREATE TABLE embeddings (
    object_id INTEGER NOT NULL, encoder TEXT NOT NULL,
    views INTEGER NOT NULL,
    vector BLOB NOT NULL,                 -- (D,) float32
    PRIMARY KEY (object_id, encoder)
) WITHOUT ROWID;
-- Floor, walls and ceiling: one row, packed by the estimator.
CREATE TABLE structure (id INTEGER PRIMARY KEY CHECK (id = 0), packed BLOB NOT NULL);
"""


@contextmanager
def sqlite_errors(path: Path, doing: str) -> Iterator[None]:
    """Translate SQLite's errors.

    Raises:
        SceneMemoryError: names the file and the failed operation.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise SceneMemoryError(f"{path}: {doing} failed: {error}") from error


def connect(path: Path) -> sqlite3.Connection:
    """A connection to an existing file, which is not read yet; transactions are explicit."""
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=rw",
        uri=True,
        check_same_thread=False,
        isolation_level=None,
    )


def create_tables(path: Path) -> None:
    """Create a file. In WAL mode a killed process loses no committed change.

    Raises:
        SceneMemoryError: it cannot be written.
    """
    with sqlite_errors(path, "creating a memory"):
        connection = sqlite3.connect(path)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
        finally:
            connection.close()


def read_meta(path: Path) -> dict[str, str]:
    """The metadata of a file, such as its version, which may be another one.

    Raises:
        SceneMemoryError: it is no memory, or a damaged one.
    """
    connection = connect(path)
    try:
        return _meta(connection)
    except sqlite3.Error as error:
        raise SceneMemoryError(_NO_MEMORY.format(path=path, error=error)) from error
    finally:
        connection.close()


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is undamaged, a memory, and of this version.

    Raises:
        SceneMemoryError: it is not; the message says what it is and what to do.
    """
    try:
        version = _meta(connection).get("version", "unknown")
        if version == str(VERSION):
            _check_pages(connection, path)
    except sqlite3.Error as error:
        raise SceneMemoryError(_NO_MEMORY.format(path=path, error=error)) from error
    if version != str(VERSION):
        raise SceneMemoryError(
            f"{path} is a memory of version {version}, this SceneMind reads version {VERSION}:"
            " map the place again, or open it with the SceneMind that wrote it"
        )


def _meta(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT key, value FROM meta"))


def _check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is not cut short, and the pages of all but the two large tables.

    An hour's memory would take seconds with these: objects are read right after this check, and
    detections one frame at a time.

    Raises:
        SceneMemoryError: the file is damaged.
    """
    damage = [f"{path.stat().st_size} bytes"] if _is_cut_short(path) else []
    for table in () if damage else _CHECKED:
        damage += [row[0] for row in connection.execute(f"PRAGMA quick_check({table})")]
    if set(damage) - {"ok"}:
        raise SceneMemoryError(
            f"{path} is damaged ({damage[0]}): restore a copy (save_as makes them), or map again"
        )


def _is_cut_short(path: Path) -> bool:
    """True if the file is shorter than its header says (SQLite file format, 1.3): page size times
    number of pages, without the log of a killed process beside it."""
    with path.open("rb") as file:
        header = file.read(32)
    page_size = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    return path.stat().st_size < pages * (65536 if page_size == 1 else page_size)


_TABLES = (
    *("frames", "cameras", "labels", "detections", "locations", "tracklets", "views"),
    *("objects", "corrections", "descriptions", "embeddings", "structure"),
)
_LOG_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True, eq=False)
class StoredMemory:
    """The state to continue from, without images and DetNodes, which stay on disk.

    Attributes:
        last_frame: the newest frame, without its detections; None in an empty memory.
        image_bytes: frame -> size in bytes of its image, for frames that have one.
        path: (N, 3) float32, world: the camera's path.
        largest_track_id: -1 before the first track.
        structure: packed by its estimator; None: nothing is known.
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
    """Reads and writes the SQLite file, from any thread, one at a time.

    All methods raise `SceneMemoryError` when SQLite fails; a failed write is rolled back.
    """

    def __init__(self, path: Path, *, to_read: bool = False) -> None:
        """Open an existing file.

        Args:
            to_read: refuse writes.

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
            _check_schema(self._connection, path)
        except SceneMemoryError:
            self._connection.close()
            raise
        # With WAL this keeps the file undamaged in a power cut; only the last commits may be lost.
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
        """Write all changes in one transaction."""
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
        """The last committed state."""
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
        """The stored ones of some frames, with their detections."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return self._frames.columns(numbers)

    def frame_stamps(self) -> NDArray[np.int64]:
        """(N, 2) int64: number and stamp of every frame, by ascending number."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return self._frames.stamps()

    def views(self, first_ns: int, last_ns: int) -> list[tuple[Pose, PinholeCamera]]:
        """`world_T_camera` and camera of frames between two stamps, one for each place of the
        camera's path."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return self._frames.views(first_ns, last_ns)

    def image_numbers(self) -> list[int]:
        """Frames whose image is on disk, ascending."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return list(self._frames.image_bytes())

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy of the committed state, while writing continues."""
        with sqlite_errors(path, "copying the memory"):
            source, target = connect(self._path), sqlite3.connect(path)
            try:
                source.backup(target)
            finally:
                source.close()
                target.close()

    def clear(self) -> None:
        """Delete all content."""
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
        """Write corrections, descriptions, vectors and structure."""
        self._put("corrections", map(rows.correction_row, changes.corrections), 10)
        self._put("descriptions", map(rows.description_row, changes.descriptions), 2)
        self._put("embeddings", map(rows.embedding_row, changes.embeddings), 4)
        if changes.structure is not None:
            self._put("structure", [(0, changes.structure)], 2)

    def _put(self, table: str, values: Iterable[rows.Row], columns: int) -> None:
        marks = ", ".join("?" * columns)
        self._connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)
