"""Python's collector of cycles, kept from what is not going to be garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """While a memory is loaded, the collector would look through all of it again and again: half
    of the time that loading takes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def settle_garbage() -> None:
    """Collect once, and let the collector look no more at what is there now: modules, mostly.

    A full collection among them takes longer than a camera's frame. What an earlier call set aside
    and has become garbage since, such as a memory that another one replaced, is freed.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
