"""CPU time of one call."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def timed(work: Callable[[], Value]) -> tuple[float, Value]:
    """Milliseconds of this thread, and the result."""
    started = time.thread_time()
    result = work()
    return 1e3 * (time.thread_time() - started), result
