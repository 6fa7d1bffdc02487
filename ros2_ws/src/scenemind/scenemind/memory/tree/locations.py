"""Locations (LocNodes) and their tracklets (ObjNodes): while they grow, and packed as columns.

An hour has thousands of locations with some twenty tracklets each. As Python objects they would
take 2 kB a tracklet, and building all of them would take a second; packed they take some hundred
bytes a tracklet and become nodes when they are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import compress
from sys import intern
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory.types import DetectionNode, LocationNode, ObjectTracklet


class Trajectory:
    """Points over any length of time in a bounded array: evenly thinned, oldest kept."""

    __slots__ = ("_count", "_points", "_seen", "_stride")

    def __init__(self, max_points: int) -> None:
        self._points = np.empty((max_points, 3), np.float32)
        self._count = 0
        self._seen = 0
        self._stride = 1

    @classmethod
    def through(cls, points: NDArray[np.float32]) -> Trajectory:
        """Full with exactly these points (T, 3)."""
        trajectory = cls(len(points))
        trajectory._points[:] = points
        trajectory._count = trajectory._seen = len(points)
        return trajectory

    def add(self, point: NDArray[np.floating] | tuple[float, float, float]) -> None:
        """Append one position (3,), metres."""
        if self._seen % self._stride == 0 and self._count == len(self._points):
            self._thin()
        if self._seen % self._stride == 0:
            self._points[self._count] = point
            self._count += 1
        self._seen += 1

    def array(self) -> NDArray[np.float32]:
        """(T, 3) float32, read-only copy."""
        points = self._points[: self._count].copy()
        points.flags.writeable = False
        return points

    def move(self, correction: Pose) -> None:
        self._points[: self._count] = correction.transform(self._points[: self._count])

    def _thin(self) -> None:
        kept = self._points[: self._count : 2].copy()
        self._points[: len(kept)] = kept
        self._count = len(kept)
        self._stride *= 2


def simplify(
    points: NDArray[np.float32], tolerance_m: float, max_points: int
) -> NDArray[np.float32]:
    """A trajectory (T, 3) simplified to fewer of its points, including the first and the last.

    As in the algorithm of Ramer, Douglas and Peucker, the point that is furthest from the line
    through the chosen points is added next, until none is further than the tolerance or
    `max_points` (at least 2) are chosen.
    """
    if len(points) <= 2:
        return points
    chosen = [0, len(points) - 1]
    away_m = _distances_m(points, 0, len(points) - 1)
    while len(chosen) < max_points and away_m.max() > tolerance_m:
        new = int(away_m.argmax())
        before = max(i for i in chosen if i < new)
        after = min(i for i in chosen if i > new)
        away_m[before : new + 1] = _distances_m(points, before, new)
        away_m[new : after + 1] = _distances_m(points, new, after)
        chosen.append(new)
    return points[sorted(chosen)]


def _distances_m(points: NDArray[np.float32], start: int, end: int) -> NDArray[np.float32]:
    """Distances of `points[start : end + 1]` from the segment between the first and the last."""
    offsets = points[start : end + 1] - points[start]
    line = offsets[-1]
    length2 = float(line @ line)
    if length2 > 0.0:
        along = np.clip(offsets @ line / length2, 0.0, 1.0)
        offsets = offsets - along[:, None] * line
    away_m: NDArray[np.float32] = np.sqrt((offsets * offsets).sum(axis=1))
    return away_m


@dataclass(frozen=True, slots=True, eq=False)
class TrackletRecord:
    """A tracklet as it is stored: `tracklet.object_id` may be a tentative object. Its trajectory is
    in the frame of the location's anchor, with which it moves when poses are corrected."""

    location_id: int
    tracklet: ObjectTracklet


class Tracklet:
    """The mutable side of `ObjectTracklet`: owned by `MemTree`, never handed out."""

    __slots__ = (
        "_detection_count",
        "_first_seen_ns",
        "_label",
        "_label_scores",
        "_last_seen_ns",
        "_trajectory",
        "best",
        "location_id",
        "object_id",
        "track_id",
    )

    def __init__(
        self, location_id: int, track_id: int, first: DetectionNode, max_points: int
    ) -> None:
        self.location_id = location_id
        self.track_id = track_id
        self.object_id: int | None = None
        self.best = first
        self._label = ""
        self._label_scores: dict[str, float] = defaultdict(float)
        self._detection_count = 0
        self._first_seen_ns = self._last_seen_ns = first.stamp_ns
        self._trajectory = Trajectory(max_points)

    @property
    def key(self) -> tuple[int, int]:
        return self.location_id, self.track_id

    def add(
        self, detection: DetectionNode, label: str, center: tuple[float, float, float] | None
    ) -> None:
        """Add a DetNode; `center` is the object's centre, world, if depth gave one."""
        self._detection_count += 1
        self._last_seen_ns = detection.stamp_ns
        self._label_scores[label] += detection.score
        if self._label_scores[label] >= self._label_scores[self._label]:
            self._label = label
        if detection.score > self.best.score:
            self.best = detection
        if center is not None:
            self._trajectory.add(center)

    def node(self) -> ObjectTracklet:
        """The tracklet as a value."""
        return ObjectTracklet(
            track_id=self.track_id,
            label=self._label,
            object_id=self.object_id,
            detection_count=self._detection_count,
            first_seen_ns=self._first_seen_ns,
            last_seen_ns=self._last_seen_ns,
            best=self.best,
            trajectory=self._trajectory.array(),
        )

    def move(self, correction: Pose) -> None:
        """Move the trajectory, after poses were corrected."""
        self._trajectory.move(correction)

    def finish(self, tolerance_m: float, max_points: int) -> bool:
        """Simplify the trajectory when its location is closed; True if that changed it."""
        points = self._trajectory.array()
        fewer = simplify(points, tolerance_m, max_points)
        if len(fewer) == len(points):
            return False
        self._trajectory = Trajectory.through(fewer)
        return True


@dataclass(frozen=True, slots=True, eq=False)
class LocationRecord:
    """A location as it is stored, without its tracklets."""

    location_id: int
    anchor: Pose
    first_stamp_ns: int
    last_stamp_ns: int
    frame_numbers: tuple[int, int]
    revisit_of: int | None


class Location:
    """The newest location: owned by `MemTree`, never handed out."""

    __slots__ = ("is_open", "record", "tracklets")

    def __init__(self, record: LocationRecord) -> None:
        self.record = record
        self.is_open = True
        self.tracklets: dict[int, Tracklet] = {}

    def extend(self, number: int, stamp_ns: int) -> None:
        """Add a frame."""
        first = self.record.frame_numbers[0]
        self.record = replace(self.record, last_stamp_ns=stamp_ns, frame_numbers=(first, number))


NO_OBJECT = -1


@dataclass(frozen=True, slots=True, eq=False)
class LocationContents:
    """The objects and labels of a location: each map object once, however many tracklets fed it.

    Attributes:
        revisit_of: the location's first visit; None when it is one itself.
        object_ids: ascending; `NO_OBJECT` for each tracklet that fed no map object.
        labels: the label under which each was seen there, sorted among those without an object.
    """

    location_id: int
    revisit_of: int | None
    object_ids: tuple[int, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(
        cls, location_id: int, revisit_of: int | None, seen: Iterable[tuple[int, str]]
    ) -> LocationContents:
        """The contents of a location from the object id and label of each tracklet."""
        seen = list(seen)
        label_of = {object_id: label for object_id, label in seen if object_id != NO_OBJECT}
        loose = sorted([label for object_id, label in seen if object_id == NO_OBJECT])
        ids = sorted(label_of)
        return cls(
            location_id,
            revisit_of,
            (*[NO_OBJECT] * len(loose), *ids),
            (*loose, *[label_of[object_id] for object_id in ids]),
        )


def with_whole_objects(contents: LocationContents, shown_as: Mapping[int, int]) -> LocationContents:
    """The contents with merged objects replaced by the objects they are part of."""
    seen = zip(contents.object_ids, contents.labels, strict=True)
    return LocationContents.of(
        contents.location_id,
        contents.revisit_of,
        ((shown_as.get(object_id, object_id), label) for object_id, label in seen),
    )


def contents_of(node: LocationNode) -> LocationContents:
    return LocationContents.of(
        node.location_id,
        node.revisit_of,
        ((NO_OBJECT if t.object_id is None else t.object_id, t.label) for t in node.tracklets),
    )


# Scores and boxes are float32 where detections have them; nothing is lost.
_COLUMNS = np.dtype(
    [
        ("track_id", "<i4"),
        ("detection_count", "<i4"),
        ("first_seen_ns", "<i8"),
        ("last_seen_ns", "<i8"),
        ("best_frame", "<i4"),
        ("best_stamp_ns", "<i8"),
        ("best_score", "<f4"),
        *((side, "<f4") for side in ("x0", "y0", "x1", "y1")),
        ("points_end", "<i4"),  # its trajectory ends before this point of the location
    ]
)


class PackedLocation:
    """A location and its tracklets as they are at one moment: nothing changes it afterwards."""

    __slots__ = (
        "_columns",
        "_contents",
        "_labels",
        "_object_ids",
        "_points",
        "is_open",
        "record",
    )

    def __init__(
        self,
        record: LocationRecord,
        is_open: bool,
        columns: NDArray[np.void],
        labels: tuple[str, ...],
        object_ids: NDArray[np.int32],
        points: NDArray[np.float32],
    ) -> None:
        """See `pack`."""
        self.record = record
        self.is_open = is_open
        self._columns = columns
        self._labels = labels
        self._object_ids = object_ids
        self._points = points
        self._contents: LocationContents | None = None

    @classmethod
    def pack(
        cls,
        record: LocationRecord,
        is_open: bool,
        tracklets: Sequence[ObjectTracklet],
        *,
        is_stored: bool = False,
    ) -> PackedLocation:
        """
        Args:
            is_stored: trajectories are in the frame of the anchor, see `TrackletRecord`.
        """
        ends = np.cumsum([len(t.trajectory) for t in tracklets], dtype=np.int64)
        rows = [
            (
                t.track_id,
                t.detection_count,
                t.first_seen_ns,
                t.last_seen_ns,
                t.best.frame_number,
                t.best.stamp_ns,
                t.best.score,
                *t.best.box_px,
                end,
            )
            for t, end in zip(tracklets, ends.tolist(), strict=True)
        ]
        points = np.zeros((0, 3), np.float32)
        if tracklets:
            points = np.concatenate([t.trajectory for t in tracklets])
            if not is_stored:
                points = record.anchor.inverse().transform(points).astype(np.float32)
        return cls(
            record,
            is_open,
            np.array(rows, _COLUMNS),
            tuple(intern(t.label) for t in tracklets),
            np.array([_number(t.object_id) for t in tracklets], np.int32),
            points,
        )

    def relinked(
        self, gone: int, kept: int | None, among: Set[int] | None = None
    ) -> tuple[PackedLocation, list[int]]:
        """With an object replaced by another one or by none, and the tracks that fed it.

        Args:
            among: only these tracks; None: all.
        """
        rows = np.flatnonzero(self._object_ids == gone)
        track_ids = self._columns["track_id"][rows].tolist()
        if among is not None:
            fed = [track_id in among for track_id in track_ids]
            rows, track_ids = rows[fed], list(compress(track_ids, fed))
        if not track_ids:
            return self, []
        object_ids = self._object_ids.copy()
        object_ids[rows] = _number(kept)
        other = PackedLocation(
            self.record, self.is_open, self._columns, self._labels, object_ids, self._points
        )
        return other, track_ids

    def objects_of(self, track_ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """(M,) int32: the objects that tracks (M,) fed here; `NO_OBJECT` for none, and where a
        track was not seen."""
        known = self._columns["track_id"]
        if not len(known):
            return np.full(len(track_ids), NO_OBJECT, np.int32)
        order = np.argsort(known)
        rows = order[np.minimum(np.searchsorted(known, track_ids, sorter=order), len(known) - 1)]
        return np.where(known[rows] == track_ids, self._object_ids[rows], np.int32(NO_OBJECT))

    def contents(self) -> LocationContents:
        """Objects and labels alone, kept once they were asked for."""
        if self._contents is None:
            seen = zip(self._object_ids.tolist(), self._labels, strict=True)
            self._contents = LocationContents.of(
                self.record.location_id, self.record.revisit_of, seen
            )
        return self._contents

    def moved(self, record: LocationRecord) -> PackedLocation:
        """A copy with another anchor, and whose first visit may be another one."""
        return PackedLocation(
            record, self.is_open, self._columns, self._labels, self._object_ids, self._points
        )

    def tracklets(self) -> list[ObjectTracklet]:
        """The tracklets in the order in which they were packed."""
        return self._tracklets(self.record.anchor.transform(self._points))

    def stored_tracklets(self) -> list[ObjectTracklet]:
        """The same as they are stored; see `TrackletRecord`."""
        return self._tracklets(self._points.copy())

    def _tracklets(self, all_points: NDArray[np.floating]) -> list[ObjectTracklet]:
        all_points.flags.writeable = False
        points = np.split(all_points, self._columns["points_end"][:-1])
        return [
            _tracklet(row, label, object_id, trajectory)
            for row, label, object_id, trajectory in zip(
                self._columns.tolist(),
                self._labels,
                self._object_ids.tolist(),
                points,
                strict=False,
            )
        ]

    def node(
        self, known_objects: Container[int], shown_as: Mapping[int, int] = MappingProxyType({})
    ) -> LocationNode:
        """The location as a value; tracklets name only known objects.

        Args:
            shown_as: id of an object that was merged -> id of the object it is part of.
        """
        record = self.record
        return LocationNode(
            location_id=record.location_id,
            anchor=record.anchor,
            first_stamp_ns=record.first_stamp_ns,
            last_stamp_ns=record.last_stamp_ns,
            frame_numbers=record.frame_numbers,
            tracklets=tuple(_naming(t, known_objects, shown_as) for t in self.tracklets()),
            revisit_of=record.revisit_of,
            is_open=self.is_open,
        )


def _tracklet(
    row: tuple[Any, ...], label: str, object_id: int, trajectory: NDArray[np.float32]
) -> ObjectTracklet:
    track_id, count, first_ns, last_ns, frame, stamp_ns, score, x0, y0, x1, y1, _ = row
    return ObjectTracklet(
        track_id=track_id,
        label=label,
        object_id=_object(object_id),
        detection_count=count,
        first_seen_ns=first_ns,
        last_seen_ns=last_ns,
        best=DetectionNode(frame, stamp_ns, score, (x0, y0, x1, y1)),
        trajectory=trajectory,
    )


def _naming(
    tracklet: ObjectTracklet, known_objects: Container[int], shown_as: Mapping[int, int]
) -> ObjectTracklet:
    if tracklet.object_id is None:
        return tracklet
    shown = shown_as.get(tracklet.object_id, tracklet.object_id)
    named = shown if shown in known_objects else None
    return tracklet if named == tracklet.object_id else replace(tracklet, object_id=named)


def _number(object_id: int | None) -> int:
    return NO_OBJECT if object_id is None else object_id


def _object(number: int) -> int | None:
    return None if number == NO_OBJECT else number
