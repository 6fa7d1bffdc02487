"""The object map: observations of many frames become objects with stable ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scenemind.config import ObjectMapConfig
from scenemind.memory.object_record import ObjectRecord
from scenemind.memory.types import MapObject
from scenemind.perception.types import Observation


@dataclass(frozen=True, slots=True)
class ObjectMapUpdate:
    """What one frame did to the map.

    Attributes:
        changed: objects that are new or got evidence, tentative ones included.
        removed: objects that are gone: forgotten tentative ones and merged ones.
        merged: id that is gone -> id that goes on; the older id is kept.
        object_of_track: track id -> object that it fed in this frame, maybe a tentative one.
    """

    changed: frozenset[int]
    removed: frozenset[int]
    merged: Mapping[int, int]
    object_of_track: Mapping[int, int]


class ObjectMap:
    """Not thread-safe: its owner holds a lock."""

    def __init__(self, config: ObjectMapConfig) -> None:
        raise NotImplementedError

    def update(self, observations: Sequence[Observation], stamp_ns: int) -> ObjectMapUpdate:
        """Fuse the observations of one frame."""
        raise NotImplementedError

    def objects(self) -> Mapping[int, MapObject]:
        """The confirmed objects by id, ascending: perception's view, constant afterwards."""
        raise NotImplementedError

    def export(self, object_ids: Iterable[int]) -> list[ObjectRecord]:
        """What must be stored of the given objects; ids that are gone are skipped."""
        raise NotImplementedError

    def restore(self, records: Iterable[ObjectRecord]) -> None:
        """Go on from stored objects; new ids start after the largest one."""
        raise NotImplementedError
