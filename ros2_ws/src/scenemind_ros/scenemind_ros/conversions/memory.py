"""Messages of key frames, corrections, MemTree3D, the frame index and the history."""

from __future__ import annotations

import array
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, RegionOfInterest

from scenemind.frames import FrameError
from scenemind.frames.images import DEPTH_PNG_FORMAT, encode_depth_png
from scenemind.geometry.pose import POSE_NUMBERS, matrices_of, poses_of
from scenemind.memory import (
    Correction,
    DepthImage,
    Edit,
    FrameIndex,
    KeyFrame,
    LocationNode,
    MemorySnapshot,
    ObjectTracklet,
)
from scenemind.memory.history import ChangeKind, PlaceAt, SceneChange, TimeSpan, Visit
from scenemind.memory.tree.tree_json import Detail, TreeJson
from scenemind.memory.types import EditKind
from scenemind_interfaces.msg import Correction as CorrectionMsg
from scenemind_interfaces.msg import KeyFrame as KeyFrameMsg
from scenemind_interfaces.msg import LocationNode as LocationNodeMsg
from scenemind_interfaces.msg import MemTree
from scenemind_interfaces.msg import ObjectTracklet as ObjectTrackletMsg
from scenemind_interfaces.msg import SceneChange as SceneChangeMsg
from scenemind_interfaces.msg import Visit as VisitMsg
from scenemind_interfaces.srv import GetFrameIndex, GetMemTree, WhereWas
from scenemind_ros.conversions.geometry import (
    box_from_msg,
    box_to_msg,
    camera_from_msg,
    camera_to_msg,
    header_to_msg,
    point_to_msg,
    pose_from_msg,
    pose_to_msg,
    stamp_ns,
    time_to_msg,
)
from scenemind_ros.conversions.images import depth_from_msg
from scenemind_ros.errors import RosError

KEY_FRAMES = 3  # if the request sets no number
_MOST_FRAMES = 32


def key_frame_to_msg(
    key_frame: KeyFrame, camera_frame: str, depth: DepthImage | None = None
) -> KeyFrameMsg:
    """Message of a key frame. Boxes are rounded to whole pixels, depth to whole millimetres."""
    header = header_to_msg(key_frame.stamp_ns, camera_frame)
    png = b"" if depth is None else encode_depth_png(depth.depth_m)
    return KeyFrameMsg(
        header=header,
        frame_id=int(key_frame.frame_number),
        location_id=int(key_frame.location_id),
        world_t_camera=pose_to_msg(key_frame.world_T_camera),
        camera_info=camera_to_msg(key_frame.camera, key_frame.stamp_ns, camera_frame),
        score=float(key_frame.score),
        object_ids=[int(object_id) for object_id in key_frame.boxes_px],
        boxes_px=[_region(box) for box in key_frame.boxes_px.values()],
        image=CompressedImage(header=header, format="jpeg", data=array.array("B", key_frame.jpeg)),
        depth=CompressedImage(header=header, format=DEPTH_PNG_FORMAT, data=array.array("B", png)),
        depth_every_px=0 if depth is None else int(depth.every_px),
    )


def key_frame_from_msg(msg: KeyFrameMsg) -> KeyFrame:
    """Key frame of a message; raises GeometryError if its camera or pose is invalid."""
    boxes = {
        int(object_id): (
            float(box.x_offset),
            float(box.y_offset),
            float(box.x_offset + box.width),
            float(box.y_offset + box.height),
        )
        for object_id, box in zip(msg.object_ids, msg.boxes_px, strict=False)
    }
    return KeyFrame(
        frame_number=int(msg.frame_id),
        stamp_ns=stamp_ns(msg.header.stamp),
        location_id=int(msg.location_id),
        camera=camera_from_msg(msg.camera_info),
        world_T_camera=pose_from_msg(msg.world_t_camera),
        jpeg=bytes(msg.image.data),
        score=float(msg.score),
        boxes_px=boxes,
    )


def depth_image_from_msg(msg: KeyFrameMsg) -> DepthImage | None:
    """Depth image of a key frame's message; None if it has none.

    Raises:
        GeometryError: its camera is invalid.
        RosError: the bytes are no depth image, or the size is not that of every n-th pixel of
            the colour image.
    """
    if not msg.depth.data:
        return None
    try:
        depth_m = depth_from_msg(msg.depth)
    except FrameError as error:
        raise RosError(f"depth of frame {msg.frame_id}: {error}") from error
    every_px = int(msg.depth_every_px)
    camera = camera_from_msg(msg.camera_info).subsampled(max(1, every_px))
    if every_px < 1 or depth_m.shape != (camera.height, camera.width):
        raise RosError(
            f"depth of frame {msg.frame_id} has {depth_m.shape} pixels, which is not every"
            f" {every_px}-th of {msg.camera_info.width}x{msg.camera_info.height}"
        )
    return DepthImage(depth_m, every_px, camera)


def check_frame_count(count: int) -> None:
    """Check the number of key frames in a request.

    Raises:
        RosError: none, or more than one response should carry with their images.
    """
    if not 1 <= count <= _MOST_FRAMES:
        raise RosError(f"{count} key frames are asked for: ask for 1 to {_MOST_FRAMES} at a time")


def _region(box_px: tuple[float, float, float, float]) -> RegionOfInterest:
    x0, y0, x1, y1 = (max(0, round(float(edge))) for edge in box_px)
    return RegionOfInterest(x_offset=x0, y_offset=y0, width=max(0, x1 - x0), height=max(0, y1 - y0))


def correction_to_msg(correction: Correction) -> CorrectionMsg:
    msg = edit_to_msg(correction.edit, correction.by, correction.reason)
    msg.id = int(correction.correction_id)
    msg.stamp = time_to_msg(correction.stamp_ns)
    msg.undone = bool(correction.undone)
    msg.undone_at = time_to_msg(correction.undone_ns)
    msg.new_ids = [int(object_id) for object_id in correction.edit.new_ids]
    return msg


def edit_to_msg(edit: Edit, by: str, reason: str) -> CorrectionMsg:
    """Entry of a request: without the fields that the memory adds."""
    return CorrectionMsg(
        kind=edit.kind,
        object_ids=[int(object_id) for object_id in edit.object_ids],
        key=edit.key,
        value=edit.value,
        places=[point_to_msg(place) for place in edit.places],
        by=by,
        reason=reason,
    )


def edit_from_msg(msg: CorrectionMsg) -> Edit:
    """Correction kind by name; raises RosError if there is none."""
    kinds: dict[str, EditKind] = {kind: kind for kind in get_args(EditKind)}
    if msg.kind not in kinds:
        raise RosError(f"no correction is called {msg.kind!r}: use one of {', '.join(kinds)}")
    return Edit(
        kinds[msg.kind],
        tuple(int(i) for i in msg.object_ids),
        msg.key,
        msg.value,
        places=tuple((place.x, place.y, place.z) for place in msg.places),
    )


def correction_from_msg(msg: CorrectionMsg) -> Correction:
    """Correction of a message, without its anchors, which are not sent.

    Raises:
        RosError: there is no such kind of correction.
    """
    return Correction(
        correction_id=int(msg.id),
        edit=replace(edit_from_msg(msg), new_ids=tuple(int(i) for i in msg.new_ids)),
        by=msg.by,
        reason=msg.reason,
        stamp_ns=stamp_ns(msg.stamp),
        undone_ns=stamp_ns(msg.undone_at),
    )


_NONE = -1  # the interfaces' value for a missing id


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
    """Message of the tree.

    Args:
        count: number of all locations; `locations` may be only the newest.
    """
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


_ARRAY_TYPES = {"int32": "i", "int64": "q", "float32": "f", "float64": "d"}


def fill_frame_index(
    index: FrameIndex, response: GetFrameIndex.Response, camera_frame: str
) -> None:
    """Write the index column by column: a memory has hundreds of thousands of detections."""
    response.frame_ids = _values(index.frame_numbers)
    response.stamps_ns = _values(index.stamps_ns)
    response.location_ids = _values(index.location_ids)
    response.world_t_camera = _values(poses_of(index.world_T_camera))
    response.camera_indices = _values(index.camera_indices)
    response.cameras = [camera_to_msg(camera, 0, camera_frame) for camera in index.cameras]
    response.detection_frames = _values(index.detection_frames)
    response.detection_labels = _values(index.detection_labels)
    response.detection_objects = _values(index.detection_objects)
    response.detection_scores = _values(index.detection_scores)
    response.detection_boxes_px = _values(index.detection_boxes_px)
    response.labels = list(index.labels)


def frame_index_from_msg(response: GetFrameIndex.Response) -> FrameIndex:
    """The frame index of a response.

    Raises:
        RosError: columns of different lengths, or a row that is not there.
        GeometryError: a camera or a pose is none.
    """
    frames, detections = len(response.frame_ids), len(response.detection_frames)
    poses = _column(response, "world_t_camera", np.float64, POSE_NUMBERS * frames)
    boxes_px = _column(response, "detection_boxes_px", np.float32, 4 * detections)
    return FrameIndex(
        frame_numbers=_column(response, "frame_ids", np.int32, frames),
        stamps_ns=_column(response, "stamps_ns", np.int64, frames),
        location_ids=_column(response, "location_ids", np.int32, frames),
        world_T_camera=matrices_of(poses.reshape(-1, POSE_NUMBERS)),
        camera_indices=_rows(response, "camera_indices", frames, len(response.cameras)),
        cameras=tuple(camera_from_msg(camera) for camera in response.cameras),
        detection_frames=_rows(response, "detection_frames", detections, frames),
        detection_labels=_rows(response, "detection_labels", detections, len(response.labels)),
        detection_objects=_column(response, "detection_objects", np.int32, detections),
        detection_scores=_column(response, "detection_scores", np.float32, detections),
        detection_boxes_px=boxes_px.reshape(-1, 4),
        labels=tuple(response.labels),
    )


def _values(column: NDArray[Any]) -> array.array[Any]:
    return array.array(_ARRAY_TYPES[column.dtype.name], column.tobytes())


def _rows(
    response: GetFrameIndex.Response, name: str, count: int, of_count: int
) -> NDArray[np.int32]:
    """Rows of another column with `of_count` entries, checked."""
    rows = _column(response, name, np.int32, count)
    if count and (rows.min() < 0 or rows.max() >= of_count):
        raise RosError(f"{name} of a frame index names rows beyond the {of_count} that there are")
    return rows


def _column(
    response: GetFrameIndex.Response, name: str, dtype: type[np.generic], count: int
) -> NDArray[Any]:
    column: NDArray[Any] = np.array(getattr(response, name), dtype)
    if len(column) != count:
        raise RosError(f"{name} of a frame index has {len(column)} values, not {count}")
    column.flags.writeable = False
    return column


def visit_to_msg(visit: Visit) -> VisitMsg:
    first, last = visit.frame_numbers
    return VisitMsg(
        number=int(visit.number),
        first_stamp=time_to_msg(visit.span.first_ns),
        last_stamp=time_to_msg(visit.span.last_ns),
        first_frame_id=int(first),
        last_frame_id=int(last),
    )


def visit_from_msg(msg: VisitMsg) -> Visit:
    span = TimeSpan(stamp_ns(msg.first_stamp), stamp_ns(msg.last_stamp))
    return Visit(int(msg.number), span, (int(msg.first_frame_id), int(msg.last_frame_id)))


def change_to_msg(change: SceneChange) -> SceneChangeMsg:
    msg = SceneChangeMsg(
        kind=change.kind,
        object_id=int(change.object_id),
        label=change.label,
        old_label=change.old_label,
        earlier_id=_NONE if change.earlier_id is None else int(change.earlier_id),
        distance_m=float(change.distance_m or 0.0),
    )
    if change.before is not None:
        msg.has_before, msg.before = True, box_to_msg(change.before)
    if change.after is not None:
        msg.has_after, msg.after = True, box_to_msg(change.after)
    if change.between_ns is not None:
        msg.has_between = True
        msg.last_before, msg.first_after = map(time_to_msg, change.between_ns)
    return msg


def change_from_msg(msg: SceneChangeMsg) -> SceneChange:
    """Change of a message; raises RosError for an unknown kind, GeometryError for an invalid
    box."""
    kinds: dict[str, ChangeKind] = {kind: kind for kind in get_args(ChangeKind)}
    if msg.kind not in kinds:
        raise RosError(f"a change is {msg.kind!r}, not one of {', '.join(kinds)}")
    between = (stamp_ns(msg.last_before), stamp_ns(msg.first_after))
    return SceneChange(
        kind=kinds[msg.kind],
        object_id=int(msg.object_id),
        label=msg.label,
        before=box_from_msg(msg.before) if msg.has_before else None,
        after=box_from_msg(msg.after) if msg.has_after else None,
        between_ns=between if msg.has_between else None,
        earlier_id=None if msg.earlier_id == _NONE else int(msg.earlier_id),
        old_label=msg.old_label,
    )


def fill_place(place: PlaceAt, response: WhereWas.Response) -> None:
    """Write the place of an object at a moment into the response."""
    response.box = box_to_msg(place.box)
    response.knowledge = place.knowledge
    response.first_seen = time_to_msg(place.first_seen_ns)
    response.last_seen = time_to_msg(place.last_seen_ns)
    if place.gone_ns is not None:
        response.has_gone, response.gone = True, time_to_msg(place.gone_ns)
