"""Objects that are no longer where they were."""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType

from scenemind.memory.objects.map_entry import MapEntry
from scenemind.memory.objects.moves import find_origin
from scenemind.memory.types import MapObject

# So many are remembered; the one gone longest is forgotten first.
MOST_GONE = 512


class GoneObjects:
    """Retired entries with the values that others see."""

    def __init__(self) -> None:
        self._entries: dict[int, MapEntry] = {}
        self._values: dict[int, MapObject] = {}

    def add(self, entry: MapEntry) -> None:
        """Keep an object whose `gone_ns` is set."""
        self._entries[entry.object_id] = entry
        self._values = dict(sorted({**self._values, entry.object_id: entry.to_object()}.items()))

    def take_oldest(self, spoken_of: Set[int]) -> set[int]:
        """Forget those gone longest where there are too many, and nobody spoke of; their ids."""
        spare = len(self._entries) - MOST_GONE
        if spare <= 0:
            return set()
        able = (entry for entry in self._entries.values() if entry.object_id not in spoken_of)
        by_time = sorted(able, key=lambda e: (e.gone_ns or 0, e.object_id))
        forgotten = {entry.object_id for entry in by_time[:spare]}
        for object_id in forgotten:
            self.take(object_id)
        return forgotten

    def take(self, object_id: int) -> MapEntry:
        """Take out an object that is back."""
        self._values = {i: value for i, value in self._values.items() if i != object_id}
        return self._entries.pop(object_id)

    def find(self, object_id: int) -> MapEntry | None:
        return self._entries.get(object_id)

    def find_origin(self, appeared: MapEntry) -> MapEntry | None:
        """The object that this new one is; see `moves`."""
        return find_origin(appeared, self._entries.values()) if self._entries else None

    def values(self) -> Mapping[int, MapObject]:
        """By id, ascending; constant afterwards."""
        return MappingProxyType(self._values)
