"""The best stored views of every object at every location.

A view is a frame whose image is stored, with the box of the object in it and how well it shows it
(`key_frames.view_scores`). Each pair of object and location keeps its `views_per_object` best, 16
bytes a view: an hour of driving makes some ten thousand pairs. A location itself keeps one, the
frame that shows most in all (`OVERVIEW`).

It counts for how many pairs each frame is among the best, so that the images which nobody needs
any more are known at once (`take_unneeded`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.tree.views import (
    NO_FRAME,
    OVERVIEW,
    VIEW,
    Views,
    ViewsRecord,
    ViewTable,
    weights_of,
)


class BestViews:
    """Not thread-safe: its owner holds a lock. One frame costs the same however many there were."""

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
        """Objects that are gone: into another (gone -> kept), or for good."""
        for gone, kept in merged.items():
            self._merge(gone, kept)
        for object_id in removed:
            self._remove(object_id)

    def _merge(self, gone: int, kept: int) -> None:
        """An object turned out to be another one: the best views of both stay."""
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
        """The object is no more: nobody will ask for views of it."""
        for slot in self._table.of_object(object_id):
            self._empty(slot)
        self._best_score.pop(object_id, None)

    def drop_frames(self, frame_numbers: Collection[int]) -> None:
        """Their images are gone, or could not be written: they are views no more."""
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
        """Of the object's views at all locations; 0 while there is none."""
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
        """At all locations, best first."""
        return self._table.gather(self._table.of_object(object_id))

    def of_objects(self, weights: Mapping[int, float], most_locations: int) -> Views:
        """Of several objects where they are seen best, in no order.

        Args:
            weights: object id -> what seeing it well is worth.
            most_locations: those whose best views of the objects are worth most together; the older
                of equals.
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
        """Of all objects at some locations, with the locations' own, in no order."""
        return self._table.gather_unordered(self._table.at_locations(location_ids))

    def all(self) -> Views:
        """Every view that is kept, best first."""
        return self._table.gather(self._table.used())

    def is_needed(self, frame_number: int) -> bool:
        """Whether the frame is among the best views of anything."""
        return frame_number in self._references

    def needed_frames(self) -> list[int]:
        """All frames that are; ascending."""
        return sorted(self._references)

    def take_unneeded(self) -> list[int]:
        """Frames that were added and are among the best views of nothing, since the last call."""
        unneeded = sorted(self._unneeded)
        self._unneeded.clear()
        return unneeded

    def take_changes(self) -> tuple[ViewsRecord, ...]:
        """What differs since the last call."""
        changed = sorted(self._dirty)
        self._dirty.clear()
        return tuple(self._record(*pair) for pair in changed)

    def give_back(self, records: Iterable[ViewsRecord]) -> None:
        """They could not be stored: the next `take_changes` has them again, as they are then."""
        self._dirty.update((record.location_id, record.object_id) for record in records)

    def restore(self, records: Iterable[ViewsRecord]) -> None:
        """Fill an empty table with everything stored; what there is no more room for is left."""
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
