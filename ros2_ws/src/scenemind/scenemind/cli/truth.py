"""A simulated room's real objects beside the map's, as reports show them."""

from __future__ import annotations

from collections.abc import Collection

from scenemind.geometry import Pose
from scenemind.memory import MemorySnapshot
from scenemind.report import TrueObject
from scenemind.simulation import Room, match_objects


def true_objects(
    room: Room, seen: Collection[int], scene: MemorySnapshot, world_T_map: Pose | None = None
) -> tuple[TrueObject, ...]:
    """One for each object of the room.

    Args:
        seen: instance ids of those that the camera saw well.
        world_T_map: see `match_objects`.
    """
    return tuple(
        TrueObject(
            label=row.label,
            box=room.get_object(row.instance_id).box,
            was_seen=row.instance_id in seen,
            object_id=row.object_id,
            object_label=row.object_label,
            iou=row.iou,
        )
        for row in match_objects(scene.objects.values(), room, world_T_map).matches
    )
