"""Views of objects in stored frames, as values and as the rows of one table."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Stands for an object where the location itself is meant; objects count from 1.
OVERVIEW = 0
VIEW = np.dtype([("frame", "<i4"), ("score", "<f4"), ("box_px", "<i2", (4,))])
NO_FRAME = -1
_FREE = -1
_FIRST_ROOM = 64  # slots


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """Views as columns of equal length.

    Attributes:
        object_ids: (N,) int32; `OVERVIEW` for a view of the location itself.
        location_ids: (N,) int32. frame_numbers: (N,) int32.
        scores: (N,) float32, how well the frame shows the object, in [0, 1].
        boxes_px: (N, 4) int16, x0, y0, x1, y1 in whole pixels.
    """

    object_ids: NDArray[np.int32]
    location_ids: NDArray[np.int32]
    frame_numbers: NDArray[np.int32]
    scores: NDArray[np.float32]
    boxes_px: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.scores)

    def select(self, rows: NDArray[np.integer]) -> Views:
        """The given rows in their order."""
        return Views(
            self.object_ids[rows],
            self.location_ids[rows],
            self.frame_numbers[rows],
            self.scores[rows],
            self.boxes_px[rows],
        )


@dataclass(frozen=True, slots=True)
class ViewsRecord:
    """What the store keeps of an object at a location.

    Attributes:
        packed: the views as `VIEW`, best first. Empty: there are none any more.
    """

    location_id: int
    object_id: int
    packed: bytes


class ViewTable:
    """A slot of `width` views for each pair of object and location that has some.

    Attributes:
        views: (slots, width) of `VIEW`, best first; `NO_FRAME` where there is room.
        owners: (slots, 2) int32, object and location.
    """

    def __init__(self, width: int) -> None:
        self.views = _no_views(_FIRST_ROOM, width)
        self.owners = np.full((_FIRST_ROOM, 2), _FREE, np.int32)
        self._used = 0
        self._free: list[int] = []
        self._slots_of_object: dict[int, array[int]] = {}
        self._slots_of_location: dict[int, array[int]] = {}

    def take(self, object_id: int, location_id: int) -> int:
        """A slot for a pair that has none."""
        if self._free:
            slot = self._free.pop()
        else:
            if self._used == len(self.owners):
                self._grow()
            slot, self._used = self._used, self._used + 1
        self.owners[slot] = object_id, location_id
        self._slots_of_object.setdefault(object_id, array("i")).append(slot)
        self._slots_of_location.setdefault(location_id, array("i")).append(slot)
        return slot

    def free(self, slot: int) -> None:
        object_id, location_id = self.owners[slot].tolist()
        for slots_of, owner in (
            (self._slots_of_object, object_id),
            (self._slots_of_location, location_id),
        ):
            slots_of[owner].remove(slot)
            if not slots_of[owner]:
                del slots_of[owner]
        self.owners[slot] = _FREE
        self.views["frame"][slot] = NO_FRAME
        self._free.append(slot)

    def of_object(self, object_id: int) -> list[int]:
        """The slots of an object, with those of its oldest locations first."""
        return list(self._slots_of_object.get(object_id, ()))

    def of_objects(self, object_ids: Iterable[int]) -> NDArray[np.int32]:
        """The slots of several objects."""
        return _joined(self._slots_of_object.get(i) for i in object_ids)

    def at_locations(self, location_ids: Iterable[int]) -> NDArray[np.int32]:
        """The slots of several locations, each counted once."""
        return _joined(self._slots_of_location.get(i) for i in dict.fromkeys(location_ids))

    def at(self, location_id: int) -> dict[int, int]:
        """Object id -> slot at a location."""
        slots = list(self._slots_of_location.get(location_id, ()))
        return dict(zip(self.owners[slots, 0].tolist(), slots, strict=True))

    def locations_of(self, object_id: int) -> dict[int, int]:
        """Location id -> slot of an object."""
        slots = self.of_object(object_id)
        return dict(zip(self.owners[slots, 1].tolist(), slots, strict=True))

    def used(self) -> list[int]:
        """All slots that belong to a pair."""
        taken: list[int] = np.flatnonzero(self.owners[: self._used, 0] != _FREE).tolist()
        return taken

    def find_slots_with(self, frame_numbers: Iterable[int]) -> list[int]:
        """Slots that have a view in one of these frames; looks through the whole table."""
        numbers = np.fromiter(frame_numbers, np.int32)
        found = np.isin(self.views["frame"][: self._used], numbers).any(axis=1)
        slots: list[int] = np.flatnonzero(found).tolist()
        return slots

    def gather(self, slots: list[int]) -> Views:
        """The views in some slots, best first."""
        found = self.gather_unordered(slots)
        return found.select(np.lexsort((found.frame_numbers, -found.scores)))

    def gather_unordered(self, slots: list[int] | NDArray[np.int32]) -> Views:
        """The same in no order."""
        views = self.views.take(slots, axis=0).ravel()
        there = np.flatnonzero(views["frame"] != NO_FRAME)
        views = views.take(there)
        owners = self.owners.take(slots, axis=0).take(there // self.views.shape[1], axis=0)
        return Views(owners[:, 0], owners[:, 1], views["frame"], views["score"], views["box_px"])

    def _grow(self) -> None:
        self.views = np.concatenate((self.views, _no_views(*self.views.shape)))
        self.owners = np.concatenate((self.owners, np.full_like(self.owners, _FREE)))


def weights_of(object_ids: NDArray[np.int32], weights: Mapping[int, float]) -> NDArray[np.float64]:
    """(N,) of each of (N,) ids; 0 of those that have none."""
    known = np.array([OVERVIEW, *sorted(weights)])
    of_known = np.array([0.0, *(weights[object_id] for object_id in known[1:].tolist())])
    row = np.minimum(np.searchsorted(known, object_ids), len(known) - 1)
    return np.where(known[row] == object_ids, of_known[row], 0.0)


def _joined(parts: Iterable[array[int] | None]) -> NDArray[np.int32]:
    """A copy: an array that somebody looks into cannot grow."""
    there = [np.frombuffer(part, np.int32) for part in parts if part]
    return np.concatenate(there) if there else np.zeros(0, np.int32)


def _no_views(slots: int, width: int) -> NDArray[np.void]:
    views = np.zeros((slots, width), VIEW)
    views["frame"] = NO_FRAME
    return views
