"""The scene graph between messages and the library, both ways.

Point samples of objects do not travel: an object read from a message has none, but its yaw box.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

import numpy as np
from geometry_msgs.msg import Vector3

from scenemind.memory import MapObject, MemorySnapshot, Relation, Stay, StructurePlane
from scenemind.memory.types import AttributeSource, StructureKind
from scenemind_interfaces.msg import Attribute, SceneGraph, SceneObject, SceneObjectArray
from scenemind_interfaces.msg import Relation as RelationMsg
from scenemind_interfaces.msg import Stay as StayMsg
from scenemind_interfaces.msg import StructurePlane as StructurePlaneMsg
from scenemind_ros.conversions.geometry import (
    box_from_msg,
    box_to_msg,
    header_to_msg,
    pose_from_msg,
    pose_to_msg,
    stamp_ns,
    time_to_msg,
)
from scenemind_ros.errors import RosError

_COMPUTED = Attribute.SOURCE_COMPUTED
_SOURCES: dict[str, AttributeSource] = {
    Attribute.SOURCE_MODEL: "model",
    Attribute.SOURCE_USER: "user",
}


def stay_to_msg(stay: Stay) -> StayMsg:
    return StayMsg(
        box=box_to_msg(stay.box),
        first_seen=time_to_msg(stay.first_seen_ns),
        last_seen=time_to_msg(stay.last_seen_ns),
        gone=time_to_msg(stay.gone_ns),
    )


def stay_from_msg(msg: StayMsg) -> Stay:
    """Raises GeometryError when the box is none."""
    return Stay(
        box_from_msg(msg.box), stamp_ns(msg.first_seen), stamp_ns(msg.last_seen), stamp_ns(msg.gone)
    )


def object_to_msg(thing: MapObject) -> SceneObject:
    sources = thing.attribute_sources
    return SceneObject(
        id=int(thing.object_id),
        label=thing.label,
        perceived_label=thing.perceived_label,
        attributes=[
            Attribute(name=name, value=str(value), source=sources.get(name, _COMPUTED))
            for name, value in thing.attributes.items()
        ],
        confidence=float(thing.confidence),
        box=box_to_msg(thing.box),
        yaw_box=box_to_msg(thing.yaw_box),
        first_seen=time_to_msg(thing.first_seen_ns),
        last_seen=time_to_msg(thing.last_seen_ns),
        here_since=time_to_msg(thing.here_since_ns or 0),
        observation_count=int(thing.observation_count),
        track_ids=[int(track_id) for track_id in thing.track_ids],
        corrected=bool(thing.corrected),
        stays=[stay_to_msg(stay) for stay in thing.stays],
    )


def object_from_msg(msg: SceneObject) -> MapObject:
    """Raises GeometryError when a box is none."""
    return MapObject(
        object_id=int(msg.id),
        label=msg.label,
        perceived_label=msg.perceived_label,
        attributes={attribute.name: attribute.value for attribute in msg.attributes},
        confidence=float(msg.confidence),
        box=box_from_msg(msg.box),
        points=np.zeros((0, 3), np.float32),
        first_seen_ns=stamp_ns(msg.first_seen),
        last_seen_ns=stamp_ns(msg.last_seen),
        observation_count=int(msg.observation_count),
        track_ids=tuple(int(track_id) for track_id in msg.track_ids),
        corrected=bool(msg.corrected),
        stays=tuple(stay_from_msg(stay) for stay in msg.stays),
        known_yaw_box=box_from_msg(msg.yaw_box),
        here_since_ns=stamp_ns(msg.here_since) or None,
        attribute_sources={
            attribute.name: _SOURCES[attribute.source]
            for attribute in msg.attributes
            if attribute.source in _SOURCES
        },
    )


def objects_to_msg(objects: Iterable[MapObject], stamp: int, map_frame: str) -> SceneObjectArray:
    return SceneObjectArray(
        header=header_to_msg(stamp, map_frame), objects=[object_to_msg(o) for o in objects]
    )


def relation_to_msg(relation: Relation) -> RelationMsg:
    return RelationMsg(
        subject_id=int(relation.subject_id),
        predicate=relation.predicate,
        object_id=int(relation.object_id),
        confidence=float(relation.confidence),
        source=relation.source,
    )


def relation_from_msg(msg: RelationMsg) -> Relation:
    """Raises RosError when the source is neither geometry nor user."""
    if msg.source not in (RelationMsg.SOURCE_GEOMETRY, RelationMsg.SOURCE_USER):
        raise RosError(f"a relation has the source {msg.source!r}, neither geometry nor user")
    return Relation(
        int(msg.subject_id),
        msg.predicate,
        int(msg.object_id),
        float(msg.confidence),
        "user" if msg.source == RelationMsg.SOURCE_USER else "geometry",
    )


def plane_to_msg(plane: StructurePlane) -> StructurePlaneMsg:
    x, y, z = plane.normal
    return StructurePlaneMsg(
        id=int(plane.plane_id),
        kind=plane.kind,
        box=box_to_msg(plane.box),
        normal=Vector3(x=float(x), y=float(y), z=float(z)),
        seen_m2=float(plane.seen_m2),
    )


def plane_from_msg(msg: StructurePlaneMsg) -> StructurePlane:
    """Raises RosError for an unknown kind, GeometryError when the box is none."""
    kinds: dict[str, StructureKind] = {kind: kind for kind in get_args(StructureKind)}
    if msg.kind not in kinds:
        raise RosError(f"a plane of structure is a {msg.kind!r}, not one of {', '.join(kinds)}")
    normal = (float(msg.normal.x), float(msg.normal.y), float(msg.normal.z))
    return StructurePlane(
        int(msg.id), kinds[msg.kind], box_from_msg(msg.box), normal, float(msg.seen_m2)
    )


def snapshot_to_msg(snapshot: MemorySnapshot, map_frame: str) -> SceneGraph:
    objects = [object_to_msg(o) for o in snapshot.objects.values()]
    return graph_to_msg(
        snapshot, objects, [object_to_msg(o) for o in snapshot.gone.values()], map_frame
    )


def graph_to_msg(
    snapshot: MemorySnapshot, objects: list[SceneObject], gone: list[SceneObject], map_frame: str
) -> SceneGraph:
    """With objects that were converted before: a publisher keeps those that did not change."""
    msg = SceneGraph(
        header=header_to_msg(snapshot.stamp_ns, map_frame),
        revision=int(snapshot.revision),
        objects=objects,
        relations=[relation_to_msg(relation) for relation in snapshot.relations],
        has_world_t_camera=snapshot.world_T_camera is not None,
        gone=gone,
        levels=[int(snapshot.levels.get(object_id, 0)) for object_id in snapshot.objects],
        structure=[plane_to_msg(plane) for plane in snapshot.structure.values()],
    )
    if snapshot.world_T_camera is not None:
        msg.world_t_camera = pose_to_msg(snapshot.world_T_camera)
    return msg


def snapshot_from_msg(msg: SceneGraph) -> MemorySnapshot:
    """Raises GeometryError or RosError when a box, pose or relation makes no sense."""
    return MemorySnapshot(
        revision=int(msg.revision),
        stamp_ns=stamp_ns(msg.header.stamp),
        objects={int(thing.id): object_from_msg(thing) for thing in msg.objects},
        relations=tuple(relation_from_msg(relation) for relation in msg.relations),
        world_T_camera=pose_from_msg(msg.world_t_camera) if msg.has_world_t_camera else None,
        gone={int(thing.id): object_from_msg(thing) for thing in msg.gone},
        structure={int(plane.id): plane_from_msg(plane) for plane in msg.structure},
        levels={int(o.id): int(level) for o, level in zip(msg.objects, msg.levels, strict=True)},
    )
