"""ROS messages of a bag to the library's types, by the fields that they have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.compressed_depth import decode_compressed_depth
from scenemind.frames.encodings import decode_color, decode_color_file, decode_depth
from scenemind.frames.errors import FrameError
from scenemind.geometry import GeometryError, PinholeCamera, Pose


def stamp_ns(message: Any) -> int:
    """When the message's header says that it was taken."""
    stamp = message.header.stamp
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def color_of(message: Any) -> NDArray[np.uint8]:
    """Image or CompressedImage to (H, W, 3) uint8 RGB. Raises FrameError."""
    if hasattr(message, "format"):
        return decode_color_file(message.data)
    return decode_color(message.data, message.encoding, message.height, message.width, message.step)


def color_file_of(message: Any) -> bytes:
    """The JPEG or PNG that a CompressedImage carries; empty for an Image."""
    return message.data.tobytes() if hasattr(message, "format") else b""


def depth_of(message: Any) -> NDArray[np.float32]:
    """Image or CompressedImage to (h, w) float32 metres, 0 not measured. Raises FrameError."""
    if hasattr(message, "format"):
        return decode_compressed_depth(message.data, message.format)
    return decode_depth(
        message.data,
        message.encoding,
        message.height,
        message.width,
        message.step,
        bool(message.is_bigendian),
    )


def camera_of(message: Any) -> PinholeCamera:
    """CameraInfo to intrinsics. Raises FrameError for a camera that is not calibrated."""
    k = [float(value) for value in message.k]
    try:
        return PinholeCamera(int(message.width), int(message.height), k[0], k[4], k[2], k[5])
    except GeometryError as error:
        raise FrameError(f"camera_info of frame {message.header.frame_id!r}: {error}") from error


def pose_of(message: Any) -> Pose:
    """geometry_msgs/Pose to a pose. Raises GeometryError where it is none."""
    p, q = message.position, message.orientation
    return Pose.from_quaternion((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def pose_of_transform(message: Any) -> Pose:
    """geometry_msgs/Transform to a pose. Raises GeometryError where it is none."""
    t, q = message.translation, message.rotation
    return Pose.from_quaternion((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))
