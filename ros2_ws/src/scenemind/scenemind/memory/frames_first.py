"""Frames go first: long work on another thread of the process waits while one is mapped.

Python's threads share one processor. Beside work that does not wait, a frame would wait for it
again and again, each time until the interpreter changes threads or a call of that work returns. So
long work stops between its steps, which are to take a few milliseconds each, until the frame that
is on its way is in the memory.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter, sleep
from typing import Any, TypeVar

# Work gives way for so long: where frames follow each other without a pause, it still comes to its
# end.
_PATIENCE_S = 10.0
_PAUSE_S = 0.001  # after a frame, in which one begins that was late
# Rows of arrays in one step: half a millisecond or two. Larger ones take new pages again and again,
# for which the threads of a process wait for each other.
_AT_ONCE = 2048
_STEP_S = 0.002
# While a frame and such work both run, each turn of the frame's threads waits for so long, 5 ms by
# default.
_SWITCH_S = 0.0003

_T = TypeVar("_T")
_here = threading.local()


class _ShortTurns:
    """A context in which threads take turns more often, for the whole process: the last of several
    that leave it makes turns as long as they were."""

    def __init__(self) -> None:
        self._lock, self._users, self._usual_s = threading.Lock(), 0, 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._usual_s = sys.getswitchinterval()
                sys.setswitchinterval(min(self._usual_s, _SWITCH_S))
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                sys.setswitchinterval(self._usual_s)


_short_turns = _ShortTurns()


class Way:
    """The way of frames from their pose to the memory; its users take turns."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def taken(self) -> AbstractContextManager[bool]:
        """A context for one frame, or for what must not happen while one is on its way."""
        return self._lock

    @contextmanager
    def yielded(self) -> Iterator[None]:
        """A context in which `give_way`, on this thread, lets frames go first, and the interpreter
        changes threads more often."""
        _here.lock, _here.until = self._lock, perf_counter() + _PATIENCE_S
        try:
            with _short_turns:
                yield
        finally:
            _here.lock = None


def give_way() -> None:
    """Wait while a frame is on its way, if this thread yields to frames; the caller holds no lock
    that a frame needs."""
    lock = getattr(_here, "lock", None)
    if lock is None:
        return
    while not _is_free(lock) and (left_s := _here.until - perf_counter()) > 0.0:
        if lock.acquire(timeout=left_s):
            lock.release()
            sleep(_PAUSE_S)


def _is_free(lock: Any) -> bool:
    if lock.acquire(blocking=False):
        lock.release()
        return True
    return False


def in_steps(count: int, at_once: int = _AT_ONCE) -> Iterator[slice]:
    """Slices of so many rows; frames go first before each."""
    for start in range(0, count, at_once):
        give_way()
        yield slice(start, min(start + at_once, count))


def in_batches(values: Iterable[_T]) -> Iterator[list[_T]]:
    """Lists of values, each of what was made of them in the time of one step; frames go first
    before each."""
    found: list[_T] = []
    give_way()
    end = perf_counter() + _STEP_S
    for value in values:
        found.append(value)
        if perf_counter() > end:
            yield found
            found = []
            give_way()
            end = perf_counter() + _STEP_S
    if found:
        yield found
