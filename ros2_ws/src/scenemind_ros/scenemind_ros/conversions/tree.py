"""MemTree3D, as messages and as text, between messages and the library."""

from __future__ import annotations

from collections.abc import Iterable

from scenemind.memory import LocationNode, MemorySnapshot, ObjectTracklet
from scenemind.memory.tree.tree_json import TreeJson
from scenemind.memory.tree.tree_lines import Detail
from scenemind_interfaces.msg import LocationNode as LocationNodeMsg
from scenemind_interfaces.msg import MemTree
from scenemind_interfaces.msg import ObjectTracklet as ObjectTrackletMsg
from scenemind_interfaces.srv import GetMemTree
from scenemind_ros.conversions.geometry import (
    header_to_msg,
    point_to_msg,
    pose_to_msg,
    time_to_msg,
)

_NONE = -1  # what the interfaces write for an id that is not there


def tracklet_to_msg(tracklet: ObjectTracklet) -> ObjectTrackletMsg:
    return ObjectTrackletMsg(
        track_id=int(tracklet.track_id),
        object_id=_NONE if tracklet.object_id is None else int(tracklet.object_id),
        label=tracklet.label,
        detection_count=int(tracklet.detection_count),
        best_score=float(tracklet.best.score),
        best_frame_id=int(tracklet.best.frame_number),
        first_stamp=time_to_msg(tracklet.first_seen_ns),
        last_stamp=time_to_msg(tracklet.last_seen_ns),
        trajectory=[point_to_msg(xyz) for xyz in tracklet.trajectory.tolist()],
    )


def location_to_msg(location: LocationNode) -> LocationNodeMsg:
    first, last = location.frame_numbers
    return LocationNodeMsg(
        id=int(location.location_id),
        anchor=pose_to_msg(location.anchor),
        first_stamp=time_to_msg(location.first_stamp_ns),
        last_stamp=time_to_msg(location.last_stamp_ns),
        frame_count=int(last) - int(first) + 1,
        revisit_of=_NONE if location.revisit_of is None else int(location.revisit_of),
        tracklets=[
            tracklet_to_msg(t) for t in sorted(location.tracklets, key=lambda t: t.track_id)
        ],
    )


def tree_to_msg(
    locations: Iterable[LocationNodeMsg], count: int, snapshot: MemorySnapshot, map_frame: str
) -> MemTree:
    """Args: count: of all locations; `locations` may be the newest alone."""
    return MemTree(
        header=header_to_msg(snapshot.stamp_ns, map_frame),
        revision=snapshot.revision,
        location_count=count,
        locations=list(locations),
    )


def fill_tree_json(text: TreeJson, response: GetMemTree.Response) -> None:
    response.json, response.json_reading = text.text, text.reading
    response.json_tokens = text.tokens
    response.json_detail = int(text.detail)
    response.locations_left_out = text.locations_left_out
    response.objects_shown = text.objects_shown
    response.objects_left_out = text.objects_left_out
    response.clutter_level = text.clutter_level


def tree_json_from_msg(response: GetMemTree.Response) -> TreeJson:
    return TreeJson(
        text=response.json,
        tokens=int(response.json_tokens),
        detail=Detail(response.json_detail),
        reading=response.json_reading,
        locations_shown=response.json.count("\n"),
        locations_left_out=int(response.locations_left_out),
        objects_shown=int(response.objects_shown),
        objects_left_out=int(response.objects_left_out),
        clutter_level=float(response.clutter_level),
    )
