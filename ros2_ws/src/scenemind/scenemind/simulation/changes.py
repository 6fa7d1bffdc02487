"""What somebody moved or took away while the robot looked elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from scenemind.geometry import Box3D
from scenemind.simulation.room import Room, SimObject


@dataclass(frozen=True, slots=True)
class Change:
    """One object that was moved or removed.

    Attributes:
        stamp_ns: from this stamp on frames show the room without it, or with it elsewhere.
        before: the object as it was.
        after: as it is then, with the same id; None where it was removed.
    """

    stamp_ns: int
    before: SimObject
    after: SimObject | None

    @property
    def instance_id(self) -> int:
        return self.before.instance_id

    @property
    def kind(self) -> Literal["moved", "removed"]:
        return "removed" if self.after is None else "moved"

    @property
    def old_box(self) -> Box3D:
        return self.before.box


def room_after(room: Room, changes: Iterable[Change]) -> Room:
    """The room when these have happened; objects keep their ids, so removed ones leave a gap."""
    now = {change.instance_id: change.after for change in changes}
    if not now:
        return room
    objects = (now.get(item.instance_id, item) for item in room.objects)
    return replace(room, objects=tuple(item for item in objects if item is not None))
