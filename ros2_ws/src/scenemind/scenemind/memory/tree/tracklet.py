"""ObjNode while it grows: what one tracklet showed within one location."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.types import DetectionNode, ObjectTracklet


@dataclass(frozen=True, slots=True, eq=False)
class TrackletRecord:
    """What the store keeps of a tracklet; `tracklet.object_id` may be a tentative object."""

    location_id: int
    tracklet: ObjectTracklet


class Trajectory:
    """Points over any length of time in a bounded array: evenly thinned, oldest kept."""

    __slots__ = ("_count", "_points", "_seen", "_stride")

    def __init__(self, max_points: int) -> None:
        self._points = np.empty((max_points, 3), np.float32)
        self._count = 0
        self._seen = 0
        self._stride = 1

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

    def _thin(self) -> None:
        kept = self._points[: self._count : 2].copy()
        self._points[: len(kept)] = kept
        self._count = len(kept)
        self._stride *= 2


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

    @classmethod
    def restored(cls, record: TrackletRecord) -> Tracklet:
        """As it was stored, not yet linked to its object; its location is closed."""
        node = record.tracklet
        tracklet = cls(record.location_id, node.track_id, node.best, max(1, len(node.trajectory)))
        tracklet._label = node.label
        tracklet._detection_count = node.detection_count
        tracklet._first_seen_ns, tracklet._last_seen_ns = node.first_seen_ns, node.last_seen_ns
        for point in node.trajectory:
            tracklet._trajectory.add(point)
        return tracklet

    @property
    def key(self) -> tuple[int, int]:
        return self.location_id, self.track_id

    def add(
        self, detection: DetectionNode, label: str, center: tuple[float, float, float] | None
    ) -> None:
        """One more DetNode, with the object's centre in the world where depth gave one."""
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
        """The tracklet now, as a value."""
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

    def record(self) -> TrackletRecord:
        return TrackletRecord(self.location_id, self.node())
