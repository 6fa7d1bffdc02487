"""Daily usage of models, across processes and restarts."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import astuple
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from scenemind.models.chat import NOTHING_USED, ModelError, Usage

_log = logging.getLogger(__name__)

_CREATE = """
CREATE TABLE IF NOT EXISTS model_usage (
    day TEXT NOT NULL,  -- local, YYYY-MM-DD
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reply_tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (day, model)
)
"""
_ADD = """
INSERT INTO model_usage VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (day, model) DO UPDATE SET
    calls = calls + excluded.calls,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    reply_tokens = reply_tokens + excluded.reply_tokens,
    cost = cost + excluded.cost
"""
_READ = """
SELECT model, calls, prompt_tokens, cached_tokens, reply_tokens, cost
FROM model_usage WHERE day = ?
"""
_KEPT_DAYS = 400
# Wait for another process that writes; counts that are not written now are written later.
_WAIT_S = 0.1
# Pause between tries to use a file in trouble.
_PAUSE_S = 5.0


class UsageLedger:
    """Usage by local date and model, over processes and restarts. Thread-safe.

    A file that cannot be used (locked, damaged, read-only) does not stop questions: it is logged
    once, and usage is counted in memory and written as soon as possible.
    """

    def __init__(
        self,
        path: Path,
        day_tokens: int = 0,
        day_cost: float = 0.0,
        today: Callable[[], date] = date.today,
    ) -> None:
        """
        Args:
            path: SQLite file, which need not exist.
            day_tokens, day_cost: limits for all models together; 0: no limit.
        """
        self.path = path
        self._day_tokens = day_tokens
        self._day_cost = day_cost
        self._today = today
        self._lock = threading.Lock()  # guards all that follows, and the file
        self._known: dict[tuple[date, str], Usage] = {}  # as it was last in the file
        self._unwritten: dict[tuple[date, str], Usage] = {}
        self._trouble = ""
        self._next_try_s = 0.0

    @property
    def trouble(self) -> str:
        """Reason why the file is unusable; empty if it is usable."""
        return self._trouble

    @property
    def has_unwritten(self) -> bool:
        """Whether some usage is not in the file yet."""
        return bool(self._unwritten)

    def used_today(self, model: str | None = None) -> Usage:
        """Today's usage of one model; None: of all together."""
        with self._lock:
            self._synchronize()
            today = self._today()
            counts = [*self._known.items(), *self._unwritten.items()]
        return sum(
            (used for (day, name), used in counts if day == today and model in (None, name)),
            NOTHING_USED,
        )

    def check(self) -> None:
        """Check the day's budget, before a call.

        Raises:
            ModelError: the day's tokens or money are spent (over_budget).
        """
        if not (self._day_tokens or self._day_cost):
            return
        used = self.used_today()
        if self._day_tokens and used.tokens >= self._day_tokens:
            raise ModelError(
                "over_budget",
                f"models have used {used.tokens} of today's {self._day_tokens} tokens: wait for"
                " tomorrow, or raise models.day_tokens",
            )
        if self._day_cost and used.cost >= self._day_cost:
            raise ModelError(
                "over_budget",
                f"models have cost {used.cost:.4g} of today's {self._day_cost:.4g}: wait for"
                " tomorrow, or raise models.day_cost",
            )

    def add(self, model: str, usage: Usage) -> None:
        """Add the usage of a call."""
        if usage == NOTHING_USED:
            return
        with self._lock:
            key = self._today(), model
            self._unwritten[key] = self._unwritten.get(key, NOTHING_USED) + usage
            self._synchronize()

    def flush(self) -> None:
        """Write usage that could not be written before, where possible now."""
        if self.has_unwritten:
            with self._lock:
                self._next_try_s = 0.0
                self._synchronize()

    def _synchronize(self) -> None:
        """Write pending usage and read today's, where the file can be used."""
        if time.monotonic() < self._next_try_s:
            return
        today = self._today()
        try:
            rows = self._exchange(today) if self._unwritten or self.path.exists() else []
        except (OSError, sqlite3.Error) as error:
            if not self._trouble:
                _log.warning(
                    "cannot use %s (%s): what models use is counted in this process only, until the"
                    " file can be written; delete it should it be damaged",
                    self.path,
                    error,
                )
            self._trouble = f"{self.path}: {error}"
            self._next_try_s = time.monotonic() + _PAUSE_S
        else:
            self._known = {(today, model): Usage(*counts) for model, *counts in rows}
            self._unwritten.clear()
            self._trouble = ""

    def _exchange(self, today: date) -> list[tuple[Any, ...]]:
        """Write pending usage; returns today's rows of the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, _WAIT_S)) as connection, connection:
            connection.execute(_CREATE)
            if self._unwritten:
                self._write(connection, today)
            return connection.execute(_READ, (today.isoformat(),)).fetchall()

    def _write(self, connection: sqlite3.Connection, today: date) -> None:
        rows = [
            (day.isoformat(), model, *astuple(usage))
            for (day, model), usage in self._unwritten.items()
        ]
        oldest = today - timedelta(days=_KEPT_DAYS)
        connection.executemany(_ADD, rows)
        connection.execute("DELETE FROM model_usage WHERE day < ?", (oldest.isoformat(),))
