"""Levels of the scene graph: how many supporters stand between a thing and the building.

SynergAI (appendix B): what the floor carries is the first level, what a table on it carries the
next. A wall and a ceiling are the building as the floor is; a thing whose supporter is not known
counts as carried by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Levels:
    """Kept up to date: only what is carried, directly or not, by a changed thing is looked at."""

    def __init__(self) -> None:
        self._carrier: dict[int, int] = {}
        self._carried: dict[int, set[int]] = {}
        self._levels: dict[int, int] = {}
        self._by_id: dict[int, int] | None = {}

    def by_id(self) -> Mapping[int, int]:
        """Object id -> level, ascending ids; a new mapping where any level changed."""
        if self._by_id is None:
            self._by_id = dict(sorted(self._levels.items()))
        return self._by_id

    def of(self, object_id: int) -> int:
        """The level; 0 for floor, walls and ceiling."""
        return self._levels.get(object_id, 0)

    def update(self, carriers: Iterable[tuple[int, int | None]], gone: Iterable[int]) -> set[int]:
        """Note new carriers; the objects whose level is another one now.

        Args:
            carriers: object and the object that carries it; None for the building or nothing
                known. Following carriers must never lead back.
            gone: objects that there are no longer; nothing is carried by them.
        """
        for object_id in gone:
            self._set_carrier(object_id, None)
            if self._levels.pop(object_id, None) is not None:
                self._by_id = None
        unsettled = []
        for object_id, carrier in carriers:
            self._set_carrier(object_id, carrier)
            unsettled.append(object_id)
        changed = set()
        while unsettled:
            object_id = unsettled.pop()
            level = self._count(object_id)
            if self._levels.get(object_id) != level:
                self._levels[object_id] = level
                self._by_id = None
                changed.add(object_id)
                unsettled.extend(self._carried.get(object_id, ()))
        return changed

    def _set_carrier(self, object_id: int, carrier: int | None) -> None:
        old = self._carrier.pop(object_id, None)
        if old is not None:
            self._carried[old].discard(object_id)
            if not self._carried[old]:
                del self._carried[old]
        if carrier is not None:
            self._carrier[object_id] = carrier
            self._carried.setdefault(carrier, set()).add(object_id)

    def _count(self, object_id: int) -> int:
        level, carrier = 0, self._carrier.get(object_id)
        while carrier is not None:
            level, carrier = level + 1, self._carrier.get(carrier)
        return level
