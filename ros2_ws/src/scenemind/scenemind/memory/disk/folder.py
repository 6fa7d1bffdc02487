"""A memory on disk is a folder: memory.sqlite, frames/NNNNNN.jpg and .png, and a lock file.

Memories can be listed, described, copied and deleted without being loaded.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from scenemind.config import StoreConfig
from scenemind.errors import SceneMemoryError
from scenemind.memory.disk import images
from scenemind.memory.disk.connection import disk_error
from scenemind.memory.disk.sound_rows import summary
from scenemind.memory.disk.store import Store, read_summary
from scenemind.untrusted import copy_regular, is_regular, open_folder, open_regular

DATABASE = "memory.sqlite"
_FRAMES = "frames"
_LOCK = "memory.lock"
_PROCESS = re.compile(r"\d{0,10}\s*")
_LONGEST_LOCK = 64
_PATIENCE_S, _AGAIN_S = 2.0, 0.02  # a view locks a memory for less, to read it or to correct it
_MOST_HOLLOW, _MOST_COMPRESSED = 64 * 2**20, 20
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}")


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
    """The id of the process that has a memory open to write, from its lock file; None: none has.

    Raises:
        SceneMemoryError: the lock is no file.
    """
    try:
        with _as_text(open_regular(path / _LOCK), "r") as lock:
            return _writer(lock)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SceneMemoryError(f"{path / _LOCK} {error.strerror}") from error


def check_files(path: Path) -> None:
    """Check that a memory consists of files and folders of its own. SQLite follows links, and
    takes back what a journal says.

    Raises:
        SceneMemoryError: it has a link, a pipe or a device, or a journal, which no memory has.
    """
    for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", _LOCK):
        if os.path.lexists(path / name) and not is_regular(path / name):
            raise SceneMemoryError(
                f"{path / name} is a link, a pipe or a device, which no memory holds: it is not"
                " opened. Ask whoever gave it to you for a plain copy"
            )
    for name in (DATABASE, f"{DATABASE}-wal"):
        if os.path.lexists(path / name) and _is_hollow((path / name).lstat()):
            raise SceneMemoryError(
                f"{path / name} is larger than what is stored of it: it has holes, which no memory"
                " has, and is not opened"
            )
    if os.path.lexists(path / _FRAMES) and not stat.S_ISDIR((path / _FRAMES).lstat().st_mode):
        raise SceneMemoryError(
            f"{path / _FRAMES} is a link or a file, and not the folder of key frames: it is not"
            " opened. Ask whoever gave it to you for a plain copy"
        )
    if os.path.lexists(path / f"{DATABASE}-journal"):
        raise SceneMemoryError(
            f"{path / DATABASE}-journal is of no memory: move it away, if the memory is your own"
        )


def _is_hollow(of: os.stat_result) -> bool:
    """Whether most of a large file is a hole, of which reading and copying would take forever; file
    systems that compress store more of a memory."""
    return of.st_size > _MOST_HOLLOW and of.st_size > of.st_blocks * 512 * _MOST_COMPRESSED


class MemoryFolder:
    """The folder of an open memory, locked for one writing process or any number of readers."""

    def __init__(self, path: Path, locks: ExitStack) -> None:
        self.path = path
        self._locks = locks

    @classmethod
    def create(cls, path: Path, config: StoreConfig) -> MemoryFolder:
        """A folder with an empty file for the database.

        Raises:
            SceneMemoryError: there is a memory already, or the folder cannot be made.
        """
        if os.path.lexists(path / DATABASE):
            raise SceneMemoryError(
                f"there is a memory at {path} already: open it, or choose a name"
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(config.folder_mode, exist_ok=True)
            check_files(path)
            (path / _FRAMES).mkdir(config.folder_mode, exist_ok=True)
            folder = cls(path, _locked(path, mode=config.file_mode))
            # SQLite gives its other files the permissions of this one.
            new = os.O_RDWR | os.O_CREAT | os.O_EXCL
            os.close(open_regular(folder.database, new, mode=config.file_mode))
        except OSError as error:
            raise disk_error(error, f"cannot make a memory at {path}", path) from error
        return folder

    @classmethod
    def open(
        cls, path: Path, *, to_read: bool = False, patience_s: float | None = None
    ) -> MemoryFolder:
        """
        Args:
            to_read: beside others that only read.
            patience_s: how long to wait for a lock that another process has; None: as long as a
                view holds one (`SharedMemory`).

        Raises:
            SceneMemoryError: there is no memory, or another process has it open.
        """
        if not os.path.lexists(path / DATABASE):
            beside = ", ".join(list_memories(path.parent)) or "none"
            raise SceneMemoryError(f"there is no memory at {path}; memories beside it: {beside}")
        check_files(path)
        patience_s = _PATIENCE_S if patience_s is None else patience_s
        return cls(path, _locked(path, to_read=to_read, patience_s=patience_s))

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
        with self._half_of(target) as half:
            mode = stat.S_IMODE(self.database.stat().st_mode)
            os.close(open_regular(half / DATABASE, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode=mode))
            store.copy_to(half / DATABASE)
            for number in store.image_numbers():
                for image in images.image_paths(self.frames, number):
                    copy_image(image, half / _FRAMES / image.name)
        return target

    def copy_unread(self) -> Path:
        """A copy of the memory as it is, damaged or not, beside it.

        Raises:
            SceneMemoryError: the disk is full or failed.
        """
        names = (f"{self.path.name[:50]}-damaged{suffix}" for suffix in ("", *range(2, 1000)))
        target = next(t for t in map(self.path.with_name, names) if not os.path.lexists(t))
        with self._half_of(target) as half:
            for name in (DATABASE, f"{DATABASE}-wal"):
                if is_regular(self.path / name):
                    copy_regular(self.path.resolve() / name, half / name)
            for image in self.frames.iterdir() if self.frames.is_dir() else ():
                if is_regular(image):
                    copy_image(image, half / _FRAMES / image.name)
        return target

    @contextmanager
    def _half_of(self, target: Path) -> Iterator[Path]:
        """A folder to fill, as private as this memory, that then becomes the target: a process
        that is killed meanwhile leaves no partial memory.

        Raises:
            SceneMemoryError: the disk is full or failed; there is no target.
        """
        half = target.with_name(f".{target.name}.half")
        shutil.rmtree(half, ignore_errors=True)
        mode = stat.S_IMODE(self.path.stat().st_mode) | stat.S_IRWXU
        try:
            half.mkdir(mode)
            (half / _FRAMES).mkdir(mode)
            yield half
            half.rename(target)
        except OSError as error:
            raise disk_error(error, f"cannot copy {self.path} to {target}", target) from error
        finally:
            shutil.rmtree(half, ignore_errors=True)

    def replace_database(self, new: Path) -> None:
        """Let a file beside the database take its place; no process has either open.

        Raises:
            SceneMemoryError: the disk failed.
        """
        try:
            with open_folder(self.path.resolve()) as folder:
                with open(open_regular(new, os.O_RDWR, folder=folder), "rb") as file:
                    os.fsync(file.fileno())
                # A log of the old database must not be taken for one of the new one.
                for suffix in ("-wal", "-shm"):
                    with suppress(FileNotFoundError):
                        os.unlink(f"{DATABASE}{suffix}", dir_fd=folder)
                os.replace(new.name, DATABASE, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            raise disk_error(error, f"cannot replace {self.database}", self.database) from error

    def close(self) -> None:
        self._locks.close()


def _locked(
    path: Path, *, to_read: bool = False, mode: int = 0o600, patience_s: float = 0.0
) -> ExitStack:
    """The lock, until it is closed; who has it now may give it back within the patience. A reader
    who finds no lock file makes none, as reading changes nothing: it locks the folder itself, which
    a writer locks too.

    Raises:
        SceneMemoryError: another process has it, or it is no lock.
    """
    how = (fcntl.LOCK_SH if to_read else fcntl.LOCK_EX) | fcntl.LOCK_NB
    with ExitStack() as opened:
        try:
            lock = opened.enter_context(_open_lock(path / _LOCK, to_read, mode))
        except OSError as error:
            if not (to_read and isinstance(error, FileNotFoundError | PermissionError)):
                raise disk_error(error, f"cannot lock {path}", path) from error
            lock = None
        try:
            # The kernel releases it when the process ends, however it ends.
            until = monotonic() + patience_s
            if lock is not None:
                _lock(lock.fileno(), how, until)
            if lock is None or not to_read:
                _lock_folder(path, how, until, opened)
        except OSError as error:
            raise SceneMemoryError(_in_use(path, _writer(lock) if lock else None)) from error
        if lock is not None and not to_read:
            try:
                lock.truncate(0)
                lock.write(str(os.getpid()))
                lock.flush()
            except OSError as error:
                raise disk_error(error, f"cannot lock {path}", path) from error
        return opened.pop_all()


def _lock(file: int, how: int, until: float) -> None:
    """
    Raises:
        BlockingIOError: another process has it, also at that time (`monotonic`).
    """
    while True:
        try:
            fcntl.flock(file, how)
            return
        except BlockingIOError:
            if monotonic() > until:
                raise
            sleep(_AGAIN_S)


def _lock_folder(path: Path, how: int, until: float, opened: ExitStack) -> None:
    """
    Raises:
        BlockingIOError: another process has it. File systems without such locks are none.
    """
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, folder)
        _lock(folder, how, until)
    except BlockingIOError:
        raise
    except OSError:  # as over NFS
        pass


def _open_lock(path: Path, to_read: bool, mode: int) -> IO[str]:
    """
    Raises:
        OSError: it cannot be opened, or is no lock, whose content a writer would replace.
    """
    flags = os.O_RDONLY if to_read else os.O_RDWR | os.O_CREAT
    lock = _as_text(open_regular(path, flags, mode=mode), "r" if to_read else "r+")
    if not _PROCESS.fullmatch(lock.read(_LONGEST_LOCK)):
        lock.close()
        raise OSError(errno.EINVAL, f"{path} does not hold a process id: move it away")
    lock.seek(0)
    return lock


def _as_text(lock: int, mode: str) -> IO[str]:
    return os.fdopen(lock, mode, encoding="ascii", errors="replace")  # it may be damaged


def _writer(lock: IO[str]) -> str | None:
    """Who has the lock to write; None: nobody."""
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        return lock.read(_LONGEST_LOCK).strip() or "unknown"
    return None


def _in_use(path: Path, owner: str | None) -> str:
    """The message for a locked folder."""
    if owner is None:
        return f"the memory {path} is being read by another command: wait until that ends"
    return (
        f"the memory {path} is open in process {owner}, which may write to it: wait until that"
        " ends, or, where it is a node, ask it (--live) or stop it"
    )


def copy_image(source: Path, target: Path) -> None:
    # Images are replaced and never changed in place, so both memories may share them.
    copy_regular(source, target, may_share=True)


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
    if not os.path.lexists(path / DATABASE):
        raise SceneMemoryError(f"there is no memory at {path}")
    version, owner, problem = None, None, ""
    counts: dict[str, int] = {}
    try:
        check_files(path)
        owner = find_owner(path)
        version, counts = read_summary(path / DATABASE, is_written=owner is not None)
    except SceneMemoryError as error:
        problem = str(error)
    files = _sizes(path)
    if (path / _FRAMES).is_dir() and not (path / _FRAMES).is_symlink():
        files += _sizes(path / _FRAMES)
    return MemoryInfo(
        name=path.name,
        path=path,
        version=version,
        last_used_s=max(of.st_mtime for name, of in files if name.startswith("memory.")),
        disk_bytes=sum(of.st_size for _, of in files),
        image_count=sum(name.endswith(".jpg") for name, _ in files),
        counts=counts,
        open_in=owner,
        problem=problem,
    )


def _sizes(folder: Path) -> list[tuple[str, os.stat_result]]:
    """Name and status of the files in a folder, no link followed."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    return [(name, of) for name, of in found if not stat.S_ISDIR(of.st_mode)]


def save_copy(path: Path, name: str) -> Path:
    """Copy a memory that is not open to a folder beside it.

    Raises:
        SceneMemoryError: no such memory, it is open, damaged or of another version; the name is
            taken or invalid; the disk is full.
    """
    with (
        closing(MemoryFolder.open(path, to_read=True)) as folder,
        closing(Store(folder.database, to_read=True)) as store,
    ):
        damage = store.load(is_told=False).damage
        if damage:
            raise SceneMemoryError(summary(folder.database, damage))
        return folder.copy_to_sibling(name, store)


def delete(path: Path) -> None:
    """Delete a memory; links in it go, and what they name stays.

    Raises:
        SceneMemoryError: no such memory, it is open, its folder holds other files too, or it
            cannot be deleted.
    """
    if not os.path.lexists(path / DATABASE):
        raise SceneMemoryError(f"there is no memory at {path}")
    with _locked(path) if is_regular(path / _LOCK) else nullcontext():
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
