"""ObjNode while it grows: what one tracklet showed within one location."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from scenemind.memory.tree.trajectory import Trajectory, simplify
from scenemind.memory.types import DetectionNode, ObjectTracklet


@dataclass(frozen=True, slots=True, eq=False)
class TrackletRecord:
    """What the store keeps of a tracklet; `tracklet.object_id` may be a tentative object."""

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

    def finish(self, tolerance_m: float, max_points: int) -> bool:
        """Its location is closed: keep the trajectory in fewer points; whether that changed it."""
        points = self._trajectory.array()
        fewer = simplify(points, tolerance_m, max_points)
        if len(fewer) == len(points):
            return False
        self._trajectory = Trajectory.through(fewer)
        return True
