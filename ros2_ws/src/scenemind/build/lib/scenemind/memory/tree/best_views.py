"""The best stored views of every object at every location.

A view is a frame whose image is stored, with the box of the object in it and how well it shows the
object (`key_frames.view_scores`). Each pair of object and location keeps its `views_per_object`
best, 16 bytes a view: an hour of driving makes some ten thousand pairs. A location itself keeps
one, the frame that shows most in all (`OVERVIEW`).

For each frame the number of pairs that keep it is counted, therefore images that no pair needs any
more are known at once (`take_unneeded`).
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
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
    """The stored views of an object at a location.

    Attributes:
        packed: the views as `VIEW`, best first; empty: none is left.
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
        """The views in some slots, in no order."""
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
    """The concatenated arrays, as a copy: an `array` with an exported buffer cannot grow."""
    there = [np.frombuffer(part, np.int32) for part in parts if part]
    return np.concatenate(there) if there else np.zeros(0, np.int32)


def _no_views(slots: int, width: int) -> NDArray[np.void]:
    views = np.zeros((slots, width), VIEW)
    views["frame"] = NO_FRAME
    return views


class BestViews:
    """The best views of all objects. The cost of a frame does not grow with their number. Not
    thread-safe: its owner holds a lock."""

    def __init__(self, views_per_object: int) -> None:
        self._room = views_per_object
        self._table = ViewTable(views_per_object)
        self._best_score: dict[int, float] = {}
        self._references: dict[int, int] = {}  # frame -> pairs that keep it
        self._unneeded: set[int] = set()
        self._dirty: set[tuple[int, int]] = set()  # location, object

    def add(
        self,
        location_id: int,
        frame_number: int,
        object_ids: Sequence[int | None],
        scores: Sequence[float],
        boxes_px: NDArray[np.floating],
    ) -> None:
        """The image of a frame is stored: each detection of an object is a view of it.

        Args:
            object_ids: of the N detections; None for one that belongs to no object.
            boxes_px: (N, 4) x0, y0, x1, y1.
        """
        new = np.zeros(len(scores), VIEW)
        new["frame"], new["score"] = frame_number, scores
        new["box_px"] = np.rint(boxes_px).reshape(-1, 4)
        slots = self._table.at(location_id)
        for place, object_id in enumerate(object_ids):
            if object_id is not None:
                self._offer(slots, object_id, location_id, new[place : place + 1])
        self._offer(slots, OVERVIEW, location_id, _overview(frame_number, scores))
        if frame_number not in self._references:
            self._unneeded.add(frame_number)

    def follow(self, merged: Mapping[int, int], removed: Iterable[int]) -> None:
        """Follow objects that were merged (gone -> kept) or removed."""
        for gone, kept in merged.items():
            self._merge(gone, kept)
        for object_id in removed:
            self._remove(object_id)

    def _merge(self, gone: int, kept: int) -> None:
        """Join the views of two objects that are one; the best of both stay."""
        at = self._table.locations_of(kept)
        for location_id, slot in self._table.locations_of(gone).items():
            views = self._in(slot).copy()
            target = at.get(location_id)
            if target is None:
                target = self._table.take(kept, location_id)
            self._put(target, _best_of(self._in(target), views, self._room))
            self._empty(slot)
        self._best_score.pop(gone, None)

    def _remove(self, object_id: int) -> None:
        """Drop all views of a removed object."""
        for slot in self._table.of_object(object_id):
            self._empty(slot)
        self._best_score.pop(object_id, None)

    def drop_frames(self, frame_numbers: Collection[int]) -> None:
        """Drop views in frames whose images were deleted or could not be written."""
        lost = np.fromiter(frame_numbers, np.int32)
        shrunk = set()
        for slot in self._table.find_slots_with(lost):
            shrunk.add(int(self._table.owners[slot, 0]))
            views = self._in(slot)
            left = views[~np.isin(views["frame"], lost)]
            if len(left):
                self._put(slot, left)
            else:
                self._empty(slot)
        for object_id in shrunk - {OVERVIEW}:
            self._recall_best(object_id)
        self._unneeded.difference_update(frame_numbers)

    def best_score(self, object_id: int) -> float:
        """The best score of the object's views at all locations; 0 without any."""
        return self._best_score.get(object_id, 0.0)

    def score_to_beat(self, location_id: int) -> dict[int, float]:
        """Object id -> the score above which a view is kept there; 0 for one with room for more.

        Objects without a view there are missing. `OVERVIEW` -> that of the location's own view.
        """
        slots = self._table.at(location_id)
        last = self._table.views[list(slots.values()), -1]
        scores = np.where(last["frame"] == NO_FRAME, 0.0, last["score"]).tolist()
        found = dict(zip(slots, scores, strict=True))
        if OVERVIEW in found:
            found[OVERVIEW] = float(self._table.views["score"][slots[OVERVIEW], 0])
        return found

    def of_object(self, object_id: int) -> Views:
        """An object's views at all locations, best first."""
        return self._table.gather(self._table.of_object(object_id))

    def of_objects(self, weights: Mapping[int, float], most_locations: int) -> Views:
        """Views of several objects at the locations that show them best, in no order.

        Args:
            weights: object id -> weight of its score.
            most_locations: number of locations, those with the largest weighted sum of the best
                scores; of equal ones the older.
        """
        slots = self._table.of_objects(weights)
        object_ids, location_ids = self._table.owners[slots].T
        best = self._table.views["score"][slots, 0]
        worth = np.bincount(location_ids, weights_of(object_ids, weights) * best)
        seen = np.flatnonzero(np.bincount(location_ids))
        chosen = np.zeros(len(worth), np.bool_)
        chosen[seen[np.argsort(-worth[seen], kind="stable")[:most_locations]]] = True
        return self._table.gather_unordered(slots[chosen[location_ids]])

    def at_locations(self, location_ids: Iterable[int]) -> Views:
        """Views of all objects at some locations, and the locations' own, in no order."""
        return self._table.gather_unordered(self._table.at_locations(location_ids))

    def all(self) -> Views:
        """Every view that is kept, best first."""
        return self._table.gather(self._table.used())

    def is_needed(self, frame_number: int) -> bool:
        """True if the frame is among the best views of an object or location."""
        return frame_number in self._references

    def needed_frames(self) -> list[int]:
        """All needed frames, ascending."""
        return sorted(self._references)

    def take_unneeded(self) -> list[int]:
        """Frames that became unneeded since the last call, ascending."""
        unneeded = sorted(self._unneeded)
        self._unneeded.clear()
        return unneeded

    def take_changes(self) -> tuple[ViewsRecord, ...]:
        """Records that changed since the last call."""
        changed = sorted(self._dirty)
        self._dirty.clear()
        return tuple(self._record(*pair) for pair in changed)

    def give_back(self, records: Iterable[ViewsRecord]) -> None:
        """Return records that could not be stored: the next `take_changes` includes them."""
        self._dirty.update((record.location_id, record.object_id) for record in records)

    def restore(self, records: Iterable[ViewsRecord]) -> None:
        """Fill an empty table with stored records; views beyond the room of a slot are dropped."""
        stored = tuple(record for record in records if record.packed)
        counts = np.array([len(record.packed) // VIEW.itemsize for record in stored], np.int64)
        views = np.frombuffer(b"".join(record.packed for record in stored), VIEW)
        slots = np.array([self._table.take(r.object_id, r.location_id) for r in stored], np.int64)
        rank = np.arange(len(views)) - np.repeat(np.cumsum(counts) - counts, counts)
        fits = rank < self._room
        self._table.views[np.repeat(slots, counts)[fits], rank[fits]] = views[fits]
        frames, references = np.unique(views["frame"][fits], return_counts=True)
        self._references = dict(zip(frames.tolist(), references.tolist(), strict=True))
        self._unneeded = set(views["frame"][~fits].tolist()) - self._references.keys()
        for record, score in zip(stored, views["score"][rank == 0].tolist(), strict=True):
            if record.object_id != OVERVIEW:
                best = max(score, self.best_score(record.object_id))
                self._best_score[record.object_id] = best
        self._dirty = {
            (record.location_id, record.object_id)
            for record, count in zip(stored, counts.tolist(), strict=True)
            if count > self._room
        }

    def _offer(
        self, slots: dict[int, int], object_id: int, location_id: int, view: NDArray[np.void]
    ) -> None:
        """Keep one view (1,) if it is among the best."""
        slot = slots.get(object_id)
        if slot is None:
            slot = slots[object_id] = self._table.take(object_id, location_id)
        kept = self._in(slot)
        room = 1 if object_id == OVERVIEW else self._room
        if len(kept) < room or view["score"][0] > kept["score"][-1]:
            self._put(slot, _best_of(kept, view, room))

    def _in(self, slot: int) -> NDArray[np.void]:
        """The views in a slot, best first."""
        views = self._table.views[slot]
        return views[views["frame"] != NO_FRAME]

    def _put(self, slot: int, views: NDArray[np.void]) -> None:
        """Let these be the views in a slot."""
        row = self._table.views[slot]
        before, after = set(row["frame"].tolist()), set(views["frame"].tolist())
        row["frame"] = NO_FRAME
        row[: len(views)] = views
        for frame in after - before:
            self._references[frame] = self._references.get(frame, 0) + 1
            self._unneeded.discard(frame)
        for frame in before - after - {NO_FRAME}:
            self._references[frame] -= 1
            if self._references[frame] == 0:
                del self._references[frame]
                self._unneeded.add(frame)
        object_id, location_id = self._table.owners[slot].tolist()
        self._dirty.add((location_id, object_id))
        if object_id != OVERVIEW and len(views):
            best = max(self.best_score(object_id), float(views["score"][0]))
            self._best_score[object_id] = best

    def _empty(self, slot: int) -> None:
        self._put(slot, self._table.views[slot][:0])
        self._table.free(slot)

    def _recall_best(self, object_id: int) -> None:
        scores = self.of_object(object_id).scores
        if len(scores):
            self._best_score[object_id] = float(scores[0])
        else:
            self._best_score.pop(object_id, None)

    def _record(self, location_id: int, object_id: int) -> ViewsRecord:
        slot = self._table.at(location_id).get(object_id)
        return ViewsRecord(
            location_id, object_id, b"" if slot is None else self._in(slot).tobytes()
        )


def _best_of(a: NDArray[np.void], b: NDArray[np.void], room: int) -> NDArray[np.void]:
    """At most `room` views, best first, the older of equals; a frame counts once."""
    views = np.concatenate((a, b))
    views = views[np.lexsort((views["frame"], -views["score"]))]
    _, first = np.unique(views["frame"], return_index=True)
    return views[np.sort(first)[:room]]


def _overview(frame_number: int, scores: Sequence[float]) -> NDArray[np.void]:
    """The frame as a view of its location: it shows as much as its detections together."""
    view = np.zeros(1, VIEW)
    view["frame"], view["score"] = frame_number, sum(scores)
    return view
