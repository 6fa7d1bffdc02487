"""One sentence after the other, however many people type: each is answered before the next."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

_log = logging.getLogger(__name__)

_MOST_WAITING = 8

Answer = Callable[[str], object]
OnFailure = Callable[[str], object]


class Sentences:
    """Thread-safe."""

    def __init__(self, answer: Answer, on_failure: OnFailure) -> None:
        """
        Args:
            answer: takes a sentence, on a thread of this.
            on_failure: gets what to tell people when `answer` has raised; the error is logged.
        """
        self._answer = answer
        self._on_failure = on_failure
        self._lock = threading.Lock()
        self._waiting = 0  # the one that is being answered included
        self._pool = ThreadPoolExecutor(1, "talk")

    def put(self, text: str) -> int | None:
        """Answer it when its turn comes.

        Returns:
            How many are answered before it; None: too many wait already, it is not taken.
        """
        with self._lock:
            before = self._waiting
            if before == _MOST_WAITING:
                return None
            self._waiting += 1
        self._pool.submit(self._answer, text).add_done_callback(self._end)
        return before

    def close(self) -> None:
        """Return when the one that is being answered is; those that wait are not."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _end(self, done: Future[object]) -> None:
        with self._lock:
            self._waiting -= 1
        if done.cancelled():
            return
        error = done.exception()
        if error is not None:
            _log.error("a sentence in the browser was not answered", exc_info=error)
            self._on_failure(f"That failed: {error}")
