"""Memories that nobody has to load: what they hold, copies, migration, and deleting them."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from scenemind.memory.disk.folder import DATABASE, MemoryFolder, find_owner
from scenemind.memory.disk.migration import migrate as migrate_folder
from scenemind.memory.disk.store import Store
from scenemind.memory.disk.store_schema import connect, read_meta
from scenemind.memory.errors import SceneMemoryError

_COUNTS = {
    "frames": "SELECT COUNT(*) FROM frames",
    "locations": "SELECT COUNT(*) FROM locations",
    "objects": "SELECT COUNT(*) FROM objects WHERE json_extract(summary, '$.confirmed')"
    " AND json_extract(summary, '$.gone_ns') IS NULL",
    "corrections": "SELECT COUNT(*) FROM corrections WHERE NOT undone_ns",
}
_COUNTS_BEFORE_3 = {**_COUNTS, "corrections": "SELECT COUNT(*) FROM corrections WHERE NOT undone"}


@dataclass(frozen=True, slots=True)
class MemoryInfo:
    """What a folder holds, as far as it was committed.

    Attributes:
        version: of the file format; None for a damaged file.
        last_used_s: seconds since the epoch: when it was written last.
        disk_bytes: of all its files. image_count: key frames among them.
        counts: frames, locations, objects (confirmed and not gone), corrections that stand.
        open_in: number of the process that may write to it; None: it is free, or only read.
        problem: why there are no counts; empty without one.
    """

    name: str
    path: Path
    version: str | None
    last_used_s: float
    disk_bytes: int
    image_count: int
    counts: dict[str, int]
    open_in: str | None
    problem: str = ""


def describe(path: Path) -> MemoryInfo:
    """What a memory holds; also of one that is open elsewhere, old or damaged.

    Raises:
        SceneMemoryError: there is none.
    """
    if not (path / DATABASE).is_file():
        raise SceneMemoryError(f"there is no memory at {path}")
    version, counts, problem = None, {}, ""
    try:
        version = read_meta(path / DATABASE).get("version", "unknown")
        counts = _counts(path / DATABASE, _COUNTS_BEFORE_3 if version in ("1", "2") else _COUNTS)
    except (SceneMemoryError, sqlite3.Error) as error:
        problem = str(error)
    files = {file: file.stat() for file in path.rglob("*") if file.is_file()}
    return MemoryInfo(
        name=path.name,
        path=path,
        version=version,
        last_used_s=max(s.st_mtime for file, s in files.items() if file.stem == "memory"),
        disk_bytes=sum(s.st_size for s in files.values()),
        image_count=sum(file.suffix == ".jpg" for file in files),
        counts=counts,
        open_in=find_owner(path),
        problem=problem,
    )


def save_copy(path: Path, name: str) -> Path:
    """See `MemoryFolder.copy_to_sibling`.

    Raises:
        SceneMemoryError: no such memory, it is open or of another version; the name is taken or
            none; the disk is full.
    """
    with _folder(path) as folder, closing(Store(folder.database)) as store:
        return folder.copy_to_sibling(name, store)


def migrate(path: Path) -> int:
    """Rewrite a memory of an older version; the version that it had.

    Raises:
        SceneMemoryError: no such memory, it is open or newer, or the disk is full.
    """
    with _folder(path) as folder:
        return migrate_folder(folder)


def delete(path: Path) -> None:
    """Forget a memory for good.

    Raises:
        SceneMemoryError: no such memory, it is open, or it cannot be deleted.
    """
    with _folder(path):
        # A process that is killed meanwhile leaves no half memory.
        doomed = path.with_name(f".{path.name}.deleted")
        shutil.rmtree(doomed, ignore_errors=True)
        try:
            path.rename(doomed)
            shutil.rmtree(doomed)
        except OSError as error:
            raise SceneMemoryError(f"cannot delete {path}: {error}") from error


@contextmanager
def _folder(path: Path) -> Iterator[MemoryFolder]:
    folder = MemoryFolder.open(path)
    try:
        yield folder
    finally:
        folder.close()


def _counts(database: Path, queries: Mapping[str, str]) -> dict[str, int]:
    with closing(connect(database)) as connection:
        return {name: connection.execute(query).fetchone()[0] for name, query in queries.items()}
