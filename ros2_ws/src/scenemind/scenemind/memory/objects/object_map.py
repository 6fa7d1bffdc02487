"""The object map: observations of many frames become objects with stable ids.

A frame's observations go to objects by what is most sure first: the tracklet that fed the object
before, then the overlap of boxes, with a label that the object has votes for or, whatever the
label, with nearly the same box (real detectors confuse chairs with couches). What is left starts
a new object, unless it doubles an observation of the same frame. Objects that turn out to be
duplicates are merged into the oldest, what was merged by mistake is split, and what the camera
sees through is gone until it is found again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scenemind.config import ObjectMapConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
from scenemind.memory.objects.association import BoxTable
from scenemind.memory.objects.duplicates import find_duplicates
from scenemind.memory.objects.free_space import look, objects_in_view
from scenemind.memory.objects.gone import GoneObjects
from scenemind.memory.objects.id_counter import IdCounter
from scenemind.memory.objects.live_tracks import LiveTracks
from scenemind.memory.objects.map_entry import MapEntry
from scenemind.memory.objects.map_update import ObjectMapUpdate, content, note_merge
from scenemind.memory.objects.matching import Match, match_observations
from scenemind.memory.objects.moves import find_new_place
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.objects.splitting import Rivals, split
from scenemind.memory.types import MapObject
from scenemind.perception.text.similarity import LabelSimilarity, same_word
from scenemind.perception.types import Observation

# After so many observations it is asked again whether a new object is one that was moved: the first
# views may show a part only.
RECOGNISED_AFTER = (10, 30)


class ObjectMap:
    """Not thread-safe: its owner holds a lock. `ids` numbers the objects."""

    def __init__(self, config: ObjectMapConfig) -> None:
        self._config = config
        self._entries: dict[int, MapEntry] = {}
        self._tentative: set[int] = set()
        self._boxes = BoxTable()
        self._known_box: dict[int, Box3D] = {}
        self._uncompared: set[int] = set()  # with their neighbours, as they are now
        self._tracks = LiveTracks()
        self.ids = IdCounter()
        self._values: dict[int, MapObject] = {}
        self._stale: set[int] = set()
        self._gone = GoneObjects()
        self._rivals = Rivals(config)
        self._to_recognise: list[int] = []
        self._last_looked_at = 0
        self._spoken_of: Set[int] = frozenset()

    def update(
        self,
        observations: Sequence[Observation],
        frame: RGBDFrame,
        upkeep: bool = True,
        label_similarity: LabelSimilarity = same_word,
        spoken_of: Set[int] = frozenset(),
    ) -> ObjectMapUpdate:
        """Fuse the observations of one frame; their order does not matter.

        Args:
            upkeep: look for duplicates, splits and emptied places; can wait for a later frame.
            label_similarity: how alike two labels are, in [0, 1].
            spoken_of: objects that people corrected, which are never forgotten as ghosts.

        Raises:
            SceneMemoryError: an observation has no points.
        """
        stamp_ns, viewer = frame.stamp_ns, frame.world_T_camera.translation
        ordered = sorted(observations, key=content)
        known = self._entries, self._boxes, self._tracks.object_of
        matches = match_observations(ordered, *known, viewer, self._config, label_similarity)
        self._spoken_of = spoken_of
        split_off = self._rivals.watch(ordered, matches, frame) if upkeep else {}
        fed = [self._fuse(o, m, stamp_ns, viewer) for o, m in zip(ordered, matches, strict=True)]
        changed = set(fed)
        for object_id in changed:
            self._note_box(self._entries[object_id])
        for object_id, part in split_off.items():
            changed |= self._split(self._entries[object_id], part)
        merged: dict[int, int] = {}
        removed = self._forget_tentative(stamp_ns)
        if upkeep:
            self._merge_duplicates(merged)
        self._recognise(merged)
        retired = self._retire_seen_through(frame, changed, merged) if upkeep else set()
        removed |= self._gone.take_oldest(spoken_of)
        self._rivals.forget((*merged, *removed, *retired))
        changed = {merged.get(object_id, object_id) for object_id in changed}
        changed = (changed | set(merged.values())) - removed - retired
        self._stale |= changed
        return ObjectMapUpdate(
            changed=frozenset(changed),
            removed=frozenset(merged) | removed,
            retired=frozenset(retired),
            merged=merged,
            object_of_track=self._tracks.remember(ordered, fed, merged),
        )

    def objects(self) -> Mapping[int, MapObject]:
        """The confirmed objects by id, ascending: perception's view, constant afterwards."""
        if self._stale:
            values = dict(self._values)
            for object_id in self._stale:
                entry = self._entries.get(object_id)
                if entry is None or not entry.confirmed:
                    values.pop(object_id, None)
                else:
                    values[object_id] = entry.to_object()
            if values.keys() != self._values.keys():
                values = dict(sorted(values.items()))
            self._values = values
            self._stale = set()
        return MappingProxyType(self._values)

    def is_confirmed(self, object_id: int) -> bool:
        """Whether `objects` would have it; makes no values."""
        entry = self._entries.get(object_id)
        return entry is not None and entry.confirmed

    def gone(self) -> Mapping[int, MapObject]:
        """Objects that were there once, by id, ascending; constant afterwards."""
        return self._gone.values()

    def export(self, object_ids: Iterable[int]) -> list[ObjectRecord]:
        """What must be stored of the given objects; ids that are gone are skipped."""
        found = (self._entries.get(i) or self._gone.find(i) for i in object_ids)
        return [entry.to_record() for entry in found if entry is not None]

    def restore(self, records: Iterable[ObjectRecord]) -> None:
        """Go on from stored objects; new ids start after the largest one."""
        for record in records:
            entry = MapEntry.from_record(record, self._config)
            if entry.gone_ns is None:
                self._insert(entry)
                self._tracks.give(entry.track_ids, entry.object_id)
            else:
                self._gone.add(entry)
            self.ids.skip(entry.object_id)

    def _fuse(
        self, observation: Observation, match: Match, stamp_ns: int, viewer: NDArray[np.float64]
    ) -> int:
        """Give an observation to its object; the id of that object."""
        if match.object_id is None:
            entry = MapEntry(self.ids.take(), self._config, stamp_ns)
            entry.add(observation, stamp_ns, viewer)
            self._insert(entry)
            match.resolve(entry.object_id)
        else:
            entry = self._entries[match.object_id]
            if match.doubles:
                entry.vote(observation, viewer)
            else:
                entry.add(observation, stamp_ns, viewer)
        self._confirm(entry)
        return entry.object_id

    def _note_box(self, entry: MapEntry) -> None:
        """Follow a surface that was found again; the rest looks as it did."""
        if entry.box is not self._known_box.get(entry.object_id):
            self._known_box[entry.object_id] = entry.box
            self._boxes.set(entry.object_id, np.array(entry.box.extent()))
            self._uncompared.add(entry.object_id)

    def _insert(self, entry: MapEntry) -> None:
        self._entries[entry.object_id] = entry
        self._note_box(entry)
        self._stale.add(entry.object_id)
        if not entry.confirmed:
            self._tentative.add(entry.object_id)

    def _confirm(self, entry: MapEntry) -> None:
        was_confirmed = entry.confirmed
        if not was_confirmed and entry.whole_views >= self._config.confirm_observations:
            entry.confirmed = not entry.is_ghost or entry.object_id in self._spoken_of
            self._uncompared.add(entry.object_id)
        if entry.confirmed:
            self._tentative.discard(entry.object_id)
            if not was_confirmed or entry.observation_count in RECOGNISED_AFTER:
                self._to_recognise.append(entry.object_id)

    def _split(self, entry: MapEntry, part: MapEntry) -> set[int]:
        """Make an object of its own of what was taken for a part; the ids of both."""
        if not split(entry, part):
            return set()
        part.object_id = self.ids.take()
        self._insert(part)
        self._note_box(entry)
        self._tracks.give(part.track_ids, part.object_id)
        return {entry.object_id, part.object_id}

    def _merge_duplicates(self, merged: dict[int, int]) -> None:
        asked, self._uncompared = self._uncompared, set()
        for kept, gone in find_duplicates(asked, self._entries, self._boxes, self._config):
            entry = self._entries[kept]
            entry.absorb(self._entries[gone])
            self._remove(gone)
            self._confirm(entry)
            self._note_box(entry)
            note_merge(merged, kept, gone)

    def _recognise(self, merged: dict[int, int]) -> None:
        """Newly confirmed objects that are gone ones at another place."""
        appeared, self._to_recognise = self._to_recognise, []
        for object_id in appeared:
            new = self._entries.get(object_id)
            old = None if new is None else self._gone.find_origin(new)
            if new is not None and old is not None and old.object_id < object_id:
                self._go_on(self._gone.take(old.object_id), new, merged)

    def _retire_seen_through(
        self, frame: RGBDFrame, changed: set[int], merged: dict[int, int]
    ) -> set[int]:
        """Objects that are no longer where they were; of those, the ones seen nowhere else.

        Args:
            changed: what the frame observed; what is looked at joins it.
        """
        looked_at = objects_in_view(
            self._boxes, self._entries, changed, frame, self._last_looked_at
        )
        changed.update(looked_at)
        entries = [self._entries[i] for i in looked_at]
        retired = set()
        for entry, sight in zip(entries, look(entries, frame), strict=True):
            self._last_looked_at = entry.object_id
            entry.note_sight(sight, frame.world_T_camera.translation)
            if entry.is_ghost and entry.object_id not in self._spoken_of:
                self._doubt(entry)
            elif entry.is_doubted:
                entry.retire(frame.stamp_ns)
                self._remove(entry.object_id)
                new = find_new_place(entry, (e for e in self._entries.values() if e.confirmed))
                if new is None:
                    self._gone.add(entry)
                    retired.add(entry.object_id)
                else:
                    self._go_on(entry, new, merged)
        return retired

    def _doubt(self, entry: MapEntry) -> None:
        """Tentative again: it must be confirmed anew, or is forgotten."""
        entry.confirmed = False
        self._tentative.add(entry.object_id)

    def _go_on(self, old: MapEntry, new: MapEntry, merged: dict[int, int]) -> None:
        """What was taken for a new object is an old one that was moved."""
        self._remove(new.object_id)
        old.go_on_as(new)
        self._insert(old)
        note_merge(merged, old.object_id, new.object_id)

    def _forget_tentative(self, stamp_ns: int) -> set[int]:
        # Either way in time: where a recording starts over, its ghosts should go as well.
        limit_ns = self._config.forget_tentative_s * 1e9
        forgotten = {
            object_id
            for object_id in self._tentative
            if abs(stamp_ns - self._entries[object_id].last_seen_ns) > limit_ns
            and object_id not in self._spoken_of
        }
        for object_id in forgotten:
            self._remove(object_id)
        return forgotten

    def _remove(self, object_id: int) -> None:
        del self._entries[object_id]
        del self._known_box[object_id]
        self._uncompared.discard(object_id)
        self._boxes.remove(object_id)
        self._tentative.discard(object_id)
        self._stale.add(object_id)
