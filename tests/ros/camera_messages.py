"""Valid messages of a small camera in front of a wall, which tests change into invalid ones."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo, Image

from scenemind.geometry import PinholeCamera, Pose
from scenemind_ros.conversions import (
    camera_to_msg,
    color_to_msg,
    depth_to_msg,
    header_to_msg,
    odometry_to_msg,
)

CAMERA = PinholeCamera(64, 48, 60.0, 60.0, 31.5, 23.5)
WALL_M = 2.0
FIRST_NS = 1_000_000_000
STEP_NS = 33_333_333


@dataclass
class Moment:
    """The messages of one frame."""

    number: int
    odometry: Odometry = field(init=False)
    camera_info: CameraInfo = field(init=False)
    depth: Image = field(init=False)
    color: Image = field(init=False)

    def __post_init__(self) -> None:
        stamp = FIRST_NS + self.number * STEP_NS
        header = header_to_msg(stamp, "camera_color_optical_frame")
        shape = (CAMERA.height, CAMERA.width)
        self.odometry = odometry_to_msg(stamp, Pose.identity(), "map", "base_link")
        self.camera_info = camera_to_msg(CAMERA, stamp, header.frame_id)
        self.depth = depth_to_msg(np.full(shape, WALL_M, np.float32), header)
        self.color = color_to_msg(np.full((*shape, 3), 128, np.uint8), header)
