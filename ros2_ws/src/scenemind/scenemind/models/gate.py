"""Turns at an endpoint: so many calls at a time and a minute, first come first served."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from scenemind.models.allowance import Allowance
from scenemind.models.errors import ModelError

# A server that names a longer pause is asked again after this one: it may have been a slip.
_LONGEST_HOLD_S = 3600.0


class Gate:
    """Shared by all who call one endpoint. Thread-safe."""

    def __init__(self, where: str, places: int, per_minute: int = 0) -> None:
        """
        Args:
            where: the endpoint, for messages.
            places: most calls at a time.
            per_minute: most calls in any minute, at even distances; 0: no limit.
        """
        self._where = where
        self._places = places
        self._changed = threading.Condition()  # of all below
        self._queue: deque[object] = deque()
        self._inside = 0
        self._held_until_s = -math.inf
        self._distance_s = 60.0 / per_minute if per_minute else 0.0
        self._next_turn_s = -math.inf
        self._is_closed = False

    @property
    def in_flight(self) -> int:
        return self._inside

    @property
    def waiting(self) -> int:
        return len(self._queue)

    @property
    def held_s(self) -> float:
        """How long nobody gets a turn; 0: not at all."""
        return max(0.0, self._held_until_s - time.monotonic())

    @contextmanager
    def turn(self, allowance: Allowance) -> Iterator[None]:
        """Wait for a turn, and have it.

        Raises:
            ModelError: cancelled or closed meanwhile; no turn within the allowance (too_late); or
                the server wants to be left alone for longer than that (overloaded).
        """
        with allowance.waking(self._wake), self._changed:
            self._enter(allowance)
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def hold(self, seconds: float) -> None:
        """Give nobody a turn for so long; those who have one keep it."""
        with self._changed:
            until_s = time.monotonic() + min(seconds, _LONGEST_HOLD_S)
            self._held_until_s = max(self._held_until_s, until_s)
            self._changed.notify_all()

    def pause(self, seconds: float, allowance: Allowance) -> None:
        """Wait outside.

        Raises:
            ModelError: cancelled or closed meanwhile.
        """
        until_s = time.monotonic() + seconds
        with allowance.waking(self._wake), self._changed:
            while (left_s := until_s - time.monotonic()) > 0.0:
                self._check(allowance)
                self._changed.wait(min(left_s, max(0.0, allowance.left_s)))

    def close(self) -> None:
        """Send away all who wait and all who come."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _enter(self, allowance: Allowance) -> None:
        me = object()
        self._queue.append(me)
        try:
            while True:
                self._check(allowance)
                held_s = max(self._held_for(allowance), self._next_turn_s - time.monotonic())
                if held_s <= 0.0 and self._queue[0] is me and self._inside < self._places:
                    break
                wait_s = held_s if held_s > 0.0 else math.inf
                self._changed.wait(min(wait_s, max(0.0, allowance.left_s)))
            self._inside += 1
            self._next_turn_s = time.monotonic() + self._distance_s
        finally:
            self._queue.remove(me)
            self._changed.notify_all()

    def _held_for(self, allowance: Allowance) -> float:
        """
        Raises:
            ModelError: longer than the allowance is.
        """
        held_s, left_s = self.held_s, allowance.left_s
        if held_s > left_s:
            raise ModelError(
                "overloaded",
                f"{self._where} wants to be left alone for another {held_s:.3g} s, and the question"
                f" has {left_s:.3g} s left",
                retry_after_s=held_s,
            )
        return held_s

    def _check(self, allowance: Allowance) -> None:
        if self._is_closed:
            raise ModelError("closed", f"{self._where} is closed: nothing more is asked of it")
        if not allowance.is_cancelled and allowance.left_s <= 0.0:
            raise ModelError(
                "too_late",
                f"{self._where}: no turn within the {allowance.seconds:g} s of the question, with"
                f" {self._inside} calls running and {len(self._queue)} waiting: ask later, or raise"
                " models.parallel_calls or models.requests_per_minute",
            )
        allowance.check()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
