"""Stops programs whose time is over, from one thread for all of them."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from scenemind.reasoning.sandbox.running import RunningProgram


class Watchdog:
    """Thread-safe. The thread is there from the first program on that has a limit."""

    def __init__(self) -> None:
        self._changed = threading.Condition()  # of all below
        self._due: dict[RunningProgram, float] = {}
        self._wakes_at = math.inf
        self._thread: threading.Thread | None = None
        self._is_closed = False

    @contextmanager
    def watching(self, program: RunningProgram, seconds: float) -> Iterator[None]:
        """It is stopped when it is still running after that time."""
        due = time.monotonic() + seconds
        with self._changed:
            self._due[program] = due
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="sandbox", daemon=True)
                self._thread.start()
            elif due < self._wakes_at:  # else it looks early enough: nobody is woken in vain
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._due.pop(program, None)

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._is_closed:
                now = time.monotonic()
                for program in [p for p, due in self._due.items() if due <= now]:
                    del self._due[program]
                    program.stop()
                self._wakes_at = min(self._due.values(), default=math.inf)
                is_idle = self._wakes_at == math.inf
                self._changed.wait(None if is_idle else self._wakes_at - now)
