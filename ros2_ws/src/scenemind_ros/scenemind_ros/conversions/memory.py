"""Key frames and corrections between messages and the library."""

from __future__ import annotations

import array
from dataclasses import replace
from typing import get_args

from sensor_msgs.msg import CompressedImage, RegionOfInterest

from scenemind.frames import FrameError
from scenemind.frames.compressed_depth import PNG_FORMAT, encode_depth_png
from scenemind.memory import Correction, DepthImage, Edit, KeyFrame
from scenemind.memory.types import EditKind
from scenemind_interfaces.msg import Correction as CorrectionMsg
from scenemind_interfaces.msg import KeyFrame as KeyFrameMsg
from scenemind_ros.conversions.geometry import (
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

_MOST_FRAMES = 32


def key_frame_to_msg(
    key_frame: KeyFrame, camera_frame: str, depth: DepthImage | None = None
) -> KeyFrameMsg:
    """Boxes are rounded to whole pixels, depth to whole millimetres."""
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
        depth=CompressedImage(header=header, format=PNG_FORMAT, data=array.array("B", png)),
        depth_every_px=0 if depth is None else int(depth.every_px),
    )


def key_frame_from_msg(msg: KeyFrameMsg) -> KeyFrame:
    """Raises GeometryError when camera or pose are none."""
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
    """None where there is none with the key frame.

    Raises:
        GeometryError: its camera is none.
        RosError: bytes that are no depth image, or whose size is not that of every n-th pixel of
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
    """
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
    """An entry to be made: without what the memory adds to it."""
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
    """Raises RosError when there is no such kind of correction."""
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
    """Without its anchors, which do not travel.

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
