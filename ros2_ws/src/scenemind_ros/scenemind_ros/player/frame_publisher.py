"""The messages of one recorded frame, on the topics of a camera driver and of odometry."""

from __future__ import annotations

from typing import Any

from nav_msgs.msg import Odometry
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import String

from scenemind.frames import RecordedSequence, SensorFrame
from scenemind.simulation import SimulatedSequence
from scenemind_ros.conversions import (
    camera_to_msg,
    color_to_msg,
    depth_to_msg,
    header_to_msg,
    instance_names_to_msg,
    instances_to_msg,
    odometry_to_msg,
)
from scenemind_ros.parameters import pose_from_list
from scenemind_ros.player.parameters import PlayerParameters
from scenemind_ros.qos import LATCHED, SENSOR_OUT

_DELIVERY_S = 5.0


class FramePublisher:
    """Publishes what the sequence has: depth aligned or with its own calibration, instances."""

    def __init__(
        self, node: Node, sequence: RecordedSequence, parameters: PlayerParameters
    ) -> None:
        self._sequence = sequence
        self._parameters = parameters
        self._camera_T_base = pose_from_list(parameters.base_T_camera).inverse()
        topics = parameters.topics
        wanted: list[tuple[str, type, str]] = [
            ("odometry", Odometry, topics.odometry),
            ("camera_info", CameraInfo, topics.camera_info),
            ("depth", Image, topics.depth),
            ("color", Image, topics.color),
        ]
        if sequence.depth_calibration is not None:
            wanted.append(("depth_camera_info", CameraInfo, topics.depth_camera_info))
            pose = sequence.depth_calibration.color_T_depth
            numbers = [*pose.translation, *pose.quaternion_xyzw()]
            values = ", ".join(f"{number:.6f}" for number in numbers)  # ROS takes no 0 among floats
            node.get_logger().info(
                "depth is not aligned to colour; the mapping node needs depth.aligned:=false"
                f' depth.color_T_depth:="[{values}]"'
            )
        self._names: Publisher[String] | None = None
        if isinstance(sequence, SimulatedSequence):
            wanted.append(("instances", Image, topics.instances))
            self._names = node.create_publisher(String, topics.instance_names, LATCHED)
            self._names.publish(instance_names_to_msg(sequence.class_names))
        self._publishers: dict[str, Publisher[Any]] = {
            stream: node.create_publisher(kind, topic, SENSOR_OUT) for stream, kind, topic in wanted
        }

    def unread_topics(self) -> list[str]:
        """Topics that nobody subscribes to yet; instances are for those who can use them."""
        return [
            publisher.topic_name
            for stream, publisher in self._publishers.items()
            if stream != "instances" and publisher.get_subscription_count() == 0
        ]

    def publish(self, frame: SensorFrame) -> None:
        """Pose and calibration before the images, so that these complete a frame at once."""
        header = header_to_msg(frame.stamp_ns, self._parameters.camera_frame)
        calibration = self._sequence.depth_calibration
        self._send(
            "odometry",
            odometry_to_msg(
                frame.stamp_ns,
                frame.world_T_camera @ self._camera_T_base,
                self._parameters.map_frame,
                self._parameters.base_frame,
            ),
        )
        info = camera_to_msg(self._sequence.camera, frame.stamp_ns, header.frame_id)
        self._send("camera_info", info)
        depth_header = header
        if calibration is not None:
            depth_header = header_to_msg(frame.stamp_ns, "camera_depth_optical_frame")
            self._send(
                "depth_camera_info",
                camera_to_msg(calibration.camera, frame.stamp_ns, depth_header.frame_id),
            )
        self._send("depth", depth_to_msg(frame.depth_m, depth_header))
        if frame.instances is not None and "instances" in self._publishers:
            self._send("instances", instances_to_msg(frame.instances, header))
        self._send("color", color_to_msg(frame.color, header))

    def wait_until_delivered(self) -> None:
        """Reliable readers have everything, or five seconds have passed."""
        for publisher in self._publishers.values():
            publisher.wait_for_all_acked(Duration(seconds=_DELIVERY_S))

    def _send(self, stream: str, message: object) -> None:
        self._publishers[stream].publish(message)
