"""The folder that a demo writes into."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scenemind.cli.errors import CommandError

_LOCK = ".lock"


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Make the folder and hold it, so that a second demo does not delete the first one's files.

    Raises:
        CommandError: another demo holds it, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / _LOCK).open("w")
    except OSError as error:
        raise CommandError(f"cannot write into {folder}: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError(
                f"another demo writes into {folder}: wait for it, or name another --report"
            ) from error
        yield
