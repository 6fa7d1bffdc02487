"""How long to wait between tries."""

from __future__ import annotations

import random
import threading

_LONGEST_S = 30.0
_GROWTH = 3.0


class Backoff:
    """Exponential, with decorrelated jitter: callers that failed together do not come back
    together (M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015).
    Thread-safe."""

    def __init__(self, first_s: float, seed: int | None = None) -> None:
        """
        Args:
            first_s: about the first pause.
            seed: for tests; None: another one in each process.
        """
        self._shortest_s = first_s / 2.0
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def next_s(self, last_s: float | None = None) -> float:
        """The pause after one of `last_s`; None: the first one."""
        longest_s = _GROWTH * (self._shortest_s if last_s is None else last_s)
        with self._lock:
            return min(_LONGEST_S, self._random.uniform(self._shortest_s, longest_s))
