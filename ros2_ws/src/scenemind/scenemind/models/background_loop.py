"""An asyncio loop on a thread of its own, so that waiting for it can end at any moment."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class BackgroundLoop:
    """Runs coroutines for other threads, several at once."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Result], deadline_s: float) -> Result:
        """The coroutine's result. One that is not done in time is cancelled and not waited for.

        Raises:
            TimeoutError: it was not done in time.
            CancelledError: the loop was closed meanwhile.
            RuntimeError: the loop was closed before.
        """
        if self._loop.is_closed():
            coroutine.close()
            raise RuntimeError("the loop is closed")
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result(deadline_s)
        except concurrent.futures.TimeoutError as error:
            future.cancel()
            raise TimeoutError(f"not done in {deadline_s} s") from error

    def close(self, last: Coroutine[Any, Any, None], grace_s: float = 1.0) -> None:
        """Cancel what runs, run one last coroutine, and end the thread; the second call does
        nothing.

        Args:
            grace_s: `last` is given so long.
        """
        if self._loop.is_closed():
            last.close()
            return
        try:
            self.run(_after_all_others(last), grace_s)
        except TimeoutError:
            pass  # a server that does not let go of a connection; the process need not wait
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


async def _after_all_others(last: Coroutine[Any, Any, None]) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last
