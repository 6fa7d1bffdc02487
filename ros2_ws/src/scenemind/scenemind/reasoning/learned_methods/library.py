"""The learned methods on disk: a library that grows with the questions.

A file has the methods of all APIs, each for itself. A method that fails too often is retired, and
one of its name may be written anew, as its next version; of what was retired the newest 500 stay in
the file.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.learned_methods.learned import LearnedMethod, with_all_calls
from scenemind.reasoning.learned_methods.method_api import ApiName
from scenemind.reasoning.learned_methods.method_rows import (
    add_method,
    file_of,
    note_use,
    open_file,
    read_methods,
    retire,
)

# Worse ones are retired once they have been used so often.
_WORST_SCORE, _FAIR_USES = 0.35, 4


class MethodLibrary:
    """Of one API. Thread-safe, and of several processes. The file is opened by the first use."""

    def __init__(self, path: Path | None, api: ApiName, most: int) -> None:
        """
        Args:
            path: SQLite file, which need not exist; None: nothing outlives this object.
            most: methods; beyond that those of the lowest score are retired.
        """
        self.path = path
        self.api: ApiName = api
        self._most = most
        self._lock = threading.Lock()  # of the two below
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def methods(self) -> dict[str, LearnedMethod]:
        """By name, oldest first; none where there is no file yet.

        Raises:
            ReasoningError: the file cannot be used; and so do all others.
        """
        with self._named():
            if self.path is not None and not self.path.exists():
                return {}
        with self._used("BEGIN") as connection:
            return read_methods(connection, self.api)

    def add(self, methods: Iterable[LearnedMethod]) -> None:
        """Those whose name is free, each after what it calls; then retire what is too much."""
        new = {method.name: method for method in methods}
        with self._used() as connection:
            known = read_methods(connection, self.api)

            def is_as_tried(called: str) -> bool:
                tried = new.get(called) or known.get(called)
                return (
                    tried is not None and called in known and known[called].source == tried.source
                )

            for name in with_all_calls(new, new):
                method = new[name]
                if name in known or not all(map(is_as_tried, method.calls)):
                    continue  # another process was first
                add_method(connection, self.api, method)
                known[name] = method
            self._retire_worst(connection, new)

    def note_use(self, names: Iterable[str], succeeded: bool) -> None:
        """A program called these methods, and came to a result or not."""
        names = list(names)
        if not names:
            return
        with self._used() as connection:
            called = with_all_calls(names, read_methods(connection, self.api))
            note_use(connection, self.api, called, succeeded)
            self._retire_worst(connection)

    def close(self) -> None:
        """The next use opens it again."""
        with self._lock:
            self._disconnect()

    @contextmanager
    def _used(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """One transaction."""
        with self._lock, self._named():
            if self._connection is None or file_of(self.path) != self._file:
                self._disconnect()  # from what was moved away meanwhile
                self._connection = open_file(self.path)
                self._file = file_of(self.path)
            with self._connection:
                self._connection.execute(begin)
                yield self._connection

    @contextmanager
    def _named(self) -> Iterator[None]:
        """The library, in what goes wrong with it."""
        try:
            yield
        except (sqlite3.Error, OSError, ValueError, ValidationError) as error:
            raise ReasoningError(
                "method_unavailable",
                f"The library of learned methods {self.path} cannot be used: {error}. Move it"
                " away, or name another file in learned_methods.library.",
            ) from error

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _retire_worst(self, connection: sqlite3.Connection, spared: Collection[str] = ()) -> None:
        while (
            worst := _find_worst(read_methods(connection, self.api), self._most, spared)
        ) is not None:
            retire(connection, self.api, worst)


def _find_worst(
    methods: Mapping[str, LearnedMethod], most: int, spared: Collection[str]
) -> str | None:
    """The method to retire next; one that others call stays as long as they do.

    Args:
        spared: they go last: nobody has been able to use them yet.
    """
    called = {name for method in methods.values() for name in method.calls}
    free = [method for name, method in methods.items() if name not in called]
    bad = [m for m in free if m.uses >= _FAIR_USES and m.score < _WORST_SCORE]
    if not bad and len(methods) <= most:
        return None
    worst = min(bad or free, key=lambda m: (m.name in spared, m.score, m.uses), default=None)
    return None if worst is None else worst.name
