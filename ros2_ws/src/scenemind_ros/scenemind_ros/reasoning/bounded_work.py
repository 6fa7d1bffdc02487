"""Work on threads with a deadline and a limit: work may hang, whoever waits for it may not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillRunning
from typing import Any, TypeVar

from scenemind.reasoning.types import CANCELLED
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError

Result = TypeVar("Result")

_CANCEL_POLL_S = 0.02

THREADS = "reasoning"
"""How the names of its threads begin."""


def _never() -> bool:
    return False


class BoundedWork:
    """Runs at most so many calls at a time; callers wait no longer than they want to."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._slots = threading.BoundedSemaphore(limit)
        self._pool = ThreadPoolExecutor(limit, thread_name_prefix=THREADS)
        self._running: set[Future[Any]] = set()

    @property
    def running(self) -> int:
        """Calls that hold a slot, those that were given up included."""
        return len(self._running)

    def run(
        self,
        work: Callable[[], Result],
        timeout_s: float,
        is_cancelled: Callable[[], bool] = _never,
        grace_s: float = 0.0,
    ) -> Result:
        """The result of `work`, or what it raised.

        Python cannot stop a thread: work that was given up goes on, keeps its slot until it ends,
        and its result is thrown away.

        Args:
            grace_s: after the timeout, for work that ends by itself then and may say more.

        Raises:
            RosError: TIMEOUT, CANCELLED, or NODE_UNAVAILABLE when every slot is taken.
        """
        if not self._slots.acquire(blocking=False):
            raise RosError(
                f"{self._limit} requests are being answered already: ask again later, or raise the"
                " parameter parallel_requests",
                Error.NODE_UNAVAILABLE,
            )
        deadline = time.monotonic() + timeout_s + grace_s
        running = self._pool.submit(work)
        self._running.add(running)
        running.add_done_callback(self._free)
        while not is_cancelled():
            left_s = deadline - time.monotonic()
            try:
                return running.result(max(0.0, min(left_s, _CANCEL_POLL_S)))
            except StillRunning:
                if running.done():  # just now, or the work itself raised a TimeoutError
                    return running.result()
                if left_s <= 0.0:
                    raise RosError(
                        f"no answer within {timeout_s:g} s: give more time, or ask for less",
                        Error.TIMEOUT,
                    ) from None
        raise RosError(CANCELLED.text, Error.CANCELLED)

    def close(self) -> None:
        """Take no more work; what runs is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _free(self, ended: Future[Any]) -> None:
        self._running.discard(ended)
        self._slots.release()
