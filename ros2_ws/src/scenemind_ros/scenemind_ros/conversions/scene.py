"""Messages of objects, relations and the building, and RViz markers for them."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Iterable
from typing import get_args

import numpy as np
from geometry_msgs.msg import Vector3
from numpy.typing import NDArray
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot, Relation, Stay, StructurePlane
from scenemind.memory.graph.relations import CARRYING
from scenemind.memory.types import AttributeSource, StructureKind
from scenemind_interfaces.msg import Attribute, SceneGraph, SceneObject, SceneObjectArray
from scenemind_interfaces.msg import Relation as RelationMsg
from scenemind_interfaces.msg import Stay as StayMsg
from scenemind_interfaces.msg import StructurePlane as StructurePlaneMsg
from scenemind_ros.conversions.geometry import (
    box_from_msg,
    box_to_msg,
    header_to_msg,
    point_to_msg,
    pose_from_msg,
    pose_to_msg,
    stamp_ns,
    time_to_msg,
)
from scenemind_ros.errors import RosError
from scenemind_ros.optional_ros import create_cloud

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
    """Object of a message; raises GeometryError if the box is invalid."""
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
        possible_labels=list(thing.label_probabilities),
        probabilities=[float(p) for p in thing.label_probabilities.values()],
        measured_share=float(thing.measured_share),
        is_ghost=bool(thing.is_ghost),
    )


def object_from_msg(msg: SceneObject) -> MapObject:
    """Objects of a message; raises GeometryError if a box is invalid."""
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
        label_probabilities=dict(zip(msg.possible_labels, msg.probabilities, strict=False)),
        measured_share=float(msg.measured_share),
        is_ghost=bool(msg.is_ghost),
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
    """Relation of a message; raises RosError if the source is neither geometry nor user."""
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
    """Plane of a message; raises RosError for an unknown kind, GeometryError for an invalid box."""
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
    """A scene graph from converted objects: a publisher caches those that did not change."""
    msg = SceneGraph(
        header=header_to_msg(snapshot.stamp_ns, map_frame),
        revision=int(snapshot.revision),
        objects=objects,
        relations=[relation_to_msg(relation) for relation in snapshot.relations],
        denied=[relation_to_msg(relation) for relation in snapshot.denied],
        has_world_t_camera=snapshot.world_T_camera is not None,
        gone=gone,
        levels=[int(snapshot.levels.get(object_id, 0)) for object_id in snapshot.objects],
        structure=[plane_to_msg(plane) for plane in snapshot.structure.values()],
    )
    if snapshot.world_T_camera is not None:
        msg.world_t_camera = pose_to_msg(snapshot.world_T_camera)
    return msg


def snapshot_from_msg(msg: SceneGraph) -> MemorySnapshot:
    """Scene graph of a message; raises GeometryError or RosError if a box, pose or relation is
    invalid."""
    return MemorySnapshot(
        revision=int(msg.revision),
        stamp_ns=stamp_ns(msg.header.stamp),
        objects={int(thing.id): object_from_msg(thing) for thing in msg.objects},
        relations=tuple(relation_from_msg(relation) for relation in msg.relations),
        world_T_camera=pose_from_msg(msg.world_t_camera) if msg.has_world_t_camera else None,
        gone={int(thing.id): object_from_msg(thing) for thing in msg.gone},
        structure={int(plane.id): plane_from_msg(plane) for plane in msg.structure},
        levels={int(o.id): int(level) for o, level in zip(msg.objects, msg.levels, strict=True)},
        denied=tuple(relation_from_msg(relation) for relation in msg.denied),
    )


_TEXT_HEIGHT_M = 0.12
_THINNEST_M = 0.01  # RViz draws no cube without thickness
_LINE_M = 0.01
_BUILDING_COLOR = ColorRGBA(r=1.0, g=1.0, b=1.0, a=0.2)
_CARRYING_COLOR = ColorRGBA(r=0.5, g=0.8, b=1.0, a=0.6)
# Edges between `Box3D.corners`: around the bottom, around the top, and between them.
_EDGES = np.array(
    [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
)
_CLOUD_FIELDS = [
    PointField(name="x", offset=0, datatype=PointField.FLOAT32, count=1),
    PointField(name="y", offset=4, datatype=PointField.FLOAT32, count=1),
    PointField(name="z", offset=8, datatype=PointField.FLOAT32, count=1),
    PointField(name="rgb", offset=12, datatype=PointField.UINT32, count=1),
]
_CLOUD_POINT = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("rgb", "<u4")])


def label_rgb(label: str) -> tuple[float, float, float]:
    """Colour in [0, 1] of a label, the same on every machine and in every run."""
    hue = (zlib.crc32(label.encode()) % 360) / 360.0
    return colorsys.hsv_to_rgb(hue, 0.65, 0.95)


def object_to_markers(thing: MapObject, header: Header) -> list[Marker]:
    """A transparent cube in the object's orientation, and its name above it, both with its id."""
    r, g, b = label_rgb(thing.label)
    box = box_to_msg(thing.yaw_box)
    length, width, height = (max(_THINNEST_M, float(edge)) for edge in thing.yaw_box.size)
    cube = Marker(
        header=header,
        ns="boxes",
        id=int(thing.object_id),
        type=Marker.CUBE,
        action=Marker.ADD,
        pose=box.center,
        scale=Vector3(x=length, y=width, z=height),
        color=ColorRGBA(r=r, g=g, b=b, a=0.35),
    )
    name = Marker(
        header=header,
        ns="names",
        id=int(thing.object_id),
        type=Marker.TEXT_VIEW_FACING,
        action=Marker.ADD,
        scale=Vector3(x=0.0, y=0.0, z=_TEXT_HEIGHT_M),
        color=ColorRGBA(r=1.0, g=1.0, b=1.0, a=0.9),
        text=f"{thing.label} {thing.object_id}",
    )
    x, y, _ = thing.yaw_box.center
    name.pose.position = point_to_msg((x, y, thing.yaw_box.top_z + _TEXT_HEIGHT_M))
    return [cube, name]


def building_to_markers(planes: Iterable[StructurePlane], header: Header) -> list[Marker]:
    """Faint outlines of floor and walls, with their ids; a ceiling would cover everything."""
    return [
        _lines(
            "building", plane.plane_id, plane.box.corners()[_EDGES.ravel()], _BUILDING_COLOR, header
        )
        for plane in planes
        if plane.kind != "ceiling"
    ]


def carrying_to_markers(snapshot: MemorySnapshot, header: Header) -> list[Marker]:
    """A line from each object to its support: to its centre, or to the nearest point of a plane.

    One marker for all lines, in its own namespace `carrying`, which a viewer can hide; none without
    lines: RViz rejects line lists without points.
    """
    ends: list[NDArray[np.float64]] = []
    for relation in snapshot.relations:
        if relation.predicate in CARRYING and relation.subject_id in snapshot.objects:
            start = np.array(snapshot.objects[relation.subject_id].yaw_box.center)
            plane = snapshot.structure.get(relation.object_id)
            if plane is not None:
                ends += [start, _nearest(plane.box, start)]
            elif relation.object_id in snapshot.objects:
                ends += [start, np.array(snapshot.objects[relation.object_id].yaw_box.center)]
    return [_lines("carrying", 0, ends, _CARRYING_COLOR, header)] if ends else []


def markers_to_msg(markers: Iterable[Marker], header: Header) -> MarkerArray:
    """All markers of the scene; they replace the earlier ones."""
    return MarkerArray(markers=[Marker(header=header, action=Marker.DELETEALL), *markers])


def objects_to_cloud(objects: Iterable[MapObject], header: Header) -> PointCloud2:
    """The surface samples of all objects, in the colours of their labels."""
    parts = []
    for thing in objects:
        part = np.empty(len(thing.points), _CLOUD_POINT)
        part["x"], part["y"], part["z"] = thing.points.T
        r, g, b = (round(255 * channel) for channel in label_rgb(thing.label))
        part["rgb"] = r << 16 | g << 8 | b
        parts.append(part)
    points = np.concatenate(parts) if parts else np.empty(0, _CLOUD_POINT)
    if not len(points):  # sensor_msgs_py refuses an array without elements
        step = _CLOUD_POINT.itemsize
        return PointCloud2(header=header, height=1, fields=_CLOUD_FIELDS, point_step=step)
    return create_cloud(header, _CLOUD_FIELDS, points)


def _lines(
    namespace: str,
    number: int,
    ends: Iterable[NDArray[np.float64]],
    color: ColorRGBA,
    header: Header,
) -> Marker:
    """Line marker.

    Args:
        ends: (3,), world, metres: each pair of them is a line.
    """
    marker = Marker(
        header=header,
        ns=namespace,
        id=int(number),
        type=Marker.LINE_LIST,
        action=Marker.ADD,
        scale=Vector3(x=_LINE_M, y=0.0, z=0.0),
        color=color,
        points=[point_to_msg(end) for end in ends],
    )
    marker.pose.orientation.w = 1.0
    return marker


def _nearest(box: Box3D, point: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point (3,) of a box that is nearest to another box."""
    cos, sin = np.cos(box.yaw), np.sin(box.yaw)
    turn = np.array([(cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0)])
    half = np.array(box.size) / 2.0
    inside: NDArray[np.float64] = np.clip((point - box.center) @ turn, -half, half)
    nearest: NDArray[np.float64] = turn @ inside + box.center
    return nearest
