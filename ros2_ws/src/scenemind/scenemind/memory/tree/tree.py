"""MemTree3D, grown one frame at a time (MemTree3D paper, section 3.1 and Algorithm 1).

Three levels: locations (LocNode), the tracklets seen in each (ObjNode), and their detections
(DetNode). The tree holds the first two and a bounded choice of the third; all detections go to the
store. A detection without a track (-1) is a DetNode of its frame and location, and belongs to no
ObjNode: the paper wraps tracklets only, and one without is what the tracker did not trust.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.typing import NDArray

from scenemind.config import TreeConfig
from scenemind.geometry import Pose
from scenemind.memory.tree.anchors import Anchors
from scenemind.memory.tree.location import Location, LocationRecord
from scenemind.memory.tree.tracklet import Tracklet, TrackletRecord
from scenemind.memory.types import DetectionNode, LocationNode
from scenemind.perception.types import Detections


@dataclass(frozen=True, slots=True, eq=False)
class FrameInTree:
    """Where a frame went.

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


class MemTree:
    """The tree; its owner's lock guards it. One frame costs the same however old the tree is."""

    def __init__(self, config: TreeConfig) -> None:
        self._config = config
        self._locations: dict[int, Location] = {}
        self._anchors = Anchors(config.translation_m, radians(config.rotation_deg))
        self._previous: Pose | None = None  # P_prev of Algorithm 1
        self._open: Location | None = None
        self._tracklets_of: dict[int, list[Tracklet]] = {}
        self._dirty_locations: set[int] = set()
        self._dirty_tracklets: dict[tuple[int, int], Tracklet] = {}

    @property
    def location_count(self) -> int:
        return len(self._locations)

    def add_frame(
        self,
        number: int,
        stamp_ns: int,
        world_T_camera: Pose,
        detections: Detections,
        track_ids: NDArray[np.int64],
        centers: Mapping[int, tuple[float, float, float]],
        object_of_track: Mapping[int, int],
    ) -> FrameInTree:
        """One turn of Algorithm 1's loop; the frame that crosses a threshold still belongs to the
        location that it closes.

        Args:
            track_ids: (N,) of the detections, -1 for none.
            centers: track id -> centre in the world, where depth gave one.
            object_of_track: track id -> the map object that it fed in this frame.
        """
        if self._previous is None:
            self._previous = world_T_camera
        location = self._location_for(number, stamp_ns)
        nodes = _detection_nodes(number, stamp_ns, detections)
        tracklets = [
            self._grow(location, node, label, track_id, centers.get(track_id))
            for node, label, track_id in zip(
                nodes, detections.labels, track_ids.tolist(), strict=True
            )
        ]
        for tracklet in tracklets:
            if tracklet is not None and tracklet.track_id in object_of_track:
                self._link(tracklet, object_of_track[tracklet.track_id])
        if self._anchors.differ(self._previous, world_T_camera):
            self.close_location()
            self._previous = world_T_camera
        return FrameInTree(location.record.location_id, tuple(nodes), tuple(tracklets))

    def close_location(self) -> None:
        """Also what a new session does first: its first pose opens a location, as Algorithm 1."""
        if self._open is not None:
            self._open.close()
        self._open = self._previous = None

    def nodes(self, known_objects: Container[int]) -> tuple[LocationNode, ...]:
        """Every location, oldest first, the open one last. Closed ones are built only once.

        Args:
            known_objects: ids that may be shown; a tracklet of another object names none.
        """
        return tuple(location.node(known_objects) for location in self._locations.values())

    def follow(self, merged: Mapping[int, int], removed: Iterable[int]) -> None:
        """Objects that are gone: into another (gone -> kept), or for good."""
        for gone, kept in merged.items():
            for tracklet in tuple(self._tracklets_of.get(gone, ())):
                self._link(tracklet, kept)
        for object_id in removed:
            for tracklet in tuple(self._tracklets_of.get(object_id, ())):
                self._link(tracklet, None)

    def object_of(self, location_id: int, track_id: int) -> int | None:
        """The object that a track fed while the camera was there; None for none.

        The location may be gone: a key frame is read from disk while the memory is reset.
        """
        location = self._locations.get(location_id)
        tracklet = None if location is None else location.tracklets.get(track_id)
        return None if tracklet is None else tracklet.object_id

    def take_changes(self) -> TreeChanges:
        """What differs since the last call."""
        changes = TreeChanges(
            tuple(self._locations[i].record for i in sorted(self._dirty_locations)),
            tuple(tracklet.record() for tracklet in self._dirty_tracklets.values()),
        )
        self._dirty_locations.clear()
        self._dirty_tracklets.clear()
        return changes

    def give_back(self, changes: TreeChanges) -> None:
        """They could not be stored: the next `take_changes` has them again, as they are then."""
        self._dirty_locations.update(record.location_id for record in changes.locations)
        for record in changes.tracklets:
            tracklet = self._locations[record.location_id].tracklets[record.tracklet.track_id]
            self._dirty_tracklets[tracklet.key] = tracklet

    def restore(self, changes: TreeChanges) -> None:
        """Fill an empty tree with everything stored; all locations are closed."""
        for record in changes.locations:
            self._locations[record.location_id] = Location(record, is_open=False)
            self._anchors.add(record.location_id, record.anchor)
        for stored in changes.tracklets:
            tracklet = Tracklet.restored(stored)
            self._locations[stored.location_id].tracklets[tracklet.track_id] = tracklet
            self._link(tracklet, stored.tracklet.object_id)
        self.take_changes()

    def _location_for(self, number: int, stamp_ns: int) -> Location:
        if self._open is None:
            assert self._previous is not None
            location_id = len(self._locations)
            revisit_of = self._anchors.find_near(self._previous)
            record = LocationRecord(
                location_id, self._previous, stamp_ns, stamp_ns, (number, number), revisit_of
            )
            self._open = self._locations[location_id] = Location(record, is_open=True)
            self._anchors.add(location_id, self._previous)
        self._open.extend(number, stamp_ns)
        self._dirty_locations.add(self._open.record.location_id)
        return self._open

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
        self._dirty_tracklets[tracklet.key] = tracklet
        return tracklet

    def _link(self, tracklet: Tracklet, object_id: int | None) -> None:
        if tracklet.object_id == object_id:
            return
        if tracklet.object_id is not None:
            self._tracklets_of[tracklet.object_id].remove(tracklet)
        tracklet.object_id = object_id
        if object_id is not None:
            self._tracklets_of.setdefault(object_id, []).append(tracklet)
        self._locations[tracklet.location_id].touch()
        self._dirty_tracklets[tracklet.key] = tracklet


def _detection_nodes(number: int, stamp_ns: int, detections: Detections) -> list[DetectionNode]:
    return [
        DetectionNode(number, stamp_ns, score, tuple(box))
        for score, box in zip(detections.scores.tolist(), detections.boxes_px.tolist(), strict=True)
    ]
