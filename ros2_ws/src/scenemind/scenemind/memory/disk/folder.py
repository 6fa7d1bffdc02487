"""A memory on disk is a folder: memory.sqlite, frames/NNNNNN.jpg and .png, and a lock file."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from pathlib import Path
from typing import IO

from scenemind.memory.disk import frame_files
from scenemind.memory.disk.store import Store
from scenemind.memory.errors import SceneMemoryError

DATABASE = "memory.sqlite"
_FRAMES = "frames"
_LOCK = "memory.lock"
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}")


def list_memories(root: Path) -> list[str]:
    """Names of the memories in a folder; none when the folder is missing."""
    return sorted(path.parent.name for path in root.glob(f"[!.]*/{DATABASE}"))


def checked_name(name: str) -> str:
    """The name itself.

    Raises:
        SceneMemoryError: it could be a path, or a file system may not take it.
    """
    if not _NAME.fullmatch(name):
        raise SceneMemoryError(
            f"{name!r} is no name for a memory: use up to 64 letters, digits, '-', '_' and '.',"
            " not beginning with '.'"
        )
    return name


def find_owner(path: Path) -> str | None:
    """The process that has a memory open to write to it, as it wrote itself into the lock; None:
    there is none."""
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
    """The folder of an open memory. It is locked, since two processes would overwrite each other:
    one writes, or any number of them read."""

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
        """A copy of what is on disk, complete or not there.

        Raises:
            SceneMemoryError: the name is none, is taken, or the disk is full.
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
                for image in frame_files.paths(self.frames, number):
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
        # The kernel gives it free when the process ends, however it ends.
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
    """Only who writes says who it is: of readers there may be many."""
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
