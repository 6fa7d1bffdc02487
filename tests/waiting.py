"""Waiting for what another thread does."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object]) -> None:
    """Return as soon as it holds, which must be soon on a machine that does nothing else."""
    give_up_s = time.monotonic() + 120.0
    while not condition():
        assert time.monotonic() < give_up_s
        time.sleep(0.002)
