"""Connections to a memory's SQLite file: to write to it, beside a process that writes, or to read
it without changing anything; and the errors of disks in words."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time

from scenemind.errors import SceneMemoryError
from scenemind.untrusted import copy_regular, is_regular, open_regular

_FULL = (errno.ENOSPC, errno.EDQUOT)
_NEXT_TO_NOTHING = 2**18  # free bytes; SQLite needs some of its own
_LONGEST_VALUE = 64 * 2**20
_MOST_MISSING = 2**30
_START = b"SQLite format 3"
_LOG_HEADER, _FRAME_HEADER, _SMALLEST_PAGE = 32, 24, 512  # bytes
# What reading may take: a second for what a slow machine does with so many bytes, and a start.
_BYTES_A_SECOND = 10e6
_START_S = 2.5
_STEPS = 100_000  # of SQLite's machine between two looks at the clock, about a millisecond


@contextmanager
def sqlite_errors(path: Path, doing: str) -> Iterator[None]:
    """Translate SQLite's errors.

    Raises:
        SceneMemoryError: names the file and the failed operation.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise disk_error(error, f"{path}: {doing} failed", path) from error
    except UnicodeDecodeError:  # by SQLite's message, which quotes what is damaged
        damaged = sqlite3.DatabaseError("malformed schema")
        raise disk_error(damaged, f"{path}: {doing} failed", path) from damaged


def disk_error(error: OSError | sqlite3.Error, what: str, path: Path) -> SceneMemoryError:
    """What failed, and the way out where the disk is full.

    Args:
        what: such as "cannot save as kitchen".
    """
    if _is_full(error, path):
        return SceneMemoryError(
            f"{what}: the disk is full. The memory is not damaged and keeps what was stored: free"
            f" some space at {path.parent}, then try again"
        )
    if isinstance(error, sqlite3.OperationalError) and str(error) == "interrupted":
        return SceneMemoryError(f"{what}: it takes longer than its size allows; it is damaged")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return SceneMemoryError(f"{what}: {reason}")


def _is_full(error: OSError | sqlite3.Error, path: Path) -> bool:
    if isinstance(error, OSError):
        return error.errno in _FULL
    if "disk is full" in str(error):
        return True
    # Where SQLite cannot make its log, it says so in other words.
    if not isinstance(error, sqlite3.OperationalError) or "is locked" in str(error):
        return False
    folder = next((folder for folder in path.parents if folder.exists()), Path("/"))
    return str(error) != "interrupted" and shutil.disk_usage(folder).free < _NEXT_TO_NOTHING


def connect(path: Path) -> sqlite3.Connection:
    """A connection to write to an existing file, which is not read yet; transactions are
    explicit."""
    return _opened(path, "mode=rw")


@contextmanager
def connect_to_read(path: Path, *, is_written: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection that changes no file.

    What a killed process left in its log, and what is left of a file that was cut short, is read
    from a copy in the folder for temporary files.

    Args:
        is_written: another process writes; else nobody does.

    Raises:
        SceneMemoryError: the copy cannot be made.
    """
    log = path.with_name(f"{path.name}-wal")
    if is_written:
        with closing(_opened(path, "mode=ro")) as connection:
            yield connection
    elif _missing_bytes(path) or (is_regular(log) and log.stat().st_size):
        with TemporaryDirectory(prefix="scenemind-") as folder:
            copy = Path(folder) / path.name
            try:
                for file in (path, log):
                    if is_regular(file):
                        copy_regular(file.parent.resolve() / file.name, copy.with_name(file.name))
                missing = _missing_bytes(copy)
                with copy.open("r+b") as whole:
                    whole.truncate(whole.seek(0, 2) + min(missing, _MOST_MISSING))
            except OSError as error:
                raise disk_error(error, f"cannot copy {path} to {folder}", copy) from error
            with closing(_opened(copy, "mode=rw")) as connection:
                yield connection
    else:
        with closing(_opened(path, "immutable=1")) as connection:
            yield connection


@contextmanager
def time_limit(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Interrupt what takes longer than reading the whole file may take: endless queries, and pages
    that lead in circles. Only this thread's own time counts, so a busy disk or machine is none."""
    of = path.stat() if path.exists() else None
    size = min(of.st_size, of.st_blocks * 512) if of else 0  # holes take no time
    until = thread_time() + _START_S + size / _BYTES_A_SECOND
    connection.set_progress_handler(lambda: thread_time() > until, _STEPS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def is_cut_short(path: Path) -> bool:
    """Whether a file is shorter than its header says, and its log does not have the rest either, as
    that of a process that was killed while it moved its log into the file."""
    page_size, pages, size = _extent(path)
    if size >= pages * page_size:
        return False
    in_log = _pages_in_log(path.with_name(f"{path.name}-wal"), page_size)
    return not all(page in in_log for page in range(size // page_size + 1, pages + 1))


def _opened(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{how}", uri=True, check_same_thread=False, isolation_level=None
    )
    # A text that is damaged is one wrong row, and not the end of reading.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if hasattr(connection, "setlimit"):  # Python 3.11
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    return connection


def _missing_bytes(path: Path) -> int:
    """How much shorter a file is than its header says, without the log beside it."""
    page_size, pages, size = _extent(path)
    return max(0, pages * page_size - size)


def _extent(path: Path) -> tuple[int, int, int]:
    """Page size and number of pages by a file's header (SQLite file format, 1.3), and its size in
    bytes; no pages, if it has no such header."""
    with open(open_regular(path), "rb") as file:
        header = file.read(32)
        size = file.seek(0, 2)
    if not header.startswith(_START):
        return 1, 0, size
    page_size, pages = (int.from_bytes(header[a:b], "big") for a, b in ((16, 18), (28, 32)))
    return 65536 if page_size == 1 else max(page_size, _SMALLEST_PAGE), pages, size


def _pages_in_log(log: Path, page_size: int) -> set[int]:
    """Numbers of the pages of a log (SQLite file format, 4.1): frames with its salt. Whether they
    are whole shows when they are read."""
    if not is_regular(log):
        return set()
    found: set[int] = set()
    with open(open_regular(log), "rb") as file:
        salt = file.read(_LOG_HEADER)[16:24]
        while len(frame := file.read(_FRAME_HEADER)) == _FRAME_HEADER and frame[8:16] == salt:
            if not any(frame[:4]):  # page 0, as in a hole
                break
            found.add(int.from_bytes(frame[:4], "big"))
            file.seek(page_size, 1)
    return found
