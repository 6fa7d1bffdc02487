"""The index of all stored frames, which grows with the memory instead of being made anew."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.disk.frame_tables import FrameColumns
from scenemind.memory.tree.locations import NO_OBJECT, PackedLocation
from scenemind.memory.types import FrameIndex


class FrameIndexer:
    """The columns of all stored frames, kept between calls: a call reads only newer frames, drops
    deleted ones, and looks up objects only at locations that changed.

    Its owner's lock guards it. It takes some 600 bytes for a frame with ten detections.
    """

    def __init__(self) -> None:
        self._stored: Sequence[int] = ()
        self._columns = FrameColumns.of()
        self._locations: Sequence[PackedLocation] = ()
        # Of each detection, the object that its track fed at its location.
        self._perceived = np.zeros(0, np.int32)
        self._index = FrameIndex.empty()

    def refresh(
        self,
        stored: Sequence[int],
        locations: Sequence[PackedLocation],
        objects: Collection[int],
        shown_as: Mapping[int, int],
        read: Callable[[Sequence[int]], FrameColumns],
    ) -> FrameIndex:
        """The index now; the same value when nothing differs from the last call.

        Args:
            stored: numbers of the stored frames, ascending; new ones are larger than all of the
                previous call.
            locations: of the tree, in order; an identical value means an unchanged location.
            objects: ids of the objects that may be named.
            shown_as: id of an object that was merged -> id of the object it is part of.
            read: returns the columns of frames by their numbers.
        """
        before = self._columns
        self._follow_frames(stored, read)
        self._follow_locations(locations)
        shown = self._shown(objects, shown_as)
        if self._columns is not before:
            self._index = _index_of(self._columns, shown)
        elif not np.array_equal(shown, self._index.detection_objects):
            self._index = replace(self._index, detection_objects=shown)
        return self._index

    def _follow_frames(
        self, stored: Sequence[int], read: Callable[[Sequence[int]], FrameColumns]
    ) -> None:
        if stored == self._stored:
            return
        newest = self._stored[-1] if self._stored else -1
        numbers = np.array(stored, np.int32)
        new = numbers[numbers > newest]
        newer = read(new.tolist()) if len(new) else None
        kept = np.isin(self._columns.numbers, numbers, assume_unique=True)
        if not kept.all():
            self._perceived = self._perceived[kept[self._columns.frame_rows]]
            self._columns = self._columns.only(kept)
        if newer is not None:
            unknown = np.full(len(newer.track_ids), NO_OBJECT, np.int32)
            self._perceived = np.concatenate((self._perceived, unknown))
            self._columns = self._columns.followed_by(newer)
        self._stored = stored

    def _follow_locations(self, locations: Sequence[PackedLocation]) -> None:
        """Update objects at changed locations; the frames of a location are contiguous."""
        known = self._locations
        changed = [
            location
            for row, location in enumerate(locations)
            if row >= len(known) or location is not known[row]
        ]
        self._locations = locations
        ids = [location.record.location_id for location in changed]
        columns = self._columns
        first = np.searchsorted(columns.location_ids, ids, "left")
        end = np.searchsorted(columns.location_ids, ids, "right")
        starts = np.searchsorted(columns.frame_rows, first).tolist()
        ends = np.searchsorted(columns.frame_rows, end).tolist()
        for location, a, b in zip(changed, starts, ends, strict=True):
            if a < b:
                self._perceived[a:b] = location.objects_of(columns.track_ids[a:b])

    def _shown(self, objects: Collection[int], shown_as: Mapping[int, int]) -> NDArray[np.int32]:
        """(M,) int32: ids after corrections of the perceived objects; 0: none."""
        largest = int(self._perceived.max(initial=0))
        shown = np.zeros(largest + 2, np.int32)  # the last one is that of NO_OBJECT, -1
        ids = np.fromiter(objects, np.int32, len(objects))
        ids = ids[ids <= largest]
        shown[ids] = ids
        for part, whole in shown_as.items():
            if part <= largest:
                shown[part] = whole if whole in objects else 0
        found = shown[self._perceived]
        found.flags.writeable = False
        return found


def _index_of(columns: FrameColumns, shown: NDArray[np.int32]) -> FrameIndex:
    cameras, camera_indices = _only_used(columns.camera_ids)
    labels, detection_labels = _only_used(columns.label_ids)
    return FrameIndex(
        frame_numbers=columns.numbers,
        stamps_ns=columns.stamps_ns,
        location_ids=columns.location_ids,
        world_T_camera=columns.world_T_camera,
        camera_indices=camera_indices,
        cameras=tuple(columns.cameras[i] for i in cameras),
        detection_frames=columns.frame_rows,
        detection_labels=detection_labels,
        detection_objects=shown,
        detection_scores=columns.scores,
        detection_boxes_px=columns.boxes_px,
        labels=tuple(columns.labels[i] for i in labels),
    )


def _only_used(ids: NDArray[np.int32]) -> tuple[list[int], NDArray[np.int32]]:
    """The distinct ids, ascending, and for each given id its row among them."""
    counts = np.bincount(ids)
    used = np.flatnonzero(counts)
    row_of = np.zeros(len(counts), np.int32)
    row_of[used] = np.arange(len(used))
    rows = row_of[ids]
    rows.flags.writeable = False
    return used.tolist(), rows
