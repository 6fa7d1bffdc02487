"""The viewpoint of "facing the bed": before a thing of a snapshot, looking at its front."""

from __future__ import annotations

from scenemind.geometry import Box3D
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.graph.relations.viewpoint import Viewpoint, facing, fronts
from scenemind.memory.graph.verification.common_sense import sense_of
from scenemind.memory.types import MapObject, MemorySnapshot


def get_viewpoint_facing(thing: MapObject, snapshot: MemorySnapshot) -> Viewpoint:
    """Where one stands who faces the front of a thing; its back is taken to be at a wall.

    Walls are the building's and those that were detected as objects. A thing in a corner faces away
    from the wall at its longer side.

    Raises:
        SceneMemoryError: no wall is known at its back, so which side is its front is not known.
    """
    found = fronts(thing.yaw_box, _walls(snapshot))
    if not found:
        raise SceneMemoryError(
            f"which side of {thing.label[:60]!r} (object {thing.object_id}) is its front is not"
            " known, for it stands at no wall: give a viewpoint instead"
        )
    return facing(thing.yaw_box, found[0], f"before object {thing.object_id}")


def _walls(snapshot: MemorySnapshot) -> list[Box3D]:
    planes = [plane.box for plane in snapshot.structure.values() if plane.kind == "wall"]
    detected = snapshot.objects.values()
    return planes + [o.yaw_box for o in detected if sense_of(o.label).structure == "wall"]
