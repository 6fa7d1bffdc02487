"""An asyncio loop on a thread of its own, so that waiting for it can end at any moment."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from contextlib import nullcontext
from inspect import CORO_CREATED, getcoroutinestate, iscoroutine
from typing import Any, TypeVar

from scenemind.models.allowance import Allowance

Result = TypeVar("Result")

# For tasks to end after they were cancelled; those that take longer are left.
_CANCEL_S = 0.5


class BackgroundLoop:
    """Runs coroutines for other threads, several at once."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()  # of the two below
        self._is_closing = False
        self._awaited: set[concurrent.futures.Future[Any]] = set()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def run(
        self,
        coroutine: Coroutine[Any, Any, Result],
        deadline_s: float,
        allowance: Allowance | None = None,
    ) -> Result:
        """The coroutine's result. One that is not done in time is cancelled and not waited for.

        Args:
            allowance: whoever cancels it wakes this caller at once.

        Raises:
            TimeoutError: it was not done in time.
            CancelledError: the loop was closed or the allowance cancelled, before or meanwhile.
        """
        with self._lock:
            if self._is_closing:
                coroutine.close()
                raise concurrent.futures.CancelledError("the loop is closed")
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
            self._awaited.add(future)
        try:
            with nullcontext() if allowance is None else allowance.waking(future.cancel):
                return _result_of(future, deadline_s)
        finally:
            with self._lock:
                self._awaited.discard(future)

    def close(self, last: Coroutine[Any, Any, None], grace_s: float = 1.0) -> None:
        """Cancel what runs, run one last coroutine, and end the thread; the second call does
        nothing. From when it begins, `run` refuses.

        Args:
            grace_s: `last` is given so long, when what runs has ended.
        """
        with self._lock:
            was_closing, self._is_closing = self._is_closing, True
        if was_closing:
            last.close()
            return
        ending = asyncio.run_coroutine_threadsafe(_after_all_others(last), self._loop)
        try:
            _result_of(ending, _CANCEL_S + grace_s)
        except TimeoutError:
            pass  # a server that does not let go of a connection; the process need not wait
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._let_go()
            self._loop.close()

    def _serve(self) -> None:
        """The thread: until it is stopped, and then until the tasks that are left have ended."""
        self._loop.run_forever()
        self._loop.run_until_complete(_cancel_all_others())

    def _let_go(self) -> None:
        """Wake those who wait for a task that does not heed being cancelled."""
        with self._lock:
            awaited = list(self._awaited)
        for future in awaited:
            future.cancel()


def _result_of(future: concurrent.futures.Future[Result], deadline_s: float) -> Result:
    try:
        return future.result(deadline_s)
    except concurrent.futures.TimeoutError as error:
        future.cancel()
        raise TimeoutError(f"not done in {deadline_s} s") from error


async def _after_all_others(last: Coroutine[Any, Any, None]) -> None:
    await _cancel_all_others()
    await last


async def _cancel_all_others() -> None:
    others = {task for task in asyncio.all_tasks() if _has_begun(task)} - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=_CANCEL_S)


def _has_begun(task: asyncio.Task[Any]) -> bool:
    """What was given to `run` has, by the time that `close` comes to it. What has not is a part of
    it, which it ends by itself: cancelled before that, its coroutine would be lost unawaited."""
    coroutine = task.get_coro()
    return not (iscoroutine(coroutine) and getcoroutinestate(coroutine) == CORO_CREATED)
