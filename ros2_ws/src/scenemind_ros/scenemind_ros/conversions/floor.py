"""Free floor and places to stand, between messages and the library."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from geometry_msgs.msg import Pose, PoseStamped, Quaternion
from nav_msgs.msg import OccupancyGrid as OccupancyGridMsg
from std_msgs.msg import Header

from scenemind.geometry import Pose as RigidPose
from scenemind.memory import MapObject
from scenemind.memory.occupancy.approach import ROBOT, ApproachPose, Purpose, Robot
from scenemind.memory.occupancy.grid import OccupancyGrid
from scenemind_interfaces import srv
from scenemind_ros.conversions.geometry import point_to_msg
from scenemind_ros.conversions.scene import object_to_msg
from scenemind_ros.errors import RosError

_POSES = 5  # if the request sets no number


def grid_to_msg(grid: OccupancyGrid, header: Header) -> OccupancyGridMsg:
    """Free, occupied and unknown cells, on the floor of the map frame."""
    msg = OccupancyGridMsg(header=header)
    msg.info.map_load_time = header.stamp
    msg.info.resolution = float(grid.resolution_m)
    msg.info.height, msg.info.width = (int(cells) for cells in grid.data.shape)
    msg.info.origin.position = point_to_msg((*grid.origin, grid.floor_z))
    msg.data = array("b", grid.data.tobytes())
    return msg


class ApproachWish(NamedTuple):
    """What a request asks for, as `Memory.approach_poses` takes it after the object."""

    purpose: Purpose
    stand_off_m: float | None
    robot: Robot
    k: int


def approach_wish(
    request: srv.GetApproachPose.Request, world_T_camera: RigidPose | None
) -> ApproachWish:
    """The wish of a request.

    Args:
        world_T_camera: the newest camera pose, for a request without the robot's place.

    Raises:
        RosError: no such purpose, or a place that is no number.
    """
    purposes: dict[str, Purpose] = {"": "look", "look": "look", "reach": "reach"}
    if request.purpose not in purposes:
        raise RosError(f"there is no purpose {request.purpose!r}: say look or reach")
    place: tuple[float, float] | None = None
    if request.has_robot:
        place = request.robot.x, request.robot.y
        if not all(map(math.isfinite, place)):
            raise RosError(f"the robot's place is {place}: give metres in map_frame")
    elif world_T_camera is not None:
        place = float(world_T_camera.translation[0]), float(world_T_camera.translation[1])
    radius_m = float(request.robot_radius_m) or ROBOT.radius_m
    return ApproachWish(
        purposes[request.purpose],
        float(request.stand_off_m) or None,
        Robot(radius_m, None if request.anywhere else place),
        int(request.k) or _POSES,
    )


def fill_approach(
    thing: MapObject,
    poses: Sequence[ApproachPose],
    header: Header,
    response: srv.GetApproachPose.Response,
) -> None:
    """Write a thing and poses in front of it, best first, into a response."""
    response.object = object_to_msg(thing)
    response.poses = [
        PoseStamped(
            header=header,
            pose=Pose(
                position=point_to_msg((pose.x, pose.y, pose.z)),
                orientation=Quaternion(z=math.sin(pose.yaw / 2.0), w=math.cos(pose.yaw / 2.0)),
            ),
        )
        for pose in poses
    ]
    response.scores = [pose.score for pose in poses]
    response.stand_offs_m = [pose.stand_off_m for pose in poses]
    response.visible = [pose.visible for pose in poses]


def approach_from_response(response: srv.GetApproachPose.Response) -> list[ApproachPose]:
    """The poses of a response, best first."""
    return [
        ApproachPose(
            x=at.pose.position.x,
            y=at.pose.position.y,
            z=at.pose.position.z,
            yaw=2.0 * math.atan2(at.pose.orientation.z, at.pose.orientation.w),
            score=float(score),
            stand_off_m=float(stand_off_m),
            visible=float(visible),
        )
        for at, score, stand_off_m, visible in zip(
            response.poses, response.scores, response.stand_offs_m, response.visible, strict=True
        )
    ]
