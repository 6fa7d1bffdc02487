"""A program in its worker, which others may end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

# Has something called when nobody waits any more, as long as the context lasts.
Waking = Callable[[Callable[[], object]], AbstractContextManager[None]]


class RunningProgram:
    """Thread-safe: who stops it is on another thread than who runs it.

    A worker is killed, as its interpreter looks at nothing while it computes; the pool starts
    another. A function of this process that is running is not ended, and no other is called.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # of the two below
        self._worker_pid: int | None = None
        self._is_stopped = False

    @property
    def is_stopped(self) -> bool:
        return self._is_stopped

    def begin(self, worker_pid: int | None) -> None:
        with self._lock:
            self._worker_pid = worker_pid
            self._kill_where_stopped()

    def end(self) -> None:
        """The worker is another program's from here on."""
        with self._lock:
            self._worker_pid = None

    def stop(self) -> None:
        """The second call does nothing."""
        with self._lock:
            self._is_stopped = True
            self._kill_where_stopped()

    def _kill_where_stopped(self) -> None:
        if self._is_stopped and self._worker_pid is not None:
            with suppress(ProcessLookupError):  # it has just died by itself
                os.kill(self._worker_pid, signal.SIGKILL)
            self._worker_pid = None
