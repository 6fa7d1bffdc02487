"""The tables of a memory on disk, and the check that a file holds them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from scenemind.memory.errors import SceneMemoryError

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
MIGRATABLE = ("1", "2")
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
-- Perception's view of the objects, tentative ones included; corrections are laid over it.
CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    summary TEXT NOT NULL,                -- JSON: the fields of ObjectRecord that are no arrays
    points BLOB NOT NULL,                 -- (M + S, 3) float32, world: voxels, surface
    hits BLOB NOT NULL                    -- (2, M) float32: hits, weights
);
-- The journal of what people said.
CREATE TABLE corrections (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL, object_ids TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    by TEXT NOT NULL, reason TEXT NOT NULL, stamp_ns INTEGER NOT NULL,
    undone_ns INTEGER NOT NULL,           -- 0: it stands
    details TEXT NOT NULL                 -- JSON: places and new_ids of an Edit, anchors
);
-- What a vision-language model said of objects, and their image vectors by encoder.
CREATE TABLE descriptions (object_id INTEGER PRIMARY KEY, summary TEXT NOT NULL);
CREATE TABLE embeddings (
    object_id INTEGER NOT NULL, encoder TEXT NOT NULL,
    views INTEGER NOT NULL,
    vector BLOB NOT NULL,                 -- (D,) float32
    PRIMARY KEY (object_id, encoder)
) WITHOUT ROWID;
-- What is known of floor, walls and ceiling: one row, as the estimator packs it.
CREATE TABLE structure (id INTEGER PRIMARY KEY CHECK (id = 0), packed BLOB NOT NULL);
"""


@contextmanager
def sqlite_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn SQLite's errors into the package's.

    Raises:
        SceneMemoryError: naming the file and what could not be done.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise SceneMemoryError(f"{path}: {doing} failed: {error}") from error


def connect(path: Path) -> sqlite3.Connection:
    """To an existing file, which this does not touch yet; transactions are explicit."""
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=rw",
        uri=True,
        check_same_thread=False,
        isolation_level=None,
    )


def create_tables(path: Path) -> None:
    """A new file. In WAL mode a killed process loses nothing that it has committed.

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


def tables() -> dict[str, str]:
    """Table -> the statement that creates it."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(_SCHEMA)
        return dict(empty.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))


def read_meta(path: Path) -> dict[str, str]:
    """What the file says of itself, such as its version; it need not be of this one.

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


def check(connection: sqlite3.Connection, path: Path) -> None:
    """That the file is whole, a memory, and of this version.

    Raises:
        SceneMemoryError: it is not; says what it is instead and what to do.
    """
    try:
        version = _meta(connection).get("version", "unknown")
        if version == str(VERSION):
            _check_pages(connection, path)
    except sqlite3.Error as error:
        raise SceneMemoryError(_NO_MEMORY.format(path=path, error=error)) from error
    if version in MIGRATABLE:
        raise SceneMemoryError(
            f"{path} is a memory of version {version}, this SceneMind reads version {VERSION}: run"
            f" `scenemind memory migrate {path.parent.name}`"
        )
    if version != str(VERSION):
        raise SceneMemoryError(
            f"{path} is a memory of version {version}, this SceneMind reads version {VERSION}:"
            " open it with the SceneMind that wrote it"
        )


def _meta(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT key, value FROM meta"))


def _check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """That the file is not cut short, and all pages of the tables that structure the rest.

    The two large tables are left out, or an hour's memory would take seconds: objects are read
    right after this, and detections one frame at a time.

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
    """Its header (SQLite file format, 1.3) names the page size and how many pages there are; what
    a killed process left in the log beside it is not counted."""
    with path.open("rb") as file:
        header = file.read(32)
    page_size = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    return path.stat().st_size < pages * (65536 if page_size == 1 else page_size)
