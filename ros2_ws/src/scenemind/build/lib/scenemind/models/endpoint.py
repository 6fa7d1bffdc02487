"""A model server as its callers share it: circuit breaker, rate limiter and status."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from scenemind.config import ModelsConfig
from scenemind.models.chat import Allowance, FailureKind, ModelError, Usage

READY = "ready"
Outcome = Literal[
    "well",  # the server answered, even with an error of the request
    "ill",  # the server failed, and the next call would likely fail too
    "unknown",  # the caller gave up too early to tell
]
# Longest pause that a server may ask for.
_LONGEST_HOLD_S = 3600.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The rate limiter and the circuit breaker of one server, shared by all its callers."""

    limiter: RateLimiter
    breaker: CircuitBreaker

    @classmethod
    def at(cls, where: str, config: ModelsConfig) -> Endpoint:
        """An endpoint with the configured limits.

        Args:
            where: its address, for messages.
        """
        return cls(
            RateLimiter(where, config.parallel_calls, config.requests_per_minute),
            CircuitBreaker(where, config.rest_after, config.rest_s),
        )

    @property
    def state(self) -> str:
        """`READY`, or why calls are held back."""
        held_s = self.limiter.held_s
        held = f"wants to be left alone for {held_s:.3g} s" if held_s else ""
        return self.breaker.state or held or READY


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """State of one model, for diagnostics and people.

    Attributes:
        role: language, vision, or "language and vision".
        model: its name on the server.
        endpoint: its address, or its replacement's description.
        state: `READY`, or why calls are held back.
        calls: attempts so far, failed ones included.
        failures: failed attempts by kind.
        in_flight, waiting: calls at its endpoint now.
        used_today: usage by all processes that share the ledger.
        has_price: whether the cost is known.
        trouble: why the ledger cannot be used; empty: it can.
    """

    role: str
    model: str
    endpoint: str
    state: str
    calls: int
    failures: Mapping[FailureKind, int]
    in_flight: int
    waiting: int
    used_today: Usage
    has_price: bool
    trouble: str

    @property
    def is_ready(self) -> bool:
        return self.state == READY


class CircuitBreaker:
    """A circuit breaker with one probe, shared by all callers of an endpoint. Thread-safe.

    Closed, it lets every call through. After `rest_after` consecutive failures it opens and refuses
    calls for `rest_s`. Then one probe is let through: on success it closes, else it rests again.
    """

    def __init__(
        self,
        where: str,
        rest_after: int,
        rest_s: float,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            where: the endpoint, for messages.
            rest_after: failures in a row that open it.
        """
        self._where = where
        self._rest_after = rest_after
        self._rest_s = rest_s
        self._now_s = now_s
        self._lock = threading.Lock()  # guards all that follows
        self._failures = 0
        self._last = ""
        self._rests_until_s = -math.inf
        self._has_probe = False

    @property
    def is_open(self) -> bool:
        """Whether calls are refused, but for a probe."""
        return self._failures >= self._rest_after

    @property
    def state(self) -> str:
        """Reason for refusing calls; empty while the circuit is closed."""
        rest_s = self._left_s()
        if not self.is_open:
            return ""
        when = f"for {rest_s:.3g} s" if rest_s else "until one call has shown how it is"
        return (
            f"failed {self._failures} times in a row and is left alone {when}; the last time:"
            f" {self._last}"
        )

    def check(self) -> None:
        """Check that calls are let through.

        Raises:
            ModelError: the breaker is open (resting).
        """
        with self._lock:
            self._refuse_while_resting()

    @contextmanager
    def watching(self) -> Iterator[Callable[[Outcome, str], None]]:
        """Context of a call; yields a function to report the outcome and the error's text to.

        Raises:
            ModelError: the breaker is open (resting).
        """
        with self._lock:
            self._refuse_while_resting()
            failures = self._failures
            is_probe = self._has_probe = self.is_open
        try:
            yield lambda outcome, said: self._note(outcome, said, failures)
        finally:
            if is_probe:
                with self._lock:
                    self._has_probe = False

    def _note(self, outcome: Outcome, said: str, failures: int) -> None:
        """
        Args:
            failures: count before the call; concurrent calls that fail together count once.
        """
        with self._lock:
            if outcome == "well":
                self._failures = 0
            elif outcome == "ill" and self._failures == failures:
                self._failures += 1
                self._last = said
                self._rests_until_s = self._now_s() + self._rest_s

    def _refuse_while_resting(self) -> None:
        rest_s = self._left_s()
        if self.is_open and (rest_s or self._has_probe):
            raise ModelError("resting", f"{self._where} {self.state}", rest_s or None)

    def _left_s(self) -> float:
        return max(0.0, self._rests_until_s - self._now_s())


class RateLimiter:
    """Turns at one endpoint: limited calls at a time and per minute, first come first served.

    Shared by all callers of the endpoint. Thread-safe.
    """

    def __init__(self, where: str, places: int, per_minute: int = 0) -> None:
        """
        Args:
            where: the endpoint, for messages.
            places: simultaneous calls.
            per_minute: calls per minute, evenly spaced; 0: no limit.
        """
        self._where = where
        self._places = places
        self._changed = threading.Condition()  # guards all that follows
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
        """Seconds for which no turn is given; 0: turns are given."""
        return max(0.0, self._held_until_s - time.monotonic())

    @contextmanager
    def turn(self, allowance: Allowance) -> Iterator[None]:
        """Context of a turn; waits for it first.

        Raises:
            ModelError: cancelled or closed meanwhile; no turn within the allowance (too_late); or
                turns are held for longer than the allowance (overloaded).
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
        """Give no turn for that long; running turns go on."""
        with self._changed:
            until_s = time.monotonic() + min(seconds, _LONGEST_HOLD_S)
            self._held_until_s = max(self._held_until_s, until_s)
            self._changed.notify_all()

    def pause(self, seconds: float, allowance: Allowance) -> None:
        """Wait without a turn.

        Raises:
            ModelError: cancelled or closed meanwhile.
        """
        until_s = time.monotonic() + seconds
        with allowance.waking(self._wake), self._changed:
            while (left_s := until_s - time.monotonic()) > 0.0:
                self._check(allowance)
                self._changed.wait(min(left_s, max(0.0, allowance.left_s)))

    def close(self) -> None:
        """Refuse all waiting and further callers."""
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
        """Seconds for which turns are held.

        Raises:
            ModelError: longer than the allowance.
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
