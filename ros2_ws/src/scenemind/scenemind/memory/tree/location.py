"""LocNode while it grows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scenemind.geometry import Pose
from scenemind.memory.tree.tracklet import Tracklet


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
    """The newest location: owned by `MemTree`, never handed out."""

    __slots__ = ("is_open", "record", "tracklets")

    def __init__(self, record: LocationRecord) -> None:
        self.record = record
        self.is_open = True
        self.tracklets: dict[int, Tracklet] = {}

    def extend(self, number: int, stamp_ns: int) -> None:
        """One more frame."""
        first = self.record.frame_numbers[0]
        self.record = replace(self.record, last_stamp_ns=stamp_ns, frame_numbers=(first, number))
