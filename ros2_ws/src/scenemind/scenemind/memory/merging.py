"""A stored memory with the numbers that it has as a part of another one.

All that a memory numbers (frames, locations, tracklets, objects, corrections) goes on after the
largest number of the other memory, whose own numbers stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scenemind.memory.disk.changes import Changes, FrameRecord
from scenemind.memory.disk.store import StoredMemory
from scenemind.memory.objects.object_record import ObjectRecord, Stretch
from scenemind.memory.structure.structure_map import PackedStructure
from scenemind.memory.structure.tiles import Tiles
from scenemind.memory.tree.best_views import OVERVIEW, VIEW, ViewsRecord
from scenemind.memory.tree.locations import LocationRecord, TrackletRecord
from scenemind.memory.tree.mem_tree import TreeChanges
from scenemind.memory.types import Correction, DetectionNode


@dataclass(frozen=True, slots=True)
class Merge:
    """What became of a memory that was merged into another one.

    Attributes:
        object_ids: its id of each object that it showed -> the id of that thing now.
        same: those of them that are things that the other memory had already.
        frames: how many of its frames were added.
    """

    object_ids: dict[int, int]
    same: frozenset[int]
    frames: int


@dataclass(frozen=True, slots=True)
class Shift:
    """What is added to each kind of number."""

    frames: int
    locations: int
    tracks: int
    objects: int
    corrections: int

    @classmethod
    def after(cls, ours: StoredMemory, next_frame: int, largest_object: int) -> Shift:
        """Behind all that a memory has."""
        locations = (record.location_id for record in ours.tree.locations)
        corrections = (entry.correction_id for entry in ours.corrections)
        return cls(
            next_frame,
            max(locations, default=-1) + 1,
            ours.largest_track_id + 1,
            largest_object,
            max(corrections, default=0),
        )

    def frame(self, record: FrameRecord) -> FrameRecord:
        """A frame with its detections."""
        return replace(
            record,
            number=record.number + self.frames,
            location_id=record.location_id + self.locations,
            detections=tuple(self._node(node) for node in record.detections),
            track_ids=self._tracks_of(record.track_ids),
        )

    def memory(self, theirs: StoredMemory) -> StoredMemory:
        """All but the frames themselves. Corrections of the building are left out: their walls
        have other ids in the other memory."""
        kept = [entry for entry in theirs.corrections if min(entry.edit.object_ids, default=0) >= 0]
        return replace(
            theirs,
            last_frame=None if theirs.last_frame is None else self.frame(theirs.last_frame),
            image_bytes={n + self.frames: size for n, size in theirs.image_bytes.items()},
            path_frames=theirs.path_frames + np.int32(self.frames),
            largest_track_id=theirs.largest_track_id + self.tracks,
            tree=TreeChanges(
                tuple(self._location(record) for record in theirs.tree.locations),
                tuple(self._tracklet(record) for record in theirs.tree.tracklets),
            ),
            views=tuple(self._views(record) for record in theirs.views),
            objects=tuple(self._object(record) for record in theirs.objects),
            corrections=tuple(self._correction(n, entry) for n, entry in enumerate(kept, 1)),
            descriptions=tuple(
                replace(d, object_id=d.object_id + self.objects) for d in theirs.descriptions
            ),
            embeddings=tuple(
                replace(e, object_id=e.object_id + self.objects) for e in theirs.embeddings
            ),
            pose_corrections=(),
        )

    def structure(self, theirs: PackedStructure) -> PackedStructure:
        """Floor, walls and ceiling, by the numbers of their frames."""
        tiles = Tiles()
        known = theirs.tiles
        tiles.keys, tiles.points, tiles.normals = known.keys, known.points, known.normals
        tiles.weights, tiles.frames = known.weights, known.frames + np.int32(self.frames)
        return replace(theirs, tiles=tiles)

    def _node(self, node: DetectionNode) -> DetectionNode:
        return replace(node, frame_number=node.frame_number + self.frames)

    def _tracks_of(self, track_ids: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(i + self.tracks if i >= 0 else i for i in track_ids)

    def _location(self, record: LocationRecord) -> LocationRecord:
        first, last = record.frame_numbers
        revisit = record.revisit_of
        return replace(
            record,
            location_id=record.location_id + self.locations,
            frame_numbers=(first + self.frames, last + self.frames),
            revisit_of=None if revisit is None else revisit + self.locations,
        )

    def _tracklet(self, record: TrackletRecord) -> TrackletRecord:
        tracklet = record.tracklet
        of = tracklet.object_id
        shifted = replace(
            tracklet,
            track_id=tracklet.track_id + self.tracks,
            object_id=None if of is None else of + self.objects,
            best=self._node(tracklet.best),
        )
        return TrackletRecord(record.location_id + self.locations, shifted)

    def _views(self, record: ViewsRecord) -> ViewsRecord:
        views = np.frombuffer(record.packed, VIEW).copy()
        views["frame"] += self.frames
        of = record.object_id
        return ViewsRecord(
            record.location_id + self.locations,
            of if of == OVERVIEW else of + self.objects,
            views.tobytes(),
        )

    def _object(self, record: ObjectRecord) -> ObjectRecord:
        first, last = record.frames
        stretches = record.stretches
        return replace(
            record,
            object_id=record.object_id + self.objects,
            track_ids=self._tracks_of(record.track_ids),
            place_frames=record.place_frames + np.int32(self.frames),
            frames=(first + self.frames, last + self.frames),
            stretches=None if stretches is None else tuple(map(self._stretch, stretches)),
        )

    def _stretch(self, stretch: Stretch) -> Stretch:
        first, last = stretch.frames
        return replace(
            stretch,
            frames=(first + self.frames, last + self.frames),
            track_ids=self._tracks_of(stretch.track_ids),
            view_frames=tuple(number + self.frames for number in stretch.view_frames),
        )

    def _correction(self, number: int, entry: Correction) -> Correction:
        edit = entry.edit
        return replace(
            entry,
            correction_id=number + self.corrections,
            edit=replace(
                edit,
                object_ids=tuple(i + self.objects for i in edit.object_ids),
                new_ids=tuple(i + self.objects for i in edit.new_ids),
            ),
            anchors=tuple(replace(a, object_id=a.object_id + self.objects) for a in entry.anchors),
        )


def joined(ours: StoredMemory, theirs: StoredMemory) -> StoredMemory:
    """Both in one; `theirs` has numbers behind those of `ours`. The building is ours alone."""
    return replace(
        ours,
        last_frame=theirs.last_frame or ours.last_frame,
        image_bytes={**ours.image_bytes, **theirs.image_bytes},
        path=np.concatenate((ours.path, theirs.path)),
        path_frames=np.concatenate((ours.path_frames, theirs.path_frames)),
        largest_track_id=max(ours.largest_track_id, theirs.largest_track_id),
        tree=TreeChanges(
            (*ours.tree.locations, *theirs.tree.locations),
            (*ours.tree.tracklets, *theirs.tree.tracklets),
        ),
        views=(*ours.views, *theirs.views),
        objects=(*ours.objects, *theirs.objects),
        corrections=(*ours.corrections, *theirs.corrections),
        descriptions=(*ours.descriptions, *theirs.descriptions),
        embeddings=(*ours.embeddings, *theirs.embeddings),
    )


def as_changes(stored: StoredMemory) -> Changes:
    """All of it but its frames and its building, to be written anew."""
    return Changes(
        frames=(),
        images=stored.image_bytes,
        tree=stored.tree,
        views=stored.views,
        objects=stored.objects,
        removed_objects=frozenset(),
        corrections=stored.corrections,
        descriptions=stored.descriptions,
        embeddings=stored.embeddings,
    )
