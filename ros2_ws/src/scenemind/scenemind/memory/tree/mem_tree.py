"""MemTree3D, grown one frame at a time (MemTree3D paper, section 3.1 and Algorithm 1).

Three levels: locations (LocNode), the tracklets seen in each (ObjNode), and their detections
(DetNode). The tree holds the first two; all detections go to the store. Differences from the
paper:

- A detection without a track (-1) is a DetNode of its frame and location, and belongs to no
  ObjNode: the paper wraps tracklets only, and the tracker did not trust a detection without one.
- The location that is still open when the pseudo code returns is part of the tree too: a robot
  asks while it drives.
- ObjNodes name the map object that they fed, which lets a thing be followed across locations; the
  paper leaves this to the model.
- A location names the first visit to its place. The paper does not merge the locations of a
  revisit (section 4.1), and neither does this tree, but it links them. Only
  first visits are searched: revisits never chain, and the search grows with the space that was
  seen, not with time.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby
from math import cos, pi, radians

import numpy as np
from numpy.typing import NDArray

from scenemind.config import TreeConfig
from scenemind.geometry import Pose
from scenemind.memory.frame_corrections import FrameCorrections, pose_of
from scenemind.memory.frames_first import in_steps
from scenemind.memory.tree.locations import (
    NO_OBJECT,
    Location,
    LocationRecord,
    PackedLocation,
    Tracklet,
    TrackletRecord,
)
from scenemind.memory.types import DetectionNode, ObjectTracklet
from scenemind.perception.types import Detections

# Of anchors whose distances differ by less than this share of the thresholds, the oldest is taken:
# a camera that returns between two anchors is assigned to the same one each time.
_NEARLY = 0.1
_ROUNDING_RAD, _ROUNDING = 1e-6, 1e-9
_AT_ONCE = 16  # locations that are corrected before frames go first


class Anchors:
    """Anchor poses of first visits in one growing array, searched at once."""

    def __init__(self, translation_m: float, rotation_rad: float) -> None:
        self._translation_m = translation_m
        self._rotation_rad = rotation_rad
        self._least_cosine = cos(min(rotation_rad + _ROUNDING_RAD, pi))
        self._ids: list[int] = []
        self._rows = np.empty((64, 12))  # translation, then the rotation matrix row by row

    def emptied(self) -> Anchors:
        """None, with the same thresholds."""
        return Anchors(self._translation_m, self._rotation_rad)

    def differ(self, a: Pose, b: Pose) -> bool:
        """Line 9 of Algorithm 1: further apart or further turned than the thresholds."""
        return a.distance_m(b) > self._translation_m or a.angle_rad(b) > self._rotation_rad

    def add(self, location_id: int, pose: Pose) -> None:
        if len(self._ids) == len(self._rows):
            self._rows = np.concatenate((self._rows, np.empty_like(self._rows)))
        self._rows[len(self._ids)] = np.concatenate((pose.translation, pose.rotation.ravel()))
        self._ids.append(location_id)

    def find_near(self, pose: Pose) -> int | None:
        """The location whose anchor is within both thresholds; None without one.

        The nearest of several, each distance counted in its threshold, or an older one that is
        nearly as near.
        """
        row = np.concatenate((pose.translation, pose.rotation.ravel()))
        return self._nearest(self._shares(row[None], 0)[0])

    def place(self, location_ids: Sequence[int], poses: Sequence[Pose]) -> list[int | None]:
        """What `find_near` finds for poses in turn, each of which is added where it finds none."""
        found: list[int | None] = []
        for some in in_steps(len(poses), _AT_ONCE):
            rows = np.array([(*p.translation, *p.rotation.ravel()) for p in poses[some]])
            known = len(self._ids)
            shares = self._shares(rows, 0)
            for number, (row, share) in enumerate(zip(rows, shares, strict=True), some.start):
                if len(self._ids) > known:  # that were added since
                    share = np.concatenate((share, self._shares(row[None], known)[0]))
                found.append(self._nearest(share))
                if found[-1] is None:
                    self.add(location_ids[number], poses[number])
        return found

    def _shares(self, rows: NDArray[np.float64], first: int) -> NDArray[np.float64]:
        """(M, A): distances of poses (M, 12) from the anchors from one on, in thresholds; infinite
        beyond them."""
        anchors = self._rows[first : len(self._ids)]
        square = np.zeros((len(rows), len(anchors)))
        for axis in range(3):
            square += np.square(rows[:, axis, None] - anchors[:, axis])
        cosine = (rows[:, 3:] @ anchors[:, 3:].T - 1.0) / 2.0
        limit = self._translation_m * (1.0 + _ROUNDING)
        at, near = np.nonzero((square <= limit * limit) & (cosine >= self._least_cosine))
        distance_m = np.sqrt(square[at, near])
        angle_rad = np.arccos(np.minimum(cosine[at, near], 1.0))
        share = np.hypot(distance_m / self._translation_m, angle_rad / self._rotation_rad)
        share[(distance_m > self._translation_m) | (angle_rad > self._rotation_rad)] = np.inf
        shares = np.full(square.shape, np.inf)
        shares[at, near] = share
        return shares

    def _nearest(self, shares: NDArray[np.float64]) -> int | None:
        nearest = shares.min(initial=np.inf)
        if not np.isfinite(nearest):
            return None
        return self._ids[int(np.flatnonzero(shares <= nearest + _NEARLY)[0])]


@dataclass(frozen=True, slots=True, eq=False)
class TrackedDetections:
    """The detections of a frame, their tracklets, and what mapping made of these.

    Attributes:
        track_ids: (N,) tracklets of the detections, -1 for none.
        centers: tracklet -> centre in the world, where depth gave one.
        object_of_track: tracklet -> the map object that it fed in this frame.
    """

    detections: Detections
    track_ids: NDArray[np.int64]
    centers: Mapping[int, tuple[float, float, float]]
    object_of_track: Mapping[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class FrameInTree:
    """The nodes of a frame; valid until the next one.

    Attributes:
        detections: its DetNodes, in the order of the detections given.
        tracklets: the ObjNode of each; None for a detection without a track.
    """

    location_id: int
    detections: tuple[DetectionNode, ...]
    tracklets: tuple[Tracklet | None, ...]

    def object_ids(self) -> list[int | None]:
        """The object that each detection's tracklet feeds now; None for none."""
        return [None if tracklet is None else tracklet.object_id for tracklet in self.tracklets]


@dataclass(frozen=True, slots=True, eq=False)
class TreeChanges:
    """Locations and tracklets that differ from what was stored last."""

    locations: tuple[LocationRecord, ...]
    tracklets: tuple[TrackletRecord, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedTree:
    """Closed locations after poses were corrected, with the anchors of first visits."""

    anchors: Anchors
    records: tuple[LocationRecord, ...]


def _corrected(
    records: Sequence[LocationRecord], corrections: FrameCorrections, anchors: Anchors
) -> list[LocationRecord]:
    """Locations moved as their first frames, among the anchors of those before, to which they are
    added if they are first visits."""
    matrices = corrections.of_frames([record.frame_numbers[0] for record in records])
    moves = (matrices != np.eye(4)).any(axis=(1, 2)).tolist()
    poses = [
        pose_of(matrices[row]) @ records[row].anchor if moves[row] else records[row].anchor
        for rows in in_steps(len(records), _AT_ONCE)
        for row in range(rows.start, rows.stop)
    ]
    first_visits = anchors.place([record.location_id for record in records], poses)
    return [
        replace(record, anchor=anchor, revisit_of=first_visit)
        if is_moved or first_visit != record.revisit_of
        else record
        for record, anchor, first_visit, is_moved in zip(
            records, poses, first_visits, moves, strict=True
        )
    ]


class MemTree:
    """The tree; its owner's lock guards it. The cost of a frame does not grow with the tree.

    The newest location is a `Location` that grows; all others are packed.
    """

    def __init__(self, config: TreeConfig) -> None:
        self._config = config
        self._packed: dict[int, PackedLocation] = {}
        self._newest: Location | None = None
        self._anchors = Anchors(config.translation_m, radians(config.rotation_deg))
        self._previous: Pose | None = None  # P_prev of Algorithm 1
        self._seen_at: dict[int, array[int]] = {}  # object id -> locations, some more than once
        self._dirty_locations: set[int] = set()
        self._dirty_tracklets: set[tuple[int, int]] = set()

    @property
    def location_count(self) -> int:
        return len(self._packed) + (self._newest is not None)

    def add_frame(
        self, number: int, stamp_ns: int, world_T_camera: Pose, tracked: TrackedDetections
    ) -> FrameInTree:
        """One turn of the loop of Algorithm 1. The frame that crosses a threshold still belongs to
        the location that it closes.
        """
        if self._previous is None:
            self._previous = world_T_camera
        location = self._location_for(number, stamp_ns)
        nodes = _detection_nodes(number, stamp_ns, tracked.detections)
        track_ids: list[int] = tracked.track_ids.tolist()
        tracklets = [
            self._grow(location, node, label, track_id, tracked.centers.get(track_id))
            for node, label, track_id in zip(
                nodes, tracked.detections.labels, track_ids, strict=True
            )
        ]
        for tracklet in tracklets:
            if tracklet is not None and tracklet.track_id in tracked.object_of_track:
                self._link(tracklet, tracked.object_of_track[tracklet.track_id])
        if self._anchors.differ(self._previous, world_T_camera):
            self.close_location()
            self._previous = world_T_camera
        return FrameInTree(location.record.location_id, tuple(nodes), tuple(tracklets))

    def add_tracklet(
        self,
        location_id: int,
        track_id: int,
        object_id: int,
        label: str,
        seen: Sequence[tuple[DetectionNode, tuple[float, float, float]]],
    ) -> None:
        """Add what was found later in the frames of a location, as a tracklet of its own.

        Args:
            track_id: new. seen: DetNodes, oldest first, and the object's centre in each, world.
        """
        tracklet = Tracklet(location_id, track_id, seen[0][0], self._config.max_trajectory_points)
        for node, center in seen:
            tracklet.add(node, label, center)
        tracklet.object_id = object_id
        packed = self._packed.get(location_id)
        if packed is not None:
            self._packed[location_id] = PackedLocation.pack(
                packed.record, packed.is_open, [*packed.tracklets(), tracklet.node()]
            )
        elif self._newest is not None:
            self._newest.tracklets[track_id] = tracklet
        self._note(object_id, location_id)
        self._dirty_tracklets.add(tracklet.key)

    def close_location(self) -> None:
        """Close the newest location; the next pose opens a new one, as at the start of Algorithm 1.

        A new session calls it first.
        """
        if self._newest is not None:
            self._newest.is_open = False
        self._previous = None

    def locations(self) -> tuple[PackedLocation, ...]:
        """Every location as it is now, oldest first; nodes can be made of them without the lock.

        Values are identical to those of the previous call, except the newest location and those
        whose tracklets name other objects since.
        """
        return (*self._packed.values(), *self._newest_packed())

    def follow(self, merged: Mapping[int, int], removed: Iterable[int]) -> None:
        """Follow objects that were merged (gone -> kept) or removed."""
        for gone, kept in merged.items():
            self._relink(gone, kept)
        for object_id in removed:
            self._relink(object_id, None)

    def split(self, object_id: int, part_id: int, track_ids: Collection[int]) -> None:
        """Link tracklets of an object to a part that was split off it."""
        among = frozenset(track_ids)
        for location_id in dict.fromkeys(self._seen_at.get(object_id, ())):
            self._relink_at(location_id, object_id, part_id, among)

    def objects_of(self, location_id: int, track_ids: Sequence[int]) -> list[int | None]:
        """The object that each track fed at a location; None without one.

        The location may be missing: a key frame may be read from disk while the memory is reset.
        """
        if self._newest is not None and self._newest.record.location_id == location_id:
            tracklets = map(self._newest.tracklets.get, track_ids)
            return [None if t is None else t.object_id for t in tracklets]
        location = self._packed.get(location_id)
        if location is None:
            return [None] * len(track_ids)
        found = location.objects_of(np.array(track_ids, np.int32)).tolist()
        return [None if object_id == NO_OBJECT else object_id for object_id in found]

    def take_changes(self) -> TreeChanges:
        """Locations and tracklets that changed since the last call."""
        by_location = groupby(sorted(self._dirty_tracklets), key=lambda pair: pair[0])
        changes = TreeChanges(
            tuple(self._record_of(i) for i in sorted(self._dirty_locations)),
            tuple(
                TrackletRecord(location_id, tracklet)
                for location_id, pairs in by_location
                for tracklet in self._tracklets(location_id, {track_id for _, track_id in pairs})
            ),
        )
        self._dirty_locations.clear()
        self._dirty_tracklets.clear()
        return changes

    def give_back(self, changes: TreeChanges) -> None:
        """Return changes that could not be stored: the next `take_changes` includes them."""
        self._dirty_locations.update(record.location_id for record in changes.locations)
        self._dirty_tracklets.update(
            (r.location_id, r.tracklet.track_id) for r in changes.tracklets
        )

    def restore(self, changes: TreeChanges) -> None:
        """Fill an empty tree with stored locations, all of which are closed."""
        tracklets_at: dict[int, list[ObjectTracklet]] = {
            r.location_id: [] for r in changes.locations
        }
        for stored in changes.tracklets:
            tracklets_at[stored.location_id].append(stored.tracklet)
            self._note(stored.tracklet.object_id, stored.location_id)
        for record in changes.locations:
            tracklets = tracklets_at[record.location_id]
            self._packed[record.location_id] = PackedLocation.pack(
                record, False, tracklets, is_stored=True
            )
            if record.revisit_of is None:
                self._anchors.add(record.location_id, record.anchor)

    def packed(self) -> tuple[PackedLocation, ...]:
        """The closed locations as they are now, to be corrected while mapping goes on."""
        return tuple(self._packed.values())

    def corrected(
        self, packed: Iterable[PackedLocation], corrections: FrameCorrections
    ) -> CorrectedTree:
        """Closed locations after poses were corrected; it needs no lock."""
        anchors = self._anchors.emptied()
        records = _corrected([location.record for location in packed], corrections, anchors)
        return CorrectedTree(anchors, tuple(records))

    def correct(self, corrections: FrameCorrections, prepared: CorrectedTree) -> None:
        """Move locations, with their tracklets, as their first frames, after poses were corrected.
        Which are revisits is found again.

        Args:
            prepared: of closed locations; those that were closed since are done here.
        """
        self._anchors = prepared.anchors
        records = {record.location_id: record for record in prepared.records}
        for location_id, packed in self._packed.items():
            moved = records.get(location_id)
            if moved is None:
                (moved,) = _corrected([packed.record], corrections, self._anchors)
            if moved is not packed.record:
                self._packed[location_id] = packed.moved(moved)
                self._dirty_locations.add(location_id)
        if self._newest is not None:
            record = self._newest.record
            (matrix,) = corrections.of_frames([record.frame_numbers[0]])
            (self._newest.record,) = _corrected([record], corrections, self._anchors)
            self._dirty_locations.add(record.location_id)
            for tracklet in self._newest.tracklets.values():
                tracklet.move(pose_of(matrix))
        if self._previous is not None:
            self._previous = corrections.newest @ self._previous

    def _location_for(self, number: int, stamp_ns: int) -> Location:
        if self._newest is None or not self._newest.is_open:
            self._pack_newest()
            assert self._previous is not None
            location_id = next(reversed(self._packed), -1) + 1
            revisit_of = self._anchors.find_near(self._previous)
            if revisit_of is None:
                self._anchors.add(location_id, self._previous)
            frame_numbers = number, number
            self._newest = Location(
                LocationRecord(
                    location_id, self._previous, stamp_ns, stamp_ns, frame_numbers, revisit_of
                )
            )
        self._newest.extend(number, stamp_ns)
        self._dirty_locations.add(self._newest.record.location_id)
        return self._newest

    def _grow(
        self,
        location: Location,
        node: DetectionNode,
        label: str,
        track_id: int,
        center: tuple[float, float, float] | None,
    ) -> Tracklet | None:
        if track_id < 0:
            return None
        tracklet = location.tracklets.get(track_id)
        if tracklet is None:
            tracklet = Tracklet(
                location.record.location_id, track_id, node, self._config.max_trajectory_points
            )
            location.tracklets[track_id] = tracklet
        tracklet.add(node, label, center)
        self._dirty_tracklets.add(tracklet.key)
        return tracklet

    def _link(self, tracklet: Tracklet, object_id: int | None) -> None:
        if tracklet.object_id != object_id:
            tracklet.object_id = object_id
            self._note(object_id, tracklet.location_id)
            self._dirty_tracklets.add(tracklet.key)

    def _note(self, object_id: int | None, location_id: int) -> None:
        """Note that tracklets of a location fed an object."""
        if object_id is not None:
            places = self._seen_at.setdefault(object_id, array("i"))
            if not places or places[-1] != location_id:
                places.append(location_id)

    def _relink(self, gone: int, kept: int | None) -> None:
        for location_id in dict.fromkeys(self._seen_at.pop(gone, ())):
            self._relink_at(location_id, gone, kept)

    def _relink_at(
        self, location_id: int, gone: int, kept: int | None, among: Set[int] | None = None
    ) -> None:
        """Args: among: only these tracklets; None: all that fed the object that is gone."""
        if location_id in self._packed:
            packed, track_ids = self._packed[location_id].relinked(gone, kept, among)
            self._packed[location_id] = packed
            self._dirty_tracklets.update((location_id, track_id) for track_id in track_ids)
            if track_ids:
                self._note(kept, location_id)
        elif self._newest is not None:
            for tracklet in self._newest.tracklets.values():
                if tracklet.object_id == gone and (among is None or tracklet.track_id in among):
                    self._link(tracklet, kept)

    def _pack_newest(self) -> None:
        """The newest location is closed and another one follows: what may still change of it is
        which objects its tracklets fed."""
        if self._newest is None:
            return
        fewest = self._config.trajectory_tolerance_m, self._config.closed_trajectory_points
        shortened = [t.key for t in self._newest.tracklets.values() if t.finish(*fewest)]
        self._dirty_tracklets.update(shortened)
        (packed,) = self._newest_packed()
        self._packed[packed.record.location_id] = packed

    def _newest_packed(self) -> tuple[PackedLocation, ...]:
        newest = self._newest
        if newest is None:
            return ()
        tracklets = [tracklet.node() for tracklet in newest.tracklets.values()]
        return (PackedLocation.pack(newest.record, newest.is_open, tracklets),)

    def _record_of(self, location_id: int) -> LocationRecord:
        packed = self._packed.get(location_id)
        if packed is None:
            assert self._newest is not None
            return self._newest.record
        return packed.record

    def _tracklets(self, location_id: int, track_ids: Container[int]) -> list[ObjectTracklet]:
        """Tracklets as they are stored."""
        if location_id in self._packed:
            tracklets = self._packed[location_id].stored_tracklets()
            return [t for t in tracklets if t.track_id in track_ids]
        assert self._newest is not None
        growing = self._newest.tracklets.values()
        nodes = [t.node() for t in growing if t.track_id in track_ids]
        return PackedLocation.pack(self._newest.record, True, nodes).stored_tracklets()


def _detection_nodes(number: int, stamp_ns: int, detections: Detections) -> list[DetectionNode]:
    return [
        DetectionNode(number, stamp_ns, score, tuple(box))
        for score, box in zip(detections.scores.tolist(), detections.boxes_px.tolist(), strict=True)
    ]
