"""Learned methods as rows of an SQLite file, each within a transaction of the caller's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from scenemind.reasoning.learned_methods.learned import LearnedMethod
from scenemind.reasoning.learned_methods.method_api import ApiName
from scenemind.reasoning.learned_methods.signatures import Signature

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
    """By name, those that are not retired, oldest first.

    Raises:
        sqlite3.Error, ValueError: the file is damaged.
    """
    methods = {}
    for signature, source, calls, behaviour, *counts in connection.execute(_READ, (api,)):
        known = Signature.model_validate_json(signature)
        called = tuple(json.loads(calls))
        methods[known.name] = LearnedMethod(known, source, called, behaviour, *counts)
    return methods


def add_method(connection: sqlite3.Connection, api: ApiName, method: LearnedMethod) -> None:
    """As the next version of its name; nobody has used it."""
    connection.execute(_ADD, {"api": api, **_columns(method)})


def note_use(
    connection: sqlite3.Connection, api: ApiName, names: Iterable[str], succeeded: bool
) -> None:
    """Count it for each of them."""
    connection.executemany(_NOTE, [(int(succeeded), api, name) for name in names])


def retire(connection: sqlite3.Connection, api: ApiName, name: str) -> None:
    """It is not read any more; of those retired so far the newest stay in the file."""
    connection.execute(_RETIRE, (api, name))
    connection.execute(_FORGET, (api, _MOST_RETIRED))


def file_of(path: Path | None) -> tuple[int, int] | None:
    """Device and inode; None where there is no file."""
    if path is None or not path.exists():
        return None
    status = path.stat()
    return status.st_dev, status.st_ino


def open_file(path: Path | None) -> sqlite3.Connection:
    """
    Raises:
        OSError, sqlite3.Error: it cannot be written, or is no such file.
    """
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(
        path or ":memory:", timeout=_WAIT_S, isolation_level=None, check_same_thread=False
    )
    # A crash of the machine may lose the last counts, and costs no wait for the disk each time.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(_CREATE)
    return connection


def _columns(method: LearnedMethod) -> dict[str, str]:
    return {
        "name": method.name,
        "signature": method.signature.model_dump_json(),
        "source": method.source,
        "calls": json.dumps(method.calls),
        "behaviour": method.behaviour,
    }
