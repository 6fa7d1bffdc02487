"""Leaving an endpoint alone that fails again and again."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from scenemind.models.errors import ModelError

Outcome = Literal[
    "well",  # it answered, whatever it said
    "ill",  # it did not, and the next call would likely fare the same
    "unknown",  # nobody waited for it long enough to tell
]


class Breaker:
    """Shared by all who call one endpoint; a circuit breaker with one probe. Thread-safe.

    Closed, it lets every call through. After so many failures in a row it opens: calls are refused
    for a while. Then one may try: it closes when that goes well, and rests again when not.
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
        self._lock = threading.Lock()  # of all below
        self._failures = 0
        self._last = ""
        self._rests_until_s = -math.inf
        self._has_probe = False

    @property
    def is_open(self) -> bool:
        """Whether calls are refused, or only one is let through."""
        return self._failures >= self._rest_after

    @property
    def state(self) -> str:
        """Empty while it is closed."""
        rest_s = self._left_s()
        if not self.is_open:
            return ""
        when = f"for {rest_s:.3g} s" if rest_s else "until one call has shown how it is"
        return (
            f"failed {self._failures} times in a row and is left alone {when}; the last time:"
            f" {self._last}"
        )

    def check(self) -> None:
        """
        Raises:
            ModelError: it is to be left alone (resting).
        """
        with self._lock:
            self._refuse_while_resting()

    @contextmanager
    def watching(self) -> Iterator[Callable[[Outcome, str], None]]:
        """Around a call; what it gives is told how the call went, and what was said of a failure.

        Raises:
            ModelError: it is to be left alone (resting).
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
            failures: before the call. Calls that ran together and failed together count as one.
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
