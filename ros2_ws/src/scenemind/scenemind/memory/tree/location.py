"""LocNode while it grows."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from scenemind.geometry import Pose
from scenemind.memory.tree.tracklet import Tracklet
from scenemind.memory.types import LocationNode, ObjectTracklet


@dataclass(frozen=True, slots=True, eq=False)
class LocationRecord:
    """What the store keeps of a location, beside its tracklets."""

    location_id: int
    anchor: Pose
    first_stamp_ns: int
    last_stamp_ns: int
    frame_numbers: tuple[int, int]
    revisit_of: int | None


class Location:
    """The mutable side of `LocationNode`: owned by `MemTree`, never handed out."""

    __slots__ = ("_node", "_node_objects", "is_open", "record", "tracklets")

    def __init__(self, record: LocationRecord, is_open: bool) -> None:
        self.record = record
        self.is_open = is_open
        self.tracklets: dict[int, Tracklet] = {}
        self._node: LocationNode | None = None
        self._node_objects: dict[int, bool] = {}

    def extend(self, number: int, stamp_ns: int) -> None:
        """One more frame."""
        first = self.record.frame_numbers[0]
        self.record = replace(self.record, last_stamp_ns=stamp_ns, frame_numbers=(first, number))
        self.touch()

    def close(self) -> None:
        self.is_open = False
        self.touch()

    def touch(self) -> None:
        """Something below changed: the next `node` is built anew."""
        self._node = None

    def node(self, known_objects: Container[int]) -> LocationNode:
        """The location now, as a value; tracklets name only objects that are known."""
        if self._node is not None and all(
            (object_id in known_objects) == known for object_id, known in self._node_objects.items()
        ):
            return self._node
        linked = {t.object_id for t in self.tracklets.values() if t.object_id is not None}
        self._node_objects = {object_id: object_id in known_objects for object_id in linked}
        record = self.record
        self._node = LocationNode(
            location_id=record.location_id,
            anchor=record.anchor,
            first_stamp_ns=record.first_stamp_ns,
            last_stamp_ns=record.last_stamp_ns,
            frame_numbers=record.frame_numbers,
            tracklets=tuple(self._visible(t) for t in self.tracklets.values()),
            revisit_of=record.revisit_of,
            is_open=self.is_open,
        )
        return self._node

    def _visible(self, tracklet: Tracklet) -> ObjectTracklet:
        node = tracklet.node()
        if node.object_id is None or self._node_objects[node.object_id]:
            return node
        return replace(node, object_id=None)
