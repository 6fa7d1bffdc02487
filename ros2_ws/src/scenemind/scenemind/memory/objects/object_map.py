"""The object map: observations of many frames become objects with stable ids.

A frame's observations go to objects by the surest evidence first: the tracklet that fed the object
before, then the overlap of boxes, with a label that the object has votes for or, whatever the
label, with nearly the same box (real detectors confuse chairs with couches). Each remaining one
starts a new object, unless it doubles an observation of the same frame. Objects that turn out to
be duplicates are merged into the oldest, mistaken merges are split, and an object that the camera
sees through, or hardly ever detects in plain view, is gone until it is found again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scenemind.config import ObjectMapConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
from scenemind.memory.frame_corrections import FrameCorrections
from scenemind.memory.objects.box_table import BoxTable
from scenemind.memory.objects.carriers import (
    FLOOR,
    FLOOR_ID,
    NO_CARRIERS,
    REACH_M,
    carrier_group,
    find_carriers,
    groups_of,
)
from scenemind.memory.objects.corrected_objects import (
    CorrectedObject,
    FrozenEntry,
    SeenFrame,
    corrected_objects,
)
from scenemind.memory.objects.duplicates import Rivals, find_duplicates, split
from scenemind.memory.objects.gone_objects import (
    GoneObjects,
    find_new_place,
    is_at_place,
    lines_of_sight,
    objects_in_view,
)
from scenemind.memory.objects.hidden_seats import HiddenSeats
from scenemind.memory.objects.live_tracks import LiveTracks, TrackletIds
from scenemind.memory.objects.map_entry import MapEntry, View, fuse_views
from scenemind.memory.objects.matching import KnownObjects, Match, match_observations
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.objects.plausible_labels import BESIDE_M, WallPlanes
from scenemind.memory.types import MapObject, StructurePlane
from scenemind.perception.text.labels import LabelSimilarity, same_word
from scenemind.perception.types import Observation


class IdCounter:
    """Counts from 1."""

    def __init__(self) -> None:
        self._next = 1

    def take(self) -> int:
        """An id that no object has or will have."""
        self._next += 1
        return self._next - 1

    @property
    def largest(self) -> int:
        """The largest id that was taken; 0 before the first."""
        return self._next - 1

    def skip(self, largest: int) -> None:
        """This id and those below it are known already."""
        self._next = max(self._next, largest + 1)


@dataclass(frozen=True, slots=True)
class ObjectMapUpdate:
    """The effect of one frame on the map.

    Attributes:
        changed: objects that are new or got evidence, tentative ones included.
        removed: objects that were removed: forgotten tentative ones and merged ones.
        retired: objects that left their place, or are ghosts, and are kept as gone objects.
        merged: removed id -> kept id, which is the older one.
        object_of_tracklet: tracklet -> object that it fed in this frame, which may be tentative.
        split_off: id of a new part -> the object that it was part of, and the part's tracklets.
    """

    changed: frozenset[int]
    removed: frozenset[int]
    retired: frozenset[int]
    merged: Mapping[int, int]
    object_of_tracklet: Mapping[int, int]
    split_off: Mapping[int, tuple[int, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class PoseUpdate:
    """The effect of corrected poses on the map; names as in `ObjectMapUpdate`.

    Attributes:
        changed: objects that moved, came apart or took another one over.
        moves: object id -> how it moved (4, 4).
    """

    changed: frozenset[int]
    merged: Mapping[int, int]
    split_off: Mapping[int, tuple[int, tuple[int, ...]]]
    moves: Mapping[int, NDArray[np.float64]]


# Objects compared at once after poses were corrected, between frames.
_JOINED_AT_ONCE = 1
# Frames for which an unconfirmed object is kept at least, but no longer than so many times its
# lifetime: after a pause things have moved.
_TENTATIVE_FRAMES, _MOST_TENTATIVE = 30, 12
# Objects that are set on the floor in one frame after its height became known or changed.
_SETTLED_AT_ONCE = 256


def _note_merge(merged: dict[int, int], kept: int, gone: int) -> None:
    """Add gone -> kept to what was merged before."""
    for old, new in merged.items():
        if new == gone:
            merged[old] = kept
    merged[gone] = kept


def _observation_order(observation: Observation) -> tuple[float | str, ...]:
    """Sort key: best first, and of equals by what they are, never by how they came."""
    return (
        -observation.score,
        *observation.box.center,
        *observation.box.size,
        observation.track_id,
        observation.label,
        observation.truncated,
    )


# Numbers of observations after which a new object is compared with gone ones again: its first views
# may show a part only.
RECOGNISED_AFTER = (10, 30)


class ObjectMap:
    """The objects of the map. Not thread-safe: its owner holds a lock.

    Attributes:
        ids: counter of object ids. tracklet_ids: those of tracklets.
        named_ids: ids of objects that a model named or renamed: a detector that has no word for
            them says nothing by missing them, so they are no ghosts.
    """

    def __init__(self, config: ObjectMapConfig) -> None:
        self._config = config
        self._entries: dict[int, MapEntry] = {}
        self._tentative: set[int] = set()
        self._boxes = BoxTable()
        self._known_box: dict[int, Box3D] = {}
        self._uncompared: set[int] = set()  # with their neighbours, as they are now
        self.ids = IdCounter()
        self.tracklet_ids = TrackletIds()
        self._tracks = LiveTracks(self.tracklet_ids)
        self._values: dict[int, MapObject] = {}
        self._stale: set[int] = set()
        self._gone = GoneObjects()
        self._rivals = Rivals(config)
        self._to_recognise: list[int] = []
        self._last_looked_at = 0
        self._edited_ids: Set[int] = frozenset()
        self._walls = WallPlanes()
        self._hidden_seats = HiddenSeats()
        self._recent_ns: deque[int] = deque(maxlen=_TENTATIVE_FRAMES)
        self._carrier_of: dict[int, int] = {}
        self._carried: dict[int, set[int]] = {}  # by objects and the floor
        self._off_carrier: set[int] = set()  # objects whose carrier is to be found anew
        self._floor_z: float | None = None
        self._off_floor: list[int] = []  # objects that stand on the floor as it was before
        self.named_ids: set[int] = set()
        self._before: dict[int, MapEntry] = {}  # objects before poses were corrected
        self._to_join: list[int] = []
        self._seen: list[SeenFrame] | None = None  # while copies of objects are to follow
        self._last_frame = -1

    def update(
        self,
        observations: Sequence[Observation],
        frame: RGBDFrame,
        upkeep: bool = True,
        label_similarity: LabelSimilarity = same_word,
        edited_ids: Set[int] = frozenset(),
        floor_z: float | None = None,
        *,
        number: int | None = None,
        way_m: float = 0.0,
        shake_rad: float = 0.0,
    ) -> ObjectMapUpdate:
        """Fuse the observations of one frame; their order does not matter.

        Args:
            upkeep: look for duplicates, splits and emptied places; can wait for a later frame.
            label_similarity: similarity of two labels, in [0, 1].
            edited_ids: ids of corrected objects, which are never forgotten as ghosts.
            floor_z: height of the floor, down to which things reach that stand on it; None where
                it is not known yet.
            number: of the frame in the memory; None: its own. way_m: that the camera has come.
            shake_rad: how much poses of single frames shake.

        Raises:
            SceneMemoryError: an observation has no points.
        """
        view = View(
            frame.stamp_ns,
            frame.world_T_camera.translation,
            frame.number if number is None else number,
            way_m,
            shake_rad,
        )
        ordered = sorted(observations, key=_observation_order)
        known = KnownObjects(self._entries, self._boxes, self._tracks.object_of)
        matches = match_observations(
            ordered, known, view.viewer, self._config, label_similarity, shake_rad
        )
        self._edited_ids = edited_ids
        moved = self._note_floor(floor_z)
        rivals = self._rivals.watch(ordered, matches, view) if upkeep else {}
        fed = self._fuse(ordered, matches, view, frame)
        changed = moved | set(fed)
        for object_id in changed:
            self._note_box(self._entries[object_id])
        split_off: dict[int, tuple[int, tuple[int, ...]]] = {}
        for object_id, part in rivals.items():
            if self._split(self._entries[object_id], part):
                split_off[part.object_id] = object_id, tuple(part.track_ids)
                changed |= {object_id, part.object_id}
                fed = [
                    part.object_id if match.apart and match.object_id == object_id else i
                    for i, match in zip(fed, matches, strict=True)
                ]
        merged: dict[int, int] = {}
        removed = self._forget_tentative(view.stamp_ns)
        if upkeep and not self._to_join:  # else `join_doubles` does so between frames
            self._merge_duplicates(merged)
        self._recognise(merged)
        retired = self._retire_seen_through(frame, changed, merged) if upkeep else set()
        removed |= self._gone.take_oldest(edited_ids)
        self._rivals.forget((*merged, *removed, *retired))
        changed = {merged.get(object_id, object_id) for object_id in changed}
        changed = (changed | set(merged.values())) - removed - retired
        self._stale |= changed
        return ObjectMapUpdate(
            changed=frozenset(changed),
            removed=frozenset(merged) | removed,
            retired=frozenset(retired),
            merged=merged,
            object_of_tracklet=self._tracks.remember(ordered, fed, merged),
            split_off=split_off,
        )

    def note_walls(self, structure: Iterable[StructurePlane]) -> None:
        """Weigh labels beside these walls from now on; objects far from them keep their values."""
        self._take_walls(WallPlanes(structure))

    def _take_walls(self, walls: WallPlanes) -> None:
        before, self._walls = self._walls, walls
        changed = self._walls.changes_from(before)
        if not len(changed):
            return
        _, near, _ = self._boxes.pairs(changed, BESIDE_M)
        for object_id in set(near.tolist()) & self._values.keys() - self._stale:
            probabilities = self._entries[object_id].label_probabilities(self._walls)
            if probabilities != self._values[object_id].label_probabilities:
                self._stale.add(object_id)
        self._gone.note_walls(self._walls)

    def tracklets(self, track_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The tracklet to which each track (N,) of the last frame belongs; -1 stays -1."""
        return self._tracks.now(track_ids)

    def objects(self) -> Mapping[int, MapObject]:
        """The confirmed objects by id, ascending: perception's view, constant afterwards."""
        self._note_carriers()
        if self._stale:
            values, is_longer = dict(self._values), False
            for object_id in self._stale:
                entry = self._entries.get(object_id)
                if entry is None or not entry.confirmed:
                    values.pop(object_id, None)
                else:
                    is_longer |= object_id not in values
                    values[object_id] = entry.to_object(self._walls)
                self._hidden_seats.note(object_id, values.get(object_id))
            self._hidden_seats.complete(values, self._boxes)
            if is_longer:
                values = dict(sorted(values.items()))
            self._values = values
            self._stale = set()
        return MappingProxyType(self._values)

    def _note_carriers(self) -> None:
        """Find anew what carries the stale objects, and what they carry or carried; objects whose
        labels that changes are stale then."""
        if not self._stale and not self._off_carrier:
            return
        asked, self._off_carrier = self._stale | self._off_carrier, set()
        here = [i for i in asked if i in self._entries]
        _, near, _ = self._boxes.pairs(self._boxes.bounds_of(here), REACH_M)
        asked = asked.union(near.tolist(), *(self._carried.get(i, ()) for i in asked))
        ids = sorted(i for i in asked if self.is_confirmed(i))
        bounds, groups = self._boxes.bounds_of(ids), {FLOOR_ID: {FLOOR: 1.0}}
        found = find_carriers(bounds, ids, self._boxes, self._floor_z, self._is_carrier)
        for object_id, carrier in zip(ids, found, strict=True):
            self._set_carrier(object_id, carrier)
            entry, carriers = self._entries[object_id], NO_CARRIERS
            if carrier is not None:
                if carrier not in groups:  # without its own carrier: they may be in a circle
                    other = self._entries[carrier]
                    groups[carrier] = groups_of(other.label_probabilities(self._walls, NO_CARRIERS))
                carriers = groups[carrier]
            if carriers != entry.carriers:
                entry.carriers = carriers
                known = self._values.get(object_id)
                if object_id not in self._stale and (
                    known is None
                    or known.label_probabilities != entry.label_probabilities(self._walls)
                ):
                    self._stale.add(object_id)
        for object_id in asked.difference(ids):
            self._set_carrier(object_id, None)

    def _set_carrier(self, object_id: int, carrier: int | None) -> None:
        before = self._carrier_of.pop(object_id, None)
        if before is not None and before != carrier:
            self._carried[before].discard(object_id)
            if not self._carried[before]:
                del self._carried[before]
        if carrier is not None:
            self._carrier_of[object_id] = carrier
            self._carried.setdefault(carrier, set()).add(object_id)

    def _is_carrier(self, object_id: int) -> bool:
        """Whether things may stand on it: of tentative objects nothing is sure."""
        entry = self._entries[object_id]
        return entry.confirmed and carrier_group(entry.label) is not None

    def is_confirmed(self, object_id: int) -> bool:
        """True if `objects` has it; computes no values."""
        entry = self._entries.get(object_id)
        return entry is not None and entry.confirmed

    def gone(self) -> Mapping[int, MapObject]:
        """Objects that were there once, by id, ascending; constant afterwards."""
        return self._gone.values()

    def export(self, object_ids: Iterable[int]) -> list[ObjectRecord]:
        """Records to store of the given objects; ids that were removed are skipped. What cannot be
        stored must be given back."""
        found = (self._entries.get(i) or self._gone.find(i) for i in object_ids)
        entries = [entry for entry in found if entry is not None]
        records = [entry.to_record() for entry in entries]
        for entry in entries:
            entry.stretches_unwritten = False
        return records

    def give_back(self, records: Iterable[ObjectRecord]) -> None:
        """Note that records could not be stored."""
        for record in records:
            entry = self._entries.get(record.object_id) or self._gone.find(record.object_id)
            if entry is not None and record.stretches is not None:
                entry.stretches_unwritten = True

    def restore(self, records: Iterable[ObjectRecord], floor_z: float | None = None) -> None:
        """Continue stored objects on the stored floor; new ids start after the largest one."""
        self._floor_z = floor_z
        for record in records:
            entry = MapEntry.from_record(record, self._config)
            entry.stand_on(floor_z)
            if entry.gone_ns is None:
                self._insert(entry)
                self._tracks.give(entry.track_ids, entry.object_id)
            else:
                self._gone.add(entry)
            self.ids.skip(entry.object_id)

    def add(self, views: Sequence[tuple[Observation, View]]) -> MapEntry:
        """A new, confirmed object that a model named in stored frames.

        Args:
            views: observations with their views, oldest first; their tracks do not matter.
        """
        tracklet = self.tracklet_ids.take()
        entry = MapEntry(self.ids.take(), self._config, views[0][1].stamp_ns)
        entry.stand_on(self._floor_z)
        for observation, view in views:
            entry.add(replace(observation, track_id=tracklet), view)
        entry.confirmed = True
        self._insert(entry)
        self.named_ids.add(entry.object_id)
        return entry

    def seal(self) -> set[int]:
        """End the stretches of all objects; ids of those that had one open."""
        entries = [*self._entries.values(), *self._gone.entries()]
        had_one = [entry for entry in entries if entry.frames[1] >= entry.frames[0]]
        for entry in had_one:
            entry.sealed()
        return {entry.object_id for entry in had_one}

    def ids_of_all(self) -> list[int]:
        """Ids of all objects, tentative and gone ones included."""
        return [*self._entries, *(entry.object_id for entry in self._gone.entries())]

    def watch(self) -> None:
        """Note from now on what frames add, for `corrected_objects.follow`."""
        self._seen = []

    def take_seen(self) -> list[SeenFrame]:
        """What frames added since `watch` or the last call."""
        seen, self._seen = self._seen or [], []
        return seen

    def unwatch(self) -> None:
        """The end of `watch`."""
        self._seen = None

    def frozen(self, object_ids: Iterable[int]) -> list[FrozenEntry]:
        """Objects as they are now, for `corrected_objects` while mapping goes on."""
        found = (self._entries.get(i) or self._gone.find(i) for i in object_ids)
        entries = [entry for entry in found if entry is not None]
        for entry in entries:
            entry.sealed()
        at = self._last_frame
        return [FrozenEntry(entry, entry.mark(), entry.frozen(), at) for entry in entries]

    def correct(
        self,
        corrections: FrameCorrections,
        ready: Mapping[int, CorrectedObject],
        walls: WallPlanes,
        floor_z: float | None,
    ) -> PoseUpdate:
        """Move all objects as the frames that saw them, after poses were corrected. What drift had
        put into one object comes apart; `join_doubles` follows.

        Args:
            ready: by `corrected_objects`; those that changed since, or are new, are done here.
        """
        self._before = {}
        self._floor_z, self._off_floor = floor_z, []
        self._rivals = Rivals(self._config)
        split_off: dict[int, tuple[int, tuple[int, ...]]] = {}
        moves: dict[int, NDArray[np.float64]] = {}
        changed: set[int] = set()
        values = dict(self._values)
        for object_id in self.ids_of_all():
            entry = self._entries.get(object_id) or self._gone.take(object_id)
            done = ready.get(object_id)
            if done is None or not done.is_of(entry):
                (now,) = corrected_objects(
                    [FrozenEntry(entry, (), entry.frozen(sealed=True), self._last_frame)],
                    corrections,
                    None,
                    floor_z,
                )
                done = now
            moved, found = entry, done.found
            moves[object_id] = np.eye(4)
            if found is not None:
                moved, moves[object_id] = found.entry, found.move
                moved.confirmed = entry.confirmed
                if moved.missed != entry.missed:
                    moved.missed, done.value = entry.missed, None
                changed.add(object_id)
                self._before[object_id] = done.frozen.copy
            else:
                entry.stand_on(floor_z)
            if object_id in self._entries:
                self._entries[object_id] = moved
                self._note_box(moved)
                self._uncompared.discard(object_id)
                if done.value is not None:
                    values[object_id] = done.value
            else:
                self._gone.add(moved)
            for part in () if found is None else found.parts:
                part.object_id = self.ids.take()
                self._insert(part)
                self._tracks.give(part.track_ids, part.object_id)
                split_off[part.object_id] = object_id, tuple(part.track_ids)
                changed.add(part.object_id)
            if done.value is None:
                self._stale.add(object_id)
        self._values = dict(sorted(values.items()))
        self._stale |= self._hidden_seats.ids
        self._uncompared.clear()
        self._to_join = sorted(self._entries if corrections.is_merge else changed)
        self._take_walls(walls)
        return PoseUpdate(frozenset(changed), {}, split_off, moves)

    def join_doubles(self) -> PoseUpdate | None:
        """After `correct`: merge some of the objects that drift had doubled into the older ones.
        None: all were compared, and `return_unmoved` follows. Until then no frame merges any."""
        asked = [i for i in self._to_join[:_JOINED_AT_ONCE] if i in self._entries]
        self._to_join = self._to_join[_JOINED_AT_ONCE:]
        merged: dict[int, int] = {}
        self._uncompared, kept = set(asked), self._uncompared
        self._merge_duplicates(merged, at_once=True)
        self._to_join += sorted(self._uncompared)
        # Frames between two steps note objects here, of which one may be merged away now.
        self._uncompared = kept - merged.keys()
        if not asked and not self._to_join:
            return None
        return self._joined(merged)

    def leave_doubles(self) -> None:
        """Leave what `join_doubles` has not compared to the frames that come."""
        self._uncompared.update(i for i in self._to_join if i in self._entries)
        self._to_join = []

    def return_unmoved(self) -> tuple[PoseUpdate, frozenset[int]]:
        """After `join_doubles`: continue gone objects at whose place one of the kind stands, and
        forget earlier places at which a moved object stands, where that was not so before poses
        were corrected: drift had moved them.

        Returns:
            The effect, and ids of the gone objects that are there.
        """
        before, returned = self._before, set()
        merged: dict[int, int] = {}
        for old in self._gone.entries():
            was_old = before.get(old.object_id, old)
            _, near, _ = self._boxes.pairs(np.array([old.box.extent()]))
            for object_id in sorted(near.tolist()):
                new = self._entries[object_id]
                was_new = before.get(object_id, new)
                if not is_at_place(new, old) or is_at_place(was_new, was_old):
                    continue
                kept, other = (old, new) if old.object_id < object_id else (new, old)
                gone_ns = old.gone_ns
                self._gone.take(old.object_id)
                self._remove(object_id)
                kept.return_from_drift(other, gone_ns)
                self._insert(kept)
                returned.add(old.object_id)
                _note_merge(merged, kept.object_id, other.object_id)
                break
        for entry in self._entries.values():
            was = before.get(entry.object_id)
            if was is not None and entry.stays and entry.forget_stays_of_drift(was):
                self._stale.add(entry.object_id)
        self._before = {}
        return self._joined(merged), frozenset(returned)

    def _joined(self, merged: Mapping[int, int]) -> PoseUpdate:
        self._tracks.follow(merged)
        self._stale |= set(merged.values())
        return PoseUpdate(frozenset(merged.values()), merged, {}, {})

    def settle_label(self, object_id: int, label: str) -> bool:
        """Give a label as much weight as all that was said of an object; False if it is not
        there."""
        entry = self._entries.get(object_id)
        if entry is None or not entry.confirmed:
            return False
        self.named_ids.add(object_id)
        entry.say(label, max(1.0, sum(entry.votes.values())))
        self._stale.add(object_id)
        return True

    def _fuse(
        self,
        observations: Sequence[Observation],
        matches: Sequence[Match],
        view: View,
        frame: RGBDFrame,
    ) -> list[int]:
        """Give observations to their objects; the id of the object of each."""
        entries, own = [], []
        new: dict[int, MapEntry] = {}
        for observation, match in zip(observations, matches, strict=True):
            object_id = match.object_id
            if object_id is None:
                object_id = self.ids.take()
                match.resolve(object_id)
                new[object_id] = MapEntry(object_id, self._config, view.stamp_ns)
                new[object_id].stand_on(self._floor_z)
            entries.append(self._entries.get(object_id) or new[object_id])
            tracklet = self._tracks.feed(observation.track_id, object_id, match.apart)
            if tracklet != observation.track_id:
                observation = observation.of_track(tracklet)
            own.append(observation)
        log, self._last_frame = self._seen, view.number
        seen = {} if log is None else {entry.object_id: entry for entry in entries}
        before = [entry.mark() for entry in seen.values()]
        rows = [row for row, match in enumerate(matches) if not match.doubles]
        fuse_views([entries[row] for row in rows], [own[row] for row in rows], view, frame)
        for entry, observation, match in zip(entries, own, matches, strict=True):
            if match.doubles:
                entry.vote(observation, view)
            if entry.object_id in new and entry.object_id not in self._entries:
                self._insert(entry)
            self._confirm(entry)
        if log is not None:
            after = [entry.mark() for entry in seen.values()]
            doubles = [match.doubles for match in matches]
            place = {object_id: row for row, object_id in enumerate(seen)}
            places = [place[entry.object_id] for entry in entries]
            given = list(zip(places, own, doubles, strict=True))
            log.append(SeenFrame(view, [*seen.values()], before, after, given))
        return [entry.object_id for entry in entries]

    def _note_floor(self, floor_z: float | None) -> set[int]:
        """Note the height of the floor; ids of the objects whose box that changes now. In a large
        map they take turns, so that no frame waits for all of them."""
        if floor_z != self._floor_z:
            self._floor_z = floor_z
            self._off_floor = list(self._entries)
        turn = self._off_floor[-_SETTLED_AT_ONCE:]
        del self._off_floor[-_SETTLED_AT_ONCE:]
        self._off_carrier.update(turn)
        changed = set()
        for object_id in turn:
            entry = self._entries.get(object_id)
            if entry is not None:
                before = entry.box
                entry.stand_on(floor_z)
                if entry.box != before:
                    changed.add(object_id)
        return changed

    def _note_box(self, entry: MapEntry) -> None:
        """Update the box of an object whose surface was computed again."""
        box = entry.box
        if box is not self._known_box.get(entry.object_id):
            self._known_box[entry.object_id] = box
            self._boxes.set(entry.object_id, np.array(box.extent()))
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
            entry.confirmed = not entry.is_ghost or entry.object_id in self._edited_ids
            self._uncompared.add(entry.object_id)
        if entry.confirmed:
            self._tentative.discard(entry.object_id)
            if not was_confirmed or entry.observation_count in RECOGNISED_AFTER:
                self._to_recognise.append(entry.object_id)

    def _split(self, entry: MapEntry, part: MapEntry) -> bool:
        """Split a part off as an object of its own; False if nothing would be left."""
        if not split(entry, part):
            return False
        part.object_id = self.ids.take()
        part.stand_on(self._floor_z)
        part.track_ids = self._tracks.split(entry.object_id, part.object_id)
        entry.track_ids = [i for i in entry.track_ids if i not in part.track_ids]
        self._insert(part)
        self._note_box(entry)
        return True

    def _merge_duplicates(self, merged: dict[int, int], *, at_once: bool = False) -> None:
        asked, self._uncompared = self._uncompared, set()
        for kept, gone in find_duplicates(
            asked, self._entries, self._boxes, self._config, at_once=at_once
        ):
            entry = self._entries[kept]
            entry.absorb(self._entries[gone])
            self._remove(gone)
            self._confirm(entry)
            self._note_box(entry)
            _note_merge(merged, kept, gone)

    def _recognise(self, merged: dict[int, int]) -> None:
        """Continue gone objects that newly confirmed ones turn out to be."""
        appeared, self._to_recognise = self._to_recognise, []
        for object_id in appeared:
            new = self._entries.get(object_id)
            old = None if new is None else self._gone.find_origin(new)
            if new is not None and old is not None and old.object_id < object_id:
                self._go_on(self._gone.take(old.object_id), new, merged)

    def _retire_seen_through(
        self, frame: RGBDFrame, changed: set[int], merged: dict[int, int]
    ) -> set[int]:
        """Retire ghosts, and objects whose places are seen through; ids of those that are found
        nowhere else.

        Args:
            changed: ids that the frame observed; checked objects are added.
        """
        looked_at = objects_in_view(
            self._boxes, self._entries, changed, frame, self._last_looked_at
        )
        changed.update(looked_at)
        entries = [self._entries[i] for i in looked_at]
        retired = set()
        sights = lines_of_sight([entry.surface.surface() for entry in entries], frame)
        for entry, sight in zip(entries, sights, strict=True):
            self._last_looked_at = entry.object_id
            if sight != "there" or entry.object_id not in self.named_ids:
                entry.note_sight(sight, frame.world_T_camera.translation)
            if entry.is_ghost and entry.object_id not in self._edited_ids:
                entry.retire(frame.stamp_ns)
                self._remove(entry.object_id)
                self._gone.add(entry)
                retired.add(entry.object_id)
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

    def _go_on(self, old: MapEntry, new: MapEntry, merged: dict[int, int]) -> None:
        """Continue an old object, which was moved or taken for a ghost, in place of the new one."""
        self._remove(new.object_id)
        if old.is_ghost:
            old.go_on_from_ghost(new)
        else:
            old.go_on_as(new)
        self._insert(old)
        _note_merge(merged, old.object_id, new.object_id)

    def _forget_tentative(self, stamp_ns: int) -> set[int]:
        # Few frames tell nothing of what was seen once, however slow they come.
        self._recent_ns.append(stamp_ns)
        # In either direction of time: ghosts are also forgotten when a recording starts over.
        least_ns = self._config.forget_tentative_s * 1e9
        slow_ns = min(stamp_ns - self._recent_ns[0], _MOST_TENTATIVE * least_ns)
        limit_ns = max(least_ns, slow_ns)
        forgotten = {
            object_id
            for object_id in self._tentative
            if abs(stamp_ns - self._entries[object_id].last_seen_ns) > limit_ns
            and object_id not in self._edited_ids
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
