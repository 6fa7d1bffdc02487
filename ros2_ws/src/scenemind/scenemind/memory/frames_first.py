"""Frames go first: long work on another thread of the process waits while one is mapped.

Python's threads share one processor. Beside work that does not wait, a frame would wait for it
again and again, each time until the interpreter changes threads or a call of that work returns. So
long work stops between its steps, which are to take a few milliseconds each, until the frame that
is on its way is in the memory. A step that takes longer begins when a frame has ended early.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter, sleep
from typing import TypeVar

# Work gives way for so long: where frames follow each other without a pause, it still comes to its
# end.
_PATIENCE_S = 10.0
_PAUSE_S = 0.001  # after a frame, in which one begins that was late
# A long step begins in the first half of the time from one frame to the next, unless so many frames
# have come meanwhile, or none for the time of some frames.
_EARLY, _MOST_FRAMES, _MOST_S = 0.5, 8, 0.2
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
        self._count, self._depth = 0, 0
        self._began_s: deque[float] = deque(maxlen=_MOST_FRAMES)  # when the last frames came

    @contextmanager
    def taken(self) -> Iterator[None]:
        """A context for one frame, or, where the thread yields to frames, for what must not happen
        while one is on its way."""
        with self._lock:
            if not self._depth and getattr(_here, "way", None) is not self:
                self._count += 1
                self._began_s.append(perf_counter())
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1

    @contextmanager
    def yielded(self) -> Iterator[None]:
        """A context in which `give_way`, on this thread, lets frames go first, and the interpreter
        changes threads more often."""
        _here.way, _here.until = self, perf_counter() + _PATIENCE_S
        try:
            with _short_turns:
                yield
        finally:
            _here.way = None

    def wait(self, until_s: float, *, for_gap: bool) -> None:
        """Wait until no frame is on its way, or for a moment.

        Args:
            for_gap: and the next one is not to be expected soon.
        """
        most = self._count + _MOST_FRAMES
        while (left_s := until_s - perf_counter()) > 0.0:
            is_free = self._lock.acquire(blocking=False)
            if not is_free and not self._lock.acquire(timeout=left_s):
                return
            self._lock.release()
            if is_free and (not for_gap or self._is_early() or self._count >= most):
                return
            sleep(_PAUSE_S)

    def _is_early(self) -> bool:
        """True soon after a frame began, and where none come."""
        began_s, now_s = tuple(self._began_s), perf_counter()
        if len(began_s) < 2 or now_s - began_s[-1] > _MOST_S:
            return True
        usual_s = (began_s[-1] - began_s[0]) / (len(began_s) - 1)
        return now_s - began_s[-1] < _EARLY * usual_s


def give_way(*, to_long_step: bool = False) -> None:
    """Wait while a frame is on its way, if this thread yields to frames; the caller holds no lock
    that a frame needs.

    Args:
        to_long_step: the next step takes as long as a frame: wait for one that ends early.
    """
    way: Way | None = getattr(_here, "way", None)
    if way is not None:
        way.wait(_here.until, for_gap=to_long_step)


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
