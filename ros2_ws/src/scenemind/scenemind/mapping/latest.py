"""Between the thread that receives frames and the one that maps them: the newest frame wins."""

from __future__ import annotations

import threading
from collections import deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class LatestSlot(Generic[Item]):
    """A short queue that drops its oldest item when a new one finds it full.

    One item keeps latency lowest; a few ride out a slow frame without a loss.
    """

    def __init__(self, capacity: int = 1) -> None:
        """
        Raises:
            ValueError: a capacity below 1.
        """
        if capacity < 1:
            raise ValueError(f"a slot holds at least 1 item, not {capacity}")
        self._items: deque[Item] = deque()
        self._capacity = capacity
        self._dropped = 0
        self._is_closed = False
        self._changed = threading.Condition()

    @property
    def dropped(self) -> int:
        """Items that a newer one pushed out."""
        with self._changed:
            return self._dropped

    def put(self, item: Item) -> None:
        """Never waits. After `close` nothing is taken any more."""
        with self._changed:
            if self._is_closed:
                return
            if len(self._items) == self._capacity:
                self._items.popleft()
                self._dropped += 1
            self._items.append(item)
            self._changed.notify_all()

    def put_patiently(self, item: Item) -> None:
        """Waits for room instead of pushing something out. After `close` nothing is taken."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._items) < self._capacity or self._is_closed)
            self.put(item)

    def take(self) -> Item | None:
        """The oldest item; waits for one. None once the slot is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._is_closed)
            self._changed.notify_all()
            return self._items.popleft() if self._items else None

    def close(self) -> None:
        """No more items; those that are there can still be taken."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
