"""A file of JSON, a value a line, that survives being killed while it is written."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from scenemind.evaluation.errors import EvaluationError

# What a power cut may take; what a killed process wrote is in the file anyway.
_SYNC_EVERY_S = 1.0


class JsonLines:
    """Open to be added to, by one process at a time; each value is in the file when `add` returns.

    A last line that was only half written is taken out when the file is opened again.
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
        """All that is in the file, oldest first.

        Raises:
            EvaluationError: a line is damaged.
        """
        values = []
        for number, line in enumerate(self.path.read_bytes().splitlines(), 1):
            try:
                value = json.loads(line)
            except ValueError as error:
                raise self._damaged(number) from error
            if not isinstance(value, dict):
                raise self._damaged(number)
            values.append(value)
        return values

    def add(self, value: Mapping[str, Any]) -> None:
        """
        Raises:
            EvaluationError: the disk is full, or the like.
        """
        line = json_line(value)
        try:
            if self._file.write(line) != len(line):
                raise OSError("the disk took half a line: it may be full")
            if time.monotonic() >= self._next_sync_s:
                self._sync()
        except OSError as error:
            raise self._cannot_write(error) from error

    def replace(self, values: Iterable[Mapping[str, Any]]) -> None:
        """All that is in the file, at once: whoever reads it has the old or the new values.

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
        """Twice is once."""
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
    """In ASCII: what was said may hold halves of characters, which no encoding takes."""
    return json.dumps(value).encode("ascii") + b"\n"
