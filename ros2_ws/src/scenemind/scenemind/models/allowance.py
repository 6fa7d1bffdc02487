"""What one question may use: time, tokens, money; and whether anybody still waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scenemind.models.errors import ModelError
from scenemind.models.usage import Usage


class Allowance:
    """Shared by all calls of one question; the clock runs from when it is made. Thread-safe.

    Tokens are known when a reply is there: a question can go over its limit by one call, and gets
    no other.
    """

    def __init__(self, seconds: float, tokens: int = 0, cost: float = 0.0) -> None:
        """
        Args:
            tokens, cost: of all calls together; 0: no limit.
        """
        self.seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._tokens = tokens
        self._cost = cost
        self._lock = threading.Lock()  # of all below
        self._used = Usage()
        self._is_cancelled = False
        self._is_committed = False
        self._wakes: list[Callable[[], object]] = []

    @property
    def left_s(self) -> float:
        """Negative when the time is up."""
        return self._deadline - time.monotonic()

    @property
    def used(self) -> Usage:
        with self._lock:
            return self._used

    @property
    def is_cancelled(self) -> bool:
        return self._is_cancelled

    def spend(self, usage: Usage) -> None:
        """Take off what a call has used."""
        with self._lock:
            self._used += usage

    def cancel(self) -> bool:
        """Nobody waits any more: calls that run end soon, and no other begins. The second call does
        nothing more. False: it is too late, see `committing`."""
        with self._lock:
            if self._is_committed:
                return False
            wakes = [] if self._is_cancelled else self._wakes.copy()
            self._is_cancelled = True
        for wake in wakes:
            wake()
        return True

    @contextmanager
    def committing(self) -> Iterator[None]:
        """Around what a cancelled question must not leave behind, such as a write: who cancels
        before it has nothing done, who cancels later is too late. What fails is not committed.

        Raises:
            ModelError: it was cancelled before.
        """
        with self._lock:
            if self._is_cancelled:
                raise _cancelled()
            self._is_committed = True
        try:
            yield
        except BaseException:
            with self._lock:
                self._is_committed = False
            raise

    def check_time(self) -> None:
        """Before work that costs time alone.

        Raises:
            ModelError: cancelled, or too late.
        """
        if self._is_cancelled:
            raise _cancelled()
        if self.left_s <= 0.0:
            raise ModelError("too_late", f"the {self.seconds:g} s for the question are over")

    def check(self) -> None:
        """Before a call of a model.

        Raises:
            ModelError: cancelled, too late, or over the budget.
        """
        self.check_time()
        used = self.used
        if self._tokens and used.tokens >= self._tokens:
            raise ModelError(
                "over_budget",
                f"the question has used {used.tokens} of its {self._tokens} tokens: ask something"
                " simpler, or raise models.question_tokens",
            )
        if self._cost and used.cost >= self._cost:
            raise ModelError(
                "over_budget",
                f"the question has cost {used.cost:.4g} of {self._cost:.4g}: ask something simpler,"
                " or raise models.question_cost",
            )

    def part(self, seconds: float) -> Allowance:
        """A shorter time on the same budget, for what may not use up the whole of it."""
        return _Part(self, seconds)

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Call this, once and on the thread that cancels, when it is cancelled meanwhile; at once
        when it was before."""
        with self._lock:
            self._wakes.append(wake)
            was_cancelled = self._is_cancelled
        if was_cancelled:
            wake()
        try:
            yield
        finally:
            with self._lock:
                self._wakes.remove(wake)


class _Part(Allowance):
    """Of another allowance, which is spent with it, and whose end and cancellation end it too."""

    def __init__(self, whole: Allowance, seconds: float) -> None:
        super().__init__(max(0.0, min(seconds, whole.left_s)))
        self._whole = whole

    @property
    def used(self) -> Usage:
        return self._whole.used

    @property
    def is_cancelled(self) -> bool:
        return self._whole.is_cancelled

    def spend(self, usage: Usage) -> None:
        self._whole.spend(usage)

    def cancel(self) -> bool:
        return self._whole.cancel()

    @contextmanager
    def committing(self) -> Iterator[None]:
        with self._whole.committing():
            yield

    def check_time(self) -> None:
        self._whole.check_time()
        if self.left_s <= 0.0:
            raise ModelError("too_late", f"the {self.seconds:.3g} s for a part are over")

    def check(self) -> None:
        self._whole.check()
        self.check_time()

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        with self._whole.waking(wake):
            yield


def _cancelled() -> ModelError:
    return ModelError("cancelled", "the question was cancelled")
