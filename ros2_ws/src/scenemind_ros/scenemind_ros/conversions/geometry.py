"""Stamps, poses, boxes and cameras between messages and the library.

Interface fields take Python's own numbers only: a numpy scalar silently becomes garbage
unless field checks are on. Hence `float()` and `int()` on everything that goes into a message.
"""

from __future__ import annotations

from collections.abc import Iterable

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Quaternion, Transform, Vector3
from geometry_msgs.msg import Pose as PoseMsg
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo
from std_msgs.msg import Header

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind_interfaces.msg import BoundingBox3D
from scenemind_ros.optional_ros import euler_from_quaternion, quaternion_from_euler

_NS_PER_S = 1_000_000_000


def stamp_ns(stamp: Time) -> int:
    return int(stamp.sec) * _NS_PER_S + int(stamp.nanosec)


def time_to_msg(stamp: int) -> Time:
    """The stamp of nanoseconds since the epoch of the sender's clock."""
    sec, nanosec = divmod(int(stamp), _NS_PER_S)
    return Time(sec=sec, nanosec=nanosec)


def header_to_msg(stamp: int, frame_id: str) -> Header:
    return Header(stamp=time_to_msg(stamp), frame_id=frame_id)


def drawn_header(frame_id: str) -> Header:
    """Of what is only drawn. Without a stamp RViz takes the newest transform; what a map has of an
    earlier run is older than all that TF knows, and would not be shown in another frame."""
    return header_to_msg(0, frame_id)


def point_to_msg(xyz: Iterable[float]) -> Point:
    """A point from any three numbers, in metres."""
    x, y, z = xyz
    return Point(x=float(x), y=float(y), z=float(z))


def pose_to_msg(pose: Pose) -> PoseMsg:
    x, y, z, w = pose.quaternion_xyzw().tolist()
    return PoseMsg(
        position=point_to_msg(pose.translation), orientation=Quaternion(x=x, y=y, z=z, w=w)
    )


def transform_to_msg(pose: Pose) -> Transform:
    """A pose as TF has it."""
    (x, y, z), turn = pose.translation.tolist(), pose_to_msg(pose).orientation
    return Transform(translation=Vector3(x=x, y=y, z=z), rotation=turn)


def pose_from_msg(msg: PoseMsg) -> Pose:
    """Pose of a message; raises GeometryError if the quaternion is no rotation or a number is not
    finite."""
    p, q = msg.position, msg.orientation
    return Pose.from_quaternion((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def odometry_to_msg(stamp: int, world_T_base: Pose, world_frame: str, base_frame: str) -> Odometry:
    msg = Odometry(header=header_to_msg(stamp, world_frame), child_frame_id=base_frame)
    msg.pose.pose = pose_to_msg(world_T_base)
    return msg


def box_to_msg(box: Box3D) -> BoundingBox3D:
    x, y, z, w = (float(value) for value in quaternion_from_euler(0.0, 0.0, box.yaw))
    length, width, height = (float(edge) for edge in box.size)
    return BoundingBox3D(
        center=PoseMsg(
            position=point_to_msg(box.center), orientation=Quaternion(x=x, y=y, z=z, w=w)
        ),
        size=Vector3(x=length, y=width, z=height),
    )


def box_from_msg(msg: BoundingBox3D) -> Box3D:
    """Box of a message. Boxes are upright: only the yaw of the orientation counts.

    Raises:
        GeometryError: NaN, infinity, a negative size or a quaternion that is no rotation.
    """
    center = pose_from_msg(msg.center)
    yaw = float(euler_from_quaternion(center.quaternion_xyzw())[2])
    x, y, z = center.translation.tolist()
    return Box3D((x, y, z), (msg.size.x, msg.size.y, msg.size.z), yaw)


def camera_to_msg(camera: PinholeCamera, stamp: int, frame_id: str) -> CameraInfo:
    fx, fy, cx, cy = (float(v) for v in (camera.fx, camera.fy, camera.cx, camera.cy))
    return CameraInfo(
        header=header_to_msg(stamp, frame_id),
        width=int(camera.width),
        height=int(camera.height),
        distortion_model="plumb_bob",
        d=[0.0] * 5,
        k=[fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
    )


def camera_from_msg(msg: CameraInfo) -> PinholeCamera:
    """Camera of a message; raises GeometryError if the matrix K is zero (no calibration)."""
    k = msg.k
    return PinholeCamera(
        int(msg.width), int(msg.height), float(k[0]), float(k[4]), float(k[2]), float(k[5])
    )
