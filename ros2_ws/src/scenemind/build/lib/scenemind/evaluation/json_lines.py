"""Files of JSON, one value a line, that survive an interrupted write."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from scenemind.errors import EvaluationError
from scenemind.untrusted import load_json

# A power cut may lose what was written since; a killed process loses nothing.
_SYNC_EVERY_S = 1.0


class JsonLines:
    """A file that one process at a time appends to; a value is in the file when `add` returns.

    An incomplete last line is removed when the file is opened again.
    """

    def __init__(self, path: Path) -> None:
        """
        Raises:
            EvaluationError: the file cannot be written, or another process writes to it.
        """
        self.path = path
        try:
            self._file = path.open("a+b", buffering=0)
        except OSError as error:
            raise self._cannot_write(error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._end_with_whole_line()
        except BlockingIOError as error:
            self._file.close()
            raise EvaluationError(
                f"another run is writing to {path}: wait for it, or name another folder"
            ) from error
        except OSError as error:
            self._file.close()
            raise self._cannot_write(error) from error
        self._next_sync_s = 0.0

    def values(self) -> list[dict[str, Any]]:
        """All values in the file, oldest first.

        Raises:
            EvaluationError: a line is damaged.
        """
        values = []
        for number, line in enumerate(self.path.read_bytes().splitlines(), 1):
            try:
                value = load_json(line)
            except ValueError as error:
                raise self._damaged(number) from error
            if not isinstance(value, dict):
                raise self._damaged(number)
            values.append(value)
        return values

    def add(self, value: Mapping[str, Any]) -> None:
        """Append a value.

        Raises:
            EvaluationError: the file cannot be written, such as when the disk is full.
        """
        line = json_line(value)
        try:
            if self._file.write(line) != len(line):
                raise OSError("the line was written in part: the disk may be full")
            if time.monotonic() >= self._next_sync_s:
                self._sync()
        except OSError as error:
            raise self._cannot_write(error) from error

    def replace(self, values: Iterable[Mapping[str, Any]]) -> None:
        """Replace all values atomically.

        Raises:
            EvaluationError: as `add`.
        """
        half = self.path.with_name(f"{self.path.name}.half")
        try:
            with half.open("wb") as file:
                file.writelines(map(json_line, values))
                file.flush()
                os.fsync(file.fileno())
            new = half.open("a+b", buffering=0)
            fcntl.flock(new, fcntl.LOCK_EX)
            half.replace(self.path)
        except OSError as error:
            raise self._cannot_write(error) from error
        self._file.close()
        self._file = new

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if not self._file.closed:
            self._sync()
            self._file.close()

    def __enter__(self) -> JsonLines:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._next_sync_s = time.monotonic() + _SYNC_EVERY_S

    def _end_with_whole_line(self) -> None:
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self._file.truncate(whole)

    def _cannot_write(self, error: OSError) -> EvaluationError:
        return EvaluationError(f"{self.path} cannot be written: {error.strerror or error}")

    def _damaged(self, number: int) -> EvaluationError:
        return EvaluationError(
            f"{self.path}, line {number} is damaged: take the line out, and what it held is asked"
            " again"
        )


def json_line(value: Mapping[str, Any]) -> bytes:
    """A line of JSON in ASCII: texts may contain lone surrogates, which no encoding accepts."""
    return json.dumps(value).encode("ascii") + b"\n"


@contextmanager
def open_lines(path: Path) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function that appends a row to a new file; the row is in the file when it returns.

    Raises:
        EvaluationError: the file cannot be written, or is not empty.
    """
    try:
        if path.exists() and path.stat().st_size:
            raise EvaluationError(f"{path} is there already: name another file, or remove it")
        file = path.open("w", encoding="utf-8", buffering=1)
    except OSError as error:
        raise _cannot_write(path, error) from error

    def write(row: Mapping[str, Any]) -> None:
        try:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise _cannot_write(path, error) from error

    with file:
        yield write


def _cannot_write(path: Path, error: OSError) -> EvaluationError:
    return EvaluationError(f"{path} cannot be written: {error}")
