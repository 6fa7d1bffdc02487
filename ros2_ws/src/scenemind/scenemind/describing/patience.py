"""How long to leave alone what did not work."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Hashable


class Patience:
    """Each failure in a row doubles the time until the next try."""

    def __init__(
        self, first_s: float, longest_s: float, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._now_s = now_s
        self._until: dict[Hashable, tuple[float, float]] = {}  # key -> when, after how long

    def wait_s(self, key: Hashable) -> float:
        """Until it may be tried again; 0: now."""
        return max(0.0, self._until.get(key, (0.0, 0.0))[0] - self._now_s())

    def note_failure(self, key: Hashable) -> None:
        _, before_s = self._until.get(key, (0.0, 0.0))
        pause_s = min(2.0 * before_s or self._first_s, self._longest_s)
        self._until[key] = self._now_s() + pause_s, pause_s

    def note_success(self, key: Hashable) -> None:
        self._until.pop(key, None)

    def keep(self, keys: Container[Hashable]) -> None:
        """Forget all others."""
        self._until = {key: known for key, known in self._until.items() if key in keys}
