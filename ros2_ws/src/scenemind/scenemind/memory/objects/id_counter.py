"""Ids of objects: never used again."""

from __future__ import annotations


class IdCounter:
    """Counts from 1."""

    def __init__(self) -> None:
        self._next = 1

    def take(self) -> int:
        """An id that no object has or will have."""
        self._next += 1
        return self._next - 1

    def skip(self, largest: int) -> None:
        """This id and those below it are known already."""
        self._next = max(self._next, largest + 1)
