"""Memories that were changed at random, as disks and strangers change them.

Each mutator changes one copy of a memory's folder with a seeded random generator and says what it
did. `run` opens a copy, asks what people ask, and fails on what must not happen: an error that is
no sentence, an answer that differs without a word, growth without bounds.
"""

from __future__ import annotations

import json
import logging
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMindError
from scenemind.memory import ReadOnlyMemory
from scenemind.memory.disk.folder import DATABASE, describe
from scenemind.memory.disk.schema import tables

CONFIG = SceneMindConfig()
Mutator = Callable[[Path, random.Random], str]
_SIGNS = (b"\xff\xff\xff\x7f", b"\x00\x00\xc0\x7f", b"", b"abc")
_NUMBERS = (-1, 0, 1, 2**31, 2**62, -(2**62), 10**6)
_SCHEMA_CHANGES = (
    "ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS SELECT * FROM old",
    "ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS WITH RECURSIVE r (a) AS (SELECT 1"
    " UNION ALL SELECT a + 1 FROM r) SELECT a FROM r",
    "CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM objects; END",
    "DROP TABLE {table}",
    "ALTER TABLE {table} ADD COLUMN more TEXT",
    "CREATE TABLE more (a)",
    "CREATE INDEX i ON {table} (sum)",
    "ALTER TABLE meta RENAME TO m; CREATE VIEW meta AS WITH RECURSIVE r (a) AS (SELECT 1"
    " UNION ALL SELECT a + 1 FROM r) SELECT a AS key, a AS value FROM r",
    "UPDATE meta SET value = '99'",
    "DELETE FROM meta",
)


def flip_bytes(path: Path, rng: random.Random) -> str:
    """Some bytes of the database are others."""
    data = bytearray((path / DATABASE).read_bytes())
    places = [rng.randrange(len(data)) for _ in range(rng.choice((1, 1, 2, 16)))]
    for place in places:
        data[place] ^= rng.randrange(1, 256)
    (path / DATABASE).write_bytes(data)
    return f"bytes {places}"


def overwrite_part(path: Path, rng: random.Random) -> str:
    """A part of the database is zeros, or another part of it."""
    data = bytearray((path / DATABASE).read_bytes())
    size = rng.choice((64, 512, 4096, 8192))
    start, other = (rng.randrange(0, max(1, len(data) - size)) for _ in range(2))
    data[start : start + size] = rng.choice((bytes(size), bytes(data[other : other + size])))
    (path / DATABASE).write_bytes(data)
    return f"{size} bytes at {start}"


def cut(path: Path, rng: random.Random) -> str:
    """The database ends early, or goes on."""
    data = (path / DATABASE).read_bytes()
    kept = rng.randrange(len(data))
    (path / DATABASE).write_bytes(data[:kept] if rng.random() < 0.8 else data + data[:kept])
    return f"{kept} of {len(data)} bytes"


def change_value(path: Path, rng: random.Random) -> str:
    """One value of one row is another one; its checksum is as it was."""
    return _change(path, rng, seals=False)


def change_value_on_purpose(path: Path, rng: random.Random) -> str:
    """One value of one row is another one, and its checksum fits."""
    return _change(path, rng, seals=True)


def delete_rows(path: Path, rng: random.Random) -> str:
    """Rows of one table are gone."""
    table = rng.choice(list(tables()))
    with closing(sqlite3.connect(path / DATABASE)) as connection, connection:
        keys = ", ".join(tables()[table].key)
        share = rng.choice((0.1, 0.5, 1.0))
        rows = connection.execute(f"SELECT {keys} FROM {table}").fetchall()
        gone = [row for row in rows if rng.random() < share]
        where = " AND ".join(f"{key} = ?" for key in tables()[table].key)
        connection.executemany(f"DELETE FROM {table} WHERE {where}", gone)
    return f"{len(gone)} rows of {table} deleted"


def change_schema(path: Path, rng: random.Random) -> str:
    """The schema is not SceneMind's."""
    change = rng.choice(_SCHEMA_CHANGES).format(table=rng.choice(list(tables())))
    with closing(sqlite3.connect(path / DATABASE)) as connection, connection:
        connection.executescript(change)
    return change


def change_files(path: Path, rng: random.Random) -> str:
    """A file is a link, a pipe, a folder, damaged or gone."""
    images = sorted((path / "frames").iterdir())
    names = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", "memory.lock")
    target = rng.choice([*(path / name for name in names), path / "frames", *images])
    kind = rng.choice(("link", "pipe", "folder", "text", "gone", "cut", "byte"))
    data = target.read_bytes() if target.is_file() else b"some text"
    if target.is_dir():
        shutil.rmtree(target)
    target.unlink(missing_ok=True)
    if kind == "link":
        target.symlink_to(path.parent / "victim")
    elif kind == "pipe":
        os.mkfifo(target)
    elif kind == "folder":
        target.mkdir()
    elif kind == "text":
        target.write_bytes(b"some text")
    elif kind == "cut":
        target.write_bytes(data[: rng.randrange(len(data) + 1)])
    elif kind == "byte":
        changed = bytearray(data)
        if changed:
            changed[rng.randrange(len(changed))] ^= rng.randrange(1, 256)
        target.write_bytes(changed)
    return f"{target.name}: {kind}"


# What a checksum, a schema or a look at the file could tell; the last two are what it cannot.
DAMAGE: tuple[Mutator, ...] = (
    flip_bytes,
    overwrite_part,
    cut,
    change_value,
    change_schema,
    change_files,
)
PURPOSE: tuple[Mutator, ...] = (change_value_on_purpose, delete_rows)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Attributes: said: errors and warnings, in words; answers: JSON; empty: it was refused."""

    said: tuple[str, ...]
    answers: str


class _Said(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def run(path: Path) -> Outcome:
    """List, open and ask. Raises whatever is no SceneMindError."""
    said, answers = _Said(), ""
    logging.getLogger("scenemind").addHandler(said)
    try:
        problem = describe(path).problem
        if problem:
            said.lines.append(problem)
        with ReadOnlyMemory.open(path, CONFIG) as memory:
            answers = _answers(memory)
    except SceneMindError as error:
        said.lines.append(str(error))
    finally:
        logging.getLogger("scenemind").removeHandler(said)
    return Outcome(tuple(said.lines), answers)


def mutate(source: Path, target: Path, seed: int, mutators: tuple[Mutator, ...]) -> str:
    """A changed copy of a memory; what was changed."""
    rng = random.Random(seed)
    shutil.copytree(source, target)
    mutator = rng.choice(mutators)
    return f"{mutator.__name__}: {mutator(target, rng)}"


def _answers(memory: ReadOnlyMemory) -> str:
    snapshot = memory.snapshot()
    frames = memory.stored_frames()
    things = {**snapshot.objects, **snapshot.gone}
    return json.dumps(
        {
            "objects": {
                i: (t.label, t.box.center, dict(t.attributes), t.observation_count, t.last_seen_ns)
                for i, t in things.items()
            },
            "relations": sorted(map(repr, snapshot.relations)),
            "structure": sorted(map(repr, snapshot.structure.values())),
            "corrections": [repr(entry) for entry in memory.corrections()],
            "tree": memory.tree_json().text,
            "visits": len(memory.history.visits()),
            "views": memory.history.views().translation.tolist(),
            "images": [(n, len(memory.key_frame(n).jpeg)) for n in frames if _has_image(memory, n)],
            "seen": memory.frame_index().detection_scores.sum().item(),
        },
        default=str,
    )


def _has_image(memory: ReadOnlyMemory, number: int) -> bool:
    try:
        memory.key_frame(number)
    except SceneMindError:
        return False
    return True


def _change(path: Path, rng: random.Random, *, seals: bool) -> str:
    with closing(sqlite3.connect(path / DATABASE)) as connection, connection:
        filled = [t for t in tables().values() if _count(connection, t.name)]
        table = rng.choice(filled)
        rows = connection.execute(f"SELECT * FROM {table.name}").fetchall()
        row = rng.choice(rows)
        column = rng.randrange(len(row) - 1)
        values = list(row[:-1])
        values[column] = _another(values[column], rng)
        try:
            checksum = table.checksum(tuple(values)) if seals else row[-1]
        except TypeError:
            checksum = 0
        names = [info[1] for info in connection.execute(f"PRAGMA table_info({table.name})")]
        setting = ", ".join(f"{name} = ?" for name in names)
        where = " AND ".join(f"{key} = ?" for key in table.key)
        with suppress(sqlite3.IntegrityError):  # such as a text as an integer key
            connection.execute(
                f"UPDATE OR IGNORE {table.name} SET {setting} WHERE {where}",
                (*values, checksum, *row[: len(table.key)]),
            )
    return f"{table.name} row {row[:2]}, column {column}: {str(values[column])[:40]!r}"


def _another(value: object, rng: random.Random) -> object:
    if rng.random() < 0.15:
        return rng.choice((None, 3, 2.5, "text", b"blob"))
    if isinstance(value, int):
        return rng.choice((*_NUMBERS, value + rng.choice((-1, 1))))
    if isinstance(value, float):
        return rng.choice((float("inf"), -1.0, 0.0, 1e300, value * 2 + 1))
    if isinstance(value, bytes):
        data = bytearray(value or b"\x00")
        place = rng.randrange(len(data))
        data[place : place + 4] = rng.choice(_SIGNS)
        return bytes(data)
    text = str(value)
    place = rng.randrange(len(text) + 1)
    changed = (
        text[:place],
        text[:place] + rng.choice('0"}]x-e') + text[place + 1 :],
        "",
        "x" * 100_000,
        "[" * 5000,
        text.replace("1", "-1", 1),
        text.replace("1", "1e400", 1),
    )
    return rng.choice(changed)


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])
