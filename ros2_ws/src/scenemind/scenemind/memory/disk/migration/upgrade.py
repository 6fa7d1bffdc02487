"""From any older version to this one.

The new file is written beside the old one, checked, and put in its place in one step: a process
that is killed before leaves the old memory as it was. Key frames' images stay where they are.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from scenemind.memory.disk.folder import MemoryFolder
from scenemind.memory.disk.migration import version_1, version_2
from scenemind.memory.disk.store import Store
from scenemind.memory.disk.store_schema import (
    MIGRATABLE,
    VERSION,
    connect,
    read_meta,
    sqlite_errors,
)
from scenemind.memory.errors import SceneMemoryError

_COUNTED = ("frames", "locations", "tracklets", "objects", "corrections")


def migrate(folder: MemoryFolder) -> int:
    """Rewrite a memory that nobody has open.

    Returns:
        The version that it had; the current one: there was nothing to do.

    Raises:
        SceneMemoryError: it is damaged, newer than this SceneMind, or the disk is full; the memory
            is as it was.
    """
    version = read_meta(folder.database).get("version", "unknown")
    if version == str(VERSION):
        return VERSION
    if version not in MIGRATABLE:
        raise SceneMemoryError(
            f"{folder.database} is of version {version}: this SceneMind migrates versions"
            f" {MIGRATABLE[0]} to {MIGRATABLE[-1]}"
        )
    new = folder.database.with_suffix(".migrating")
    _remove(new)
    try:
        with (
            closing(connect(folder.database)) as old,
            sqlite_errors(folder.database, "migrating"),
        ):
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            _rewrite(version, old, new, folder.frames)
            _verify(old, new)
        os.replace(new, folder.database)
    except OSError as error:
        raise SceneMemoryError(f"cannot migrate {folder.path}: {error}") from error
    finally:
        _remove(new)
    return int(version)


def _rewrite(version: str, old: sqlite3.Connection, new: Path, images: Path) -> None:
    if version == "1":
        version_1.rewrite(old, new, images)
    else:
        version_2.rewrite(old, new)


def _verify(old: sqlite3.Connection, new: Path) -> None:
    """That the new file is whole and has as much in it.

    Raises:
        SceneMemoryError: it is not.
    """
    with closing(Store(new)) as store:
        store.load()
    with closing(connect(new)) as written:
        damage = written.execute("PRAGMA integrity_check(1)").fetchone()[0]
        for table in _COUNTED:
            count = f"SELECT COUNT(*) FROM {table}"
            before, after = (c.execute(count).fetchone()[0] for c in (old, written))
            if damage != "ok" or before != after:
                raise SceneMemoryError(
                    f"{new} came out wrong ({after} of {before} {table}, {damage}): the memory is"
                    " as it was"
                )


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
