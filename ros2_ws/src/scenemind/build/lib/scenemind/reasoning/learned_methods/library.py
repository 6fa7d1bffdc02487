"""The library of learned methods on disk.

One file has the methods of all APIs, which do not mix. A method that fails too often is retired;
its name may be used again, for the next version. The newest 500 retired methods stay in the file.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from scenemind.language.quoting import tame
from scenemind.reasoning.learned_methods.method_api import ApiName, Signature
from scenemind.reasoning.learned_methods.source import find_form_fault
from scenemind.reasoning.query import ReasoningError

_log = logging.getLogger(__name__)
_CALLS = TypeAdapter(tuple[str, ...])
_MOST_USES = 1 << 53

# Methods with a lower score are retired after that many uses.
_WORST_SCORE, _FAIR_USES = 0.35, 4


class MethodLibrary:
    """The methods on one API, for several threads and processes. The file is opened on first
    use."""

    def __init__(self, path: Path | None, api: ApiName, most: int) -> None:
        """
        Args:
            path: SQLite file, which need not exist; None: the methods live as long as this object.
            most: number of methods; beyond it those with the lowest score are retired.
        """
        self.path = path
        self.api: ApiName = api
        self._most = most
        self._lock = threading.Lock()  # guards the two below
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def methods(self) -> dict[str, LearnedMethod]:
        """Methods by name, oldest first; empty without a file.

        Raises:
            ReasoningError: the file cannot be used; all methods of this class raise it.
        """
        with self._named():
            if self.path is not None and not self.path.exists():
                return {}
        with self._used("BEGIN") as connection:
            return read_methods(connection, self.api)

    def add(self, methods: Iterable[LearnedMethod]) -> None:
        """Add methods whose name is free, each after those that it calls; retire the surplus."""
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
        """Count a program that called these methods."""
        names = list(names)
        if not names:
            return
        with self._used() as connection:
            called = with_all_calls(names, read_methods(connection, self.api))
            note_use(connection, self.api, called, succeeded)
            self._retire_worst(connection)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
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
        """Names the library in errors."""
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
    """The method to retire next; a method stays as long as others call it.

    Args:
        spared: new methods, which are retired last.
    """
    called = {name for method in methods.values() for name in method.calls}
    free = [method for name, method in methods.items() if name not in called]
    bad = [m for m in free if m.uses >= _FAIR_USES and m.score < _WORST_SCORE]
    if not bad and len(methods) <= most:
        return None
    worst = min(bad or free, key=lambda m: (m.name in spared, m.score, m.uses), default=None)
    return None if worst is None else worst.name


_DECLARATIONS = "There are these functions as well, made of the ones above:\n\n```python\n{}\n```\n"


@dataclass(frozen=True, slots=True)
class LearnedMethod:
    """A method that was tried.

    Attributes:
        source: the function, and imports.
        calls: names of learned methods that it calls.
        behaviour: hash of its results in the trial.
        version: of its name.
        uses, successes: number of programs that called it, and of those with a result.
    """

    signature: Signature
    source: str
    calls: tuple[str, ...]
    behaviour: str
    version: int = 1
    uses: int = 0
    successes: int = 0

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def score(self) -> float:
        """Share of successes by Laplace's rule; 0.5 for an unused method."""
        return (self.successes + 1) / (self.uses + 2)


def with_all_calls(names: Iterable[str], methods: Mapping[str, LearnedMethod]) -> list[str]:
    """Names of methods and of all that they call, callees first, each once.

    Args:
        methods: without recursion.
    """
    ordered: dict[str, None] = {}

    def add(name: str) -> None:
        if name in methods and name not in ordered:
            for called in methods[name].calls:
                add(called)
            ordered[name] = None

    for name in names:
        add(name)
    return list(ordered)


def source_of(names: Iterable[str], methods: Mapping[str, LearnedMethod]) -> str:
    """Source of methods with all that they call, callees first."""
    return "\n\n".join(methods[name].source for name in with_all_calls(names, methods))


def declarations_prompt(declared: str) -> str:
    """The part of a prompt with declarations of learned methods; empty without any."""
    return _DECLARATIONS.format(declared) if declared else ""


@dataclass(frozen=True, slots=True)
class Offer:
    """The learned methods for a question's programs.

    Attributes:
        declarations: for the model; may be empty.
        source: source of the methods with all that they call.
    """

    declarations: str = ""
    source: str = ""


def offer_of(methods: Mapping[str, LearnedMethod], most: int) -> Offer:
    """The best methods, best first."""
    by_score = sorted(methods.values(), key=lambda m: (-m.score, -m.uses))
    best = by_score[:most]
    declarations = "\n\n".join(method.signature.declaration for method in best)
    return Offer(declarations, source_of([method.name for method in best], methods))


_CREATE = """
CREATE TABLE IF NOT EXISTS methods (
    api TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    signature TEXT NOT NULL,  -- JSON
    source TEXT NOT NULL,
    calls TEXT NOT NULL,  -- JSON, names
    behaviour TEXT NOT NULL,
    uses INTEGER NOT NULL,
    successes INTEGER NOT NULL,
    is_live INTEGER NOT NULL,
    PRIMARY KEY (api, name, version)
)
"""
_ALL_OF_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_READ = """
SELECT signature, source, calls, behaviour, version, uses, successes
FROM methods WHERE is_live AND api = ? ORDER BY rowid
"""
_ADD = """
INSERT INTO methods VALUES (
    :api,
    :name,
    1 + (SELECT COALESCE(MAX(version), 0) FROM methods WHERE api = :api AND name = :name),
    :signature,
    :source,
    :calls,
    :behaviour,
    0,
    0,
    1
)
"""
_NOTE = """
UPDATE methods SET uses = uses + 1, successes = successes + ?
WHERE api = ? AND name = ? AND is_live
"""
_RETIRE = "UPDATE methods SET is_live = 0 WHERE api = ? AND name = ? AND is_live"
_FORGET = """
DELETE FROM methods WHERE rowid IN (
    SELECT rowid FROM methods WHERE api = ? AND NOT is_live ORDER BY rowid DESC LIMIT -1 OFFSET ?
)
"""
# Of an API: a robot that learns with every question does so for years.
_MOST_RETIRED = 500
# For another process that writes.
_WAIT_S = 2.0


def read_methods(connection: sqlite3.Connection, api: ApiName) -> dict[str, LearnedMethod]:
    """Methods that are not retired, by name, oldest first.

    Files are exchanged and damaged: methods that the learner would not have kept are left out, with
    those that call them or each other in a circle, and logged.

    Raises:
        sqlite3.Error: the file is damaged.
    """
    methods = {}
    for row in connection.execute(_READ, (api,)):
        try:
            method = _method_of(*row)
        except ValueError as error:
            _log.warning("a learned method is left out: %s", tame(str(error)))
            continue
        methods[method.name] = method
    return _without_circles(methods)


def _method_of(
    signature: object, source: object, calls: object, behaviour: object, *counts: object
) -> LearnedMethod:
    """
    Raises:
        ValueError: the row holds no method that could have been learned.
    """
    texts = signature, source, calls, behaviour
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a column holds no text")
    if not all(isinstance(count, int) and 0 <= count < _MOST_USES for count in counts):
        raise ValueError("a column holds no count")
    known = Signature.model_validate_json(str(signature))
    called = _CALLS.validate_json(str(calls))
    fault = find_form_fault(str(source), known)
    if fault is not None:
        raise ValueError(f"{known.name}: {fault}")
    version, uses, successes = (int(str(count)) for count in counts)
    return LearnedMethod(known, str(source), called, str(behaviour), version, uses, successes)


def _without_circles(methods: Mapping[str, LearnedMethod]) -> dict[str, LearnedMethod]:
    sound: set[str] = set()
    while ready := {
        name
        for name, method in methods.items()
        if name not in sound and sound.issuperset(method.calls)
    }:
        sound |= ready
    for name in methods.keys() - sound:
        _log.warning("%s is left out: it calls methods that are missing, or itself", tame(name))
    return {name: method for name, method in methods.items() if name in sound}


def add_method(connection: sqlite3.Connection, api: ApiName, method: LearnedMethod) -> None:
    """Insert a method as the next version of its name."""
    connection.execute(_ADD, {"api": api, **_columns(method)})


def note_use(
    connection: sqlite3.Connection, api: ApiName, names: Iterable[str], succeeded: bool
) -> None:
    """Count a use for each of the methods."""
    connection.executemany(_NOTE, [(int(succeeded), api, name) for name in names])


def retire(connection: sqlite3.Connection, api: ApiName, name: str) -> None:
    """Retire a method; the newest retired ones stay in the file."""
    connection.execute(_RETIRE, (api, name))
    connection.execute(_FORGET, (api, _MOST_RETIRED))


def file_of(path: Path | None) -> tuple[int, int] | None:
    """Device and inode of a file; None without a file."""
    if path is None or not path.exists():
        return None
    status = path.stat()
    return status.st_dev, status.st_ino


def open_file(path: Path | None) -> sqlite3.Connection:
    """
    Raises:
        OSError, sqlite3.Error: it cannot be written, or is no such file.
        ValueError: it has something else than the table of methods. A view can be without end, and
            a trigger too.
    """
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(
        path or ":memory:", timeout=_WAIT_S, isolation_level=None, check_same_thread=False
    )
    # A crash of the machine may lose the last counts, and costs no wait for the disk each time.
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(_CREATE)
        if set(connection.execute(_ALL_OF_SCHEMA)) != _expected_schema():
            raise ValueError("it has other tables, views or triggers than those of learned methods")
    except BaseException:
        connection.close()
        raise
    return connection


@cache
def _expected_schema() -> frozenset[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(_CREATE)
        return frozenset(connection.execute(_ALL_OF_SCHEMA))


def _columns(method: LearnedMethod) -> dict[str, str]:
    return {
        "name": method.name,
        "signature": method.signature.model_dump_json(),
        "source": method.source,
        "calls": json.dumps(method.calls),
        "behaviour": method.behaviour,
    }
