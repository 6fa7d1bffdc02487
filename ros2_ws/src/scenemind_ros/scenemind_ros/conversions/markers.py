"""The scene as markers and points for RViz."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Iterable

import numpy as np
from geometry_msgs.msg import Vector3
from numpy.typing import NDArray
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot, StructurePlane
from scenemind.memory.graph.relations.names import CARRYING
from scenemind_ros.conversions.geometry import box_to_msg, point_to_msg
from scenemind_ros.optional_ros import create_cloud

_TEXT_HEIGHT_M = 0.12
_THINNEST_M = 0.01  # RViz draws no cube without thickness
_LINE_M = 0.01
_BUILDING_COLOR = ColorRGBA(r=1.0, g=1.0, b=1.0, a=0.2)
_CARRYING_COLOR = ColorRGBA(r=0.5, g=0.8, b=1.0, a=0.6)
# Of `Box3D.corners`: around the bottom, around the top, and between them.
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
    """A colour in [0, 1] that a label always has, on every machine and in every run."""
    hue = (zlib.crc32(label.encode()) % 360) / 360.0
    return colorsys.hsv_to_rgb(hue, 0.65, 0.95)


def object_to_markers(thing: MapObject, header: Header) -> list[Marker]:
    """A see-through cube, turned as the object is, and the name above it, both with its id."""
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
    """Faint outlines of floor and walls, with their ids; a ceiling would lie over everything."""
    return [
        _lines(
            "building", plane.plane_id, plane.box.corners()[_EDGES.ravel()], _BUILDING_COLOR, header
        )
        for plane in planes
        if plane.kind != "ceiling"
    ]


def carrying_to_markers(snapshot: MemorySnapshot, header: Header) -> list[Marker]:
    """A line from each object to what carries it: to its middle, or the nearest of the building.

    One marker for all of them, in a namespace of its own, `carrying`, that a viewer can switch off;
    none where nothing is carried: RViz refuses lines without points.
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
    """The whole picture: what was drawn before and is not in here goes away."""
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
    """Args: ends: (3,), world, metres: each two of them are a line."""
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
    """The point (3,) of a box that is nearest to another one."""
    cos, sin = np.cos(box.yaw), np.sin(box.yaw)
    turn = np.array([(cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0)])
    half = np.array(box.size) / 2.0
    inside: NDArray[np.float64] = np.clip((point - box.center) @ turn, -half, half)
    nearest: NDArray[np.float64] = turn @ inside + box.center
    return nearest
