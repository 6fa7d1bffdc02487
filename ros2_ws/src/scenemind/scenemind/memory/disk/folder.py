"""A memory on disk is a folder: memory.sqlite, frames/NNNNNN.jpg and .png, and a lock file.

Memories can be listed, described, copied and deleted without being loaded.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from scenemind.errors import SceneMemoryError
from scenemind.memory.disk import images
from scenemind.memory.disk.store import Store, connect, read_meta

DATABASE = "memory.sqlite"
_FRAMES = "frames"
_LOCK = "memory.lock"
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}")
_COUNTS = {
    "frames": "SELECT COUNT(*) FROM frames",
    "locations": "SELECT COUNT(*) FROM locations",
    "objects": "SELECT COUNT(*) FROM objects WHERE json_extract(summary, '$.confirmed')"
    " AND json_extract(summary, '$.gone_ns') IS NULL",
    "corrections": "SELECT COUNT(*) FROM corrections WHERE NOT undone_ns",
}


def list_memories(root: Path) -> list[str]:
    """Names of the memories in a folder; none when the folder is missing."""
    return sorted(path.parent.name for path in root.glob(f"[!.]*/{DATABASE}"))


def checked_name(name: str) -> str:
    """The name, if it is valid.

    Raises:
        SceneMemoryError: it could be a path, or some file systems refuse it.
    """
    if not _NAME.fullmatch(name):
        raise SceneMemoryError(
            f"{name!r} is no name for a memory: use up to 64 letters, digits, '-', '_' and '.',"
            " not beginning with '.'"
        )
    return name


def find_owner(path: Path) -> str | None:
    """The id of the process that has a memory open to write, from its lock file; None: none has."""
    try:
        with (path / _LOCK).open("r") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return lock.read().strip() or "unknown"
    except FileNotFoundError:
        pass
    return None


class MemoryFolder:
    """The folder of an open memory, locked for one writing process or any number of readers."""

    def __init__(self, path: Path, lock: IO[str]) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def create(cls, path: Path) -> MemoryFolder:
        """
        Raises:
            SceneMemoryError: there is a memory already, or the folder cannot be made.
        """
        if (path / DATABASE).exists():
            raise SceneMemoryError(
                f"there is a memory at {path} already: open it, or choose a name"
            )
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SceneMemoryError(f"cannot make a memory at {path}: {error.strerror}") from error
        return cls(path, _locked(path))

    @classmethod
    def open(cls, path: Path, *, to_read: bool = False) -> MemoryFolder:
        """
        Args:
            to_read: beside others that only read.

        Raises:
            SceneMemoryError: there is no memory, or another process has it open.
        """
        if not (path / DATABASE).is_file():
            beside = ", ".join(list_memories(path.parent)) or "none"
            raise SceneMemoryError(f"there is no memory at {path}; memories beside it: {beside}")
        return cls(path, _locked(path, to_read=to_read))

    @property
    def database(self) -> Path:
        return self.path / DATABASE

    @property
    def frames(self) -> Path:
        return self.path / _FRAMES

    def copy_to_sibling(self, name: str, store: Store) -> Path:
        """A copy of the memory on disk, either complete or absent.

        Raises:
            SceneMemoryError: the name is invalid or taken, or the disk is full.
        """
        target = self.path.parent / checked_name(name)
        if target.exists():
            raise SceneMemoryError(f"{target} exists already: choose another name")
        half = target.with_name(f".{name}.half")
        shutil.rmtree(half, ignore_errors=True)
        try:
            (half / _FRAMES).mkdir(parents=True)
            store.copy_to(half / DATABASE)
            for number in store.image_numbers():
                for image in images.image_paths(self.frames, number):
                    _link_or_copy(image, half / _FRAMES / image.name)
            half.rename(target)
        except OSError as error:
            raise SceneMemoryError(f"cannot save as {name}: {error}") from error
        finally:
            shutil.rmtree(half, ignore_errors=True)
        return target

    def close(self) -> None:
        self._lock.close()


def _locked(path: Path, *, to_read: bool = False) -> IO[str]:
    try:
        lock = (path / _LOCK).open("a+")
    except OSError as error:
        raise SceneMemoryError(f"cannot write to {path}: {error.strerror}") from error
    try:
        # The kernel releases it when the process ends, however it ends.
        fcntl.flock(lock, (fcntl.LOCK_SH if to_read else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        lock.seek(0)
        owner = lock.read().strip()
        lock.close()
        raise SceneMemoryError(_in_use(path, owner)) from error
    lock.truncate(0)
    if not to_read:
        lock.write(str(os.getpid()))
        lock.flush()
    return lock


def _in_use(path: Path, owner: str) -> str:
    """The message for a locked folder; a writer has put its process id into the lock."""
    if not owner:
        return f"the memory {path} is being read by another command: wait until that ends"
    return (
        f"the memory {path} is open in process {owner}, which may write to it: wait until that"
        " ends, or, where it is a node, ask it (--live) or stop it"
    )


def _link_or_copy(source: Path, target: Path) -> None:
    # Images are replaced and never changed in place, so both memories may share them.
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


@dataclass(frozen=True, slots=True)
class MemoryInfo:
    """The committed content of a memory folder.

    Attributes:
        version: of the file format; None for a damaged file.
        last_used_s: time of the last write, seconds since the epoch.
        disk_bytes: size of all its files. image_count: number of its key frames.
        counts: of frames, locations, objects (confirmed and not gone) and standing corrections.
        open_in: id of the process that has it open to write; None: none has.
        problem: the reason for missing counts; empty without one.
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
    """The content of a memory, which may be open elsewhere, of another version or damaged.

    Raises:
        SceneMemoryError: there is none.
    """
    if not (path / DATABASE).is_file():
        raise SceneMemoryError(f"there is no memory at {path}")
    version, counts, problem = None, {}, ""
    try:
        version = read_meta(path / DATABASE).get("version", "unknown")
        counts = _counts(path / DATABASE)
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
    """Copy a memory that is not open to a folder beside it.

    Raises:
        SceneMemoryError: no such memory, it is open or of another version; the name is taken or
            invalid; the disk is full.
    """
    with _folder(path) as folder, closing(Store(folder.database)) as store:
        return folder.copy_to_sibling(name, store)


def delete(path: Path) -> None:
    """Delete a memory.

    Raises:
        SceneMemoryError: no such memory, it is open, its folder holds other files too, or it
            cannot be deleted.
    """
    with _folder(path):
        own = (_FRAMES, _LOCK)
        names = sorted(entry.name for entry in path.iterdir())
        others = [name for name in names if name not in own and not name.startswith(DATABASE)]
        if others:
            raise SceneMemoryError(
                f"{path} is not deleted, since it also holds {', '.join(others[:3])}: move that"
                " somewhere else"
            )
        # Renamed first: a process that is killed meanwhile leaves no partial memory.
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


def _counts(database: Path) -> dict[str, int]:
    with closing(connect(database)) as connection:
        return {name: connection.execute(query).fetchone()[0] for name, query in _COUNTS.items()}
