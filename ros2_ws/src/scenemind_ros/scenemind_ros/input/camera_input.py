"""The input topics of the mapping node, from names to frames."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import String

from scenemind.frames import FrameError
from scenemind.geometry import GeometryError, Pose
from scenemind_ros.conversions import instance_names_from_msg, stamp_ns
from scenemind_ros.input.frame_assembler import (
    DropCounts,
    FrameAssembler,
    ImageMsg,
    UndecodedFrame,
)
from scenemind_ros.input.mounting import CameraMounting
from scenemind_ros.input.world_frame import CLOCK_BACK_NS, TfTree, WorldFrame
from scenemind_ros.parameters import MappingParameters
from scenemind_ros.qos import Reliability, describe_qos, matching_qos

Handlers = Mapping[type, Callable[[Any], None]]


class TopicReader:
    """Counter and dispatcher of one topic's messages.

    Attributes:
        topic: its name as configured.
        received: messages so far.
        heard_at: `time.monotonic()` of the newest message, or of the start.
    """

    def __init__(
        self, node: Node, topic: str, handlers: Handlers, reliability: Reliability = "auto"
    ) -> None:
        """Set handlers by message type: the publisher's type selects one."""
        self.topic = node.resolve_topic_name(topic)
        self.received = 0
        self.heard_at = time.monotonic()
        self._node = node
        self._handlers = {_type_name(kind): (kind, call) for kind, call in handlers.items()}
        self._reliability = reliability
        self._subscription: Subscription[Any] | None = None
        self._subscribed: tuple[str, QoSProfile] | None = None

    @property
    def type_names(self) -> frozenset[str]:
        """The message types that it reads, such as `sensor_msgs/msg/Image`."""
        return frozenset(self._handlers)

    def poll(self) -> None:
        """Subscribe once there is a publisher, and again if its type or QoS changes."""
        usable = [p for p in self.publishers() if p.topic_type in self._handlers]
        if not usable:
            return
        # One publisher of two types on one topic is a mistake; the first type is used.
        topic_type = usable[0].topic_type
        same_type = [p for p in usable if p.topic_type == topic_type]
        wanted = (topic_type, matching_qos(same_type, self._reliability))
        if self._subscribed == wanted:
            return
        self.close()
        kind, call = self._handlers[topic_type]

        def count_and_call(message: Any) -> None:
            self.received += 1
            self.heard_at = time.monotonic()
            call(message)

        self._subscription = self._node.create_subscription(
            kind, self.topic, count_and_call, wanted[1]
        )
        self._subscribed = wanted
        self._node.get_logger().info(
            f"reading {self.topic} ({topic_type}, {describe_qos(wanted[1])})"
        )

    def publishers(self) -> list[TopicEndpointInfo]:
        return list(self._node.get_publishers_info_by_topic(self.topic))

    def describe_silence(self) -> str:
        """Possible reasons for silence: no publisher, another type, another QoS."""
        publishers = self.publishers()
        if not publishers:
            return f"{self.topic} has no publisher"
        offers = ", ".join(
            f"{p.node_name} ({p.topic_type}, {describe_qos(p.qos_profile)})" for p in publishers
        )
        if self._subscribed is None:
            wanted = " or ".join(sorted(self.type_names))
            return f"{self.topic} is published by {offers}, but {wanted} is needed"
        return (
            f"{self.topic} is published by {offers} and read {describe_qos(self._subscribed[1])},"
            " but nothing arrives: is the publisher paused, qos.reliability wrong, or the"
            " ROS_DOMAIN_ID or network between two machines?"
        )

    def close(self) -> None:
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
        self._subscription = None
        self._subscribed = None


def _type_name(kind: type) -> str:
    return f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"


_WAITING = 30  # images that wait for their transform; older ones are dropped


class TfPoses:
    """Lookup of map <- camera at the stamp of every colour image, as soon as TF has it."""

    def __init__(
        self,
        node: Node,
        map_frame: str,
        deliver: Callable[[int, Pose], None],
        drops: DropCounts,
    ) -> None:
        """`deliver` gets the stamp in ns and `world_T_camera`, in the order of stamps.

        Raises:
            ConfigError: tf2_ros is not installed.
        """
        self._tree = TfTree(node, drops)
        self._map_frame = map_frame
        self._deliver = deliver
        self._drops = drops
        self._waiting: deque[tuple[int, str]] = deque(maxlen=_WAITING)
        self._newest_ns = 0

    def want(self, stamp: int, camera_frame: str) -> None:
        """Add a colour image with this stamp and frame."""
        self._tree.at(stamp)
        if stamp < self._newest_ns - CLOCK_BACK_NS:
            self._waiting.clear()
        self._newest_ns = stamp
        self._waiting.append((stamp, camera_frame))
        self.poll()

    def poll(self) -> None:
        """Deliver the transforms that TF has now; an image older than a delivered one is
        dropped."""
        for stamp, camera_frame in tuple(self._waiting):
            try:
                pose = self._tree.find(self._map_frame, camera_frame, stamp)
            except GeometryError as error:
                self._drops.count("bad_pose", f"{self._map_frame} to {camera_frame}: {error}")
                self._waiting.remove((stamp, camera_frame))
                continue
            if pose is None:
                continue
            while self._waiting.popleft() != (stamp, camera_frame):
                pass
            self._deliver(stamp, pose)

    def close(self) -> None:
        self._tree.close()


class CameraInput:
    """Reader of camera and odometry topics that delivers whole frames.

    Attributes:
        readers: by content, such as `color`.
        drops: dropped messages and frames, by cause.
        world: the frame that poses are in.
        mounting: of the camera on odometry's base; None where TF gives the camera's pose.
    """

    def __init__(
        self,
        node: Node,
        parameters: MappingParameters,
        deliver: Callable[[UndecodedFrame], None],
        name_instances: Callable[[Mapping[int, str]], None],
    ) -> None:
        """`name_instances` gets a simulator's instance names on each message.

        Raises:
            ConfigError: the pose source is TF, and tf2_ros is not installed.
        """
        self.drops = DropCounts(node.get_logger())
        self.mounting: CameraMounting | None = None
        self.assembler = FrameAssembler(parameters, deliver, self.drops)
        self.world = WorldFrame(
            node,
            parameters.map_frame,
            self.assembler.add_base_pose,
            self.drops,
            is_begun_here=parameters.publish.map_to_odom,
        )
        self._name_instances = name_instances
        self._tf: TfPoses | None = None
        self._base_frame: str | None = None
        if parameters.pose_source == "tf":
            self._tf = TfPoses(
                node, parameters.map_frame, self.assembler.add_camera_pose, self.drops
            )
        else:
            self.mounting = CameraMounting(node, parameters.base_T_camera, self.assembler.mount)
            self.assembler.waits_for_mounting = not self.mounting.is_settled
        topics = parameters.topics
        self.readers = {
            stream: TopicReader(node, topic, handlers, parameters.qos.reliability)
            for stream, topic, handlers in self._streams(parameters)
            if topic
        }
        if not topics.instances:
            self.readers.pop("instance_names", None)

    def _streams(self, parameters: MappingParameters) -> list[tuple[str, str, Handlers]]:
        topics, into = parameters.topics, self.assembler
        streams: list[tuple[str, str, Handlers]] = [
            ("color", topics.color, _images(self._add_color)),
            ("depth", topics.depth, _images(into.add_depth)),
            ("camera_info", topics.camera_info, {CameraInfo: into.add_camera_info}),
            ("instances", topics.instances, {Image: into.add_instances}),
            ("instance_names", topics.instance_names, {String: self._add_names}),
        ]
        if not parameters.depth.aligned:
            handler = {CameraInfo: into.add_depth_camera_info}
            streams.append(("depth_camera_info", topics.depth_camera_info, handler))
        if self._tf is None:
            streams.append(("odometry", topics.odometry, {Odometry: self._add_odometry}))
        return streams

    def dropped(self) -> dict[str, int]:
        """Counts of all drops, by cause."""
        both = {**self.assembler.sync_counts, **self.drops.counts()}
        return {cause: count for cause, count in sorted(both.items()) if count}

    def poll(self) -> None:
        """Look for publishers; call it a few times a second."""
        for reader in self.readers.values():
            reader.poll()
        self.world.poll()
        if self.mounting is not None:
            self.mounting.poll()
        if self._tf is not None:
            self._tf.poll()

    def close(self) -> None:
        for reader in self.readers.values():
            reader.close()
        self.world.close()
        if self.mounting is not None:
            self.mounting.close()
        if self._tf is not None:
            self._tf.close()

    def _add_odometry(self, msg: Odometry) -> None:
        pose = self.assembler.read_odometry(msg)
        self._base_frame = msg.child_frame_id
        if pose is not None:
            self.world.add(stamp_ns(msg.header.stamp), msg.header.frame_id, pose)

    def _add_color(self, msg: ImageMsg) -> None:
        if self.mounting is not None and self._base_frame is not None:
            self.mounting.look(self._base_frame, msg.header.frame_id, stamp_ns(msg.header.stamp))
        self.assembler.add_color(msg)
        if self._tf is not None:
            self._tf.want(stamp_ns(msg.header.stamp), msg.header.frame_id)

    def _add_names(self, msg: String) -> None:
        try:
            names = instance_names_from_msg(msg)
        except FrameError as error:
            self.drops.count("bad_instance_names", str(error))
            return
        self._name_instances(names)


def _images(call: Callable[[ImageMsg], None]) -> Handlers:
    return {Image: call, CompressedImage: call}
