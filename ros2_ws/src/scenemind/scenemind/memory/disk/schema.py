"""The format of `memory.sqlite`: its tables, and the checksum of a row.

A checksum tells damage, such as by a disk, a cable or a program. It tells nothing about a person
who changes a row on purpose and computes it anew; therefore values are checked too, when a row is
read (`rows`).
"""

from __future__ import annotations

import marshal
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

from scenemind.errors import SceneMemoryError
from scenemind.memory.disk.connection import sqlite_errors

Row = tuple[Any, ...]
VERSION = 10
_CREATED = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('kind', 'scenemind memory'), ('version', '{VERSION}');

CREATE TABLE cameras (
    id INTEGER PRIMARY KEY,
    width INTEGER NOT NULL, height INTEGER NOT NULL,
    fx REAL NOT NULL, fy REAL NOT NULL, cx REAL NOT NULL, cy REAL NOT NULL,
    sum INTEGER NOT NULL                  -- the last column of each table: the row's checksum
);
-- Every integrated frame, those of a commit in one row.
CREATE TABLE frames (
    first INTEGER PRIMARY KEY,            -- number of the first of them
    packed BLOB NOT NULL,                 -- `frame_tables.FRAME`
    sum INTEGER NOT NULL
);
-- Frames with an image on disk.
CREATE TABLE images (
    frame INTEGER PRIMARY KEY,
    bytes INTEGER NOT NULL,               -- of its files
    sum INTEGER NOT NULL
);
-- LocNodes.
CREATE TABLE locations (
    id INTEGER PRIMARY KEY,
    anchor BLOB NOT NULL,                 -- 7 float64: x y z, quaternion x y z w
    first_stamp_ns INTEGER NOT NULL, last_stamp_ns INTEGER NOT NULL,
    first_frame INTEGER NOT NULL, last_frame INTEGER NOT NULL,
    revisit_of INTEGER,
    sum INTEGER NOT NULL
);
-- ObjNodes.
CREATE TABLE tracklets (
    location_id INTEGER NOT NULL, track_id INTEGER NOT NULL,
    label TEXT NOT NULL,
    object_id INTEGER,
    detection_count INTEGER NOT NULL,
    first_seen_ns INTEGER NOT NULL, last_seen_ns INTEGER NOT NULL,
    best BLOB NOT NULL,                   -- frame, stamp_ns int64; score, x0, y0, x1, y1 float64
    trajectory BLOB NOT NULL,             -- (T, 3) float32, frame of the location's anchor
    sum INTEGER NOT NULL,
    PRIMARY KEY (location_id, track_id)
) WITHOUT ROWID;
-- The best stored views of an object at a location; object 0: of the location itself.
CREATE TABLE views (
    location_id INTEGER NOT NULL, object_id INTEGER NOT NULL,
    packed BLOB NOT NULL,                 -- `best_views.VIEW`
    sum INTEGER NOT NULL,
    PRIMARY KEY (location_id, object_id)
) WITHOUT ROWID;
-- DetNodes, all of a frame packed as `frame_tables.DETECTION`.
CREATE TABLE detections (
    frame INTEGER PRIMARY KEY, packed BLOB NOT NULL, sum INTEGER NOT NULL
);
CREATE TABLE labels (id INTEGER PRIMARY KEY, label TEXT NOT NULL, sum INTEGER NOT NULL);
-- Objects as perceived, tentative ones included; corrections are applied on reading.
CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    summary TEXT NOT NULL,                -- JSON: the fields of ObjectRecord that are no arrays
    points BLOB NOT NULL,                 -- (M + S, 3) float32, world: voxels, surface
    hits BLOB NOT NULL,                   -- (2, M) float32: hits, weights
    sum INTEGER NOT NULL
);
-- What of these was seen in which stretch of the way, as long as there is more than one.
CREATE TABLE stretches (
    object_id INTEGER PRIMARY KEY,
    summary TEXT NOT NULL,                -- JSON: a list of what is no array
    points BLOB NOT NULL,                 -- (M, 3) uint16, steps from an origin: voxels, in turn
    hits BLOB NOT NULL,                   -- (2, M) float16: hits, weights
    shown BLOB NOT NULL,                  -- (M, 4) bits: whether each of some views showed a voxel;
                                          -- then uint16, where about its point each did
    sum INTEGER NOT NULL
);
-- Poses that were corrected, and what objects turned out to be then.
CREATE TABLE pose_corrections (
    id INTEGER PRIMARY KEY, summary TEXT NOT NULL, sum INTEGER NOT NULL
);
-- The journal of corrections.
CREATE TABLE corrections (
    id INTEGER PRIMARY KEY,
    undone_ns INTEGER NOT NULL,           -- 0: it stands
    entry TEXT NOT NULL,                  -- JSON, as in an exported journal
    sum INTEGER NOT NULL
);
-- Descriptions of objects by vision-language models, and image vectors by encoder.
CREATE TABLE descriptions (
    object_id INTEGER PRIMARY KEY, summary TEXT NOT NULL, sum INTEGER NOT NULL
);
CREATE TABLE embeddings (
    object_id INTEGER NOT NULL, encoder TEXT NOT NULL,
    views INTEGER NOT NULL,
    vector BLOB NOT NULL,                 -- (D,) float32
    sum INTEGER NOT NULL,
    PRIMARY KEY (object_id, encoder)
) WITHOUT ROWID;
-- Floor, walls and ceiling: one row, packed by the estimator.
CREATE TABLE structure (
    id INTEGER PRIMARY KEY CHECK (id = 0), packed BLOB NOT NULL, sum INTEGER NOT NULL
);
-- Free and occupied floor: a row a block of cells.
CREATE TABLE occupancy (
    x INTEGER NOT NULL, y INTEGER NOT NULL,
    packed BLOB NOT NULL,                 -- zlib of `occupancy_map.PACKED`
    sum INTEGER NOT NULL,
    PRIMARY KEY (x, y)
) WITHOUT ROWID;
"""
_SCHEMA = re.sub(r" *--.*", "", _CREATED)  # a file keeps the text, which comments are no part of
_META = "meta"
_KINDS = {"INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}
_ALL_OF_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master"


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose rows have a checksum.

    Attributes:
        key: columns of the primary key, an integer first; they are the first columns.
        kinds: types of all columns but the checksum: each combination that is allowed.
        width: number of columns, with the checksum.
        seed: of the checksums, so that no row of another table passes.
    """

    name: str
    key: tuple[str, ...]
    kinds: frozenset[tuple[type, ...]]
    width: int
    seed: int

    def checksum(self, row: Row) -> int:
        """The checksum of a row without it.

        Raises:
            TypeError: a value is not of its column's type, to the letter.
        """
        if tuple(map(type, row)) not in self.kinds:
            raise TypeError(f"a row of {self.name} holds {[type(v).__name__ for v in row]}")
        return crc32(marshal.dumps(row, 2), self.seed)

    def whole(self, rows: Iterable[Row]) -> list[Row]:
        """Those rows, without their checksums, that have the types and the checksum that they were
        written with."""
        kinds, seed, pack = self.kinds, self.seed, marshal.dumps
        return [
            values
            for row in rows
            if tuple(map(type, values := row[:-1])) in kinds
            and crc32(pack(values, 2), seed) == row[-1]
        ]

    def insert(self, connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
        """Write rows without checksums, in place of those with the same key."""
        marks = ", ".join("?" * self.width)
        connection.executemany(
            f"INSERT OR REPLACE INTO {self.name} VALUES ({marks})",
            [(*row, self.checksum(row)) for row in rows],
        )


@lru_cache(maxsize=1)
def tables() -> Mapping[str, Table]:
    """The tables by name, as the schema has them."""
    with closing(_empty()) as connection:
        names = [row[1] for row in connection.execute(_ALL_OF_SCHEMA) if row[0] == "table"]
        return {name: _table(connection, name) for name in names if name != _META}


def create_tables(path: Path) -> None:
    """Fill an empty file. In WAL mode a killed process loses no committed change.

    Raises:
        SceneMemoryError: it cannot be written.
    """
    with sqlite_errors(path, "creating a memory"), closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN; {_SCHEMA} COMMIT;")


def read_version(connection: sqlite3.Connection, path: Path) -> str:
    """The version of a memory, of which nothing else was checked.

    Raises:
        SceneMemoryError: it is no memory.
        sqlite3.Error: it cannot be read.
    """
    expected = _expected()
    found = connection.execute(f"{_ALL_OF_SCHEMA} WHERE tbl_name = '{_META}'").fetchall()
    if set(found) != {row for row in expected if row[2] == _META}:
        raise SceneMemoryError(f"{path} is no scene memory: it has no table of its version")
    rows = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchall()
    return str(rows[0][0]) if rows else "unknown"


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Check that a file is a memory of this version, with its tables and nothing else.

    Raises:
        SceneMemoryError: it is not; the message says what it is and what to do.
        sqlite3.Error: it cannot be read.
    """
    version = read_version(connection, path)
    if version != str(VERSION):
        raise SceneMemoryError(
            f"{path} is a memory of version {version[:20]}, this SceneMind reads version {VERSION}:"
            " map the place again, or open it with the SceneMind that wrote it"
        )
    differing = set(connection.execute(_ALL_OF_SCHEMA)) ^ _expected()
    if differing:
        names = ", ".join(sorted({str(name)[:40] for _, name, _, _ in differing})[:3])
        raise SceneMemoryError(
            f"{path} is no memory that SceneMind wrote: its schema differs in {names}. Ask whoever"
            " gave it to you for another copy"
        )


@lru_cache(maxsize=1)
def _expected() -> frozenset[Row]:
    with closing(_empty()) as connection:
        return frozenset(connection.execute(_ALL_OF_SCHEMA))


def _empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(_SCHEMA)
    return connection


def _table(connection: sqlite3.Connection, name: str) -> Table:
    columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
    key = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
    kinds = [
        (_KINDS[kind],) if is_required or place else (_KINDS[kind], type(None))
        for _, _, kind, is_required, _, place in columns[:-1]
    ]
    return Table(name, tuple(key), frozenset(product(*kinds)), len(columns), crc32(name.encode()))
