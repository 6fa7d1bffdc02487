"""The input topics of the mapping node, from names to frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import String

from scenemind.frames import FrameError, RGBDFrame
from scenemind_ros.conversions import instance_names_from_msg, stamp_ns
from scenemind_ros.input.drops import DropCounts
from scenemind_ros.input.frame_assembler import FrameAssembler, ImageMsg
from scenemind_ros.input.tf_poses import TfPoses
from scenemind_ros.input.topic_reader import Handlers, TopicReader
from scenemind_ros.parameters import MappingParameters


class CameraInput:
    """Reads camera and odometry topics and hands on whole frames.

    Attributes:
        readers: by what they carry, such as `color`.
        drops: messages and frames that were left out, by cause.
    """

    def __init__(
        self,
        node: Node,
        parameters: MappingParameters,
        deliver: Callable[[RGBDFrame], None],
        name_instances: Callable[[Mapping[int, str]], None],
    ) -> None:
        """`name_instances` gets a simulator's instance names whenever they arrive.

        Raises:
            ConfigError: poses should come from TF and tf2_ros is not installed.
        """
        self.drops = DropCounts(node.get_logger())
        self.assembler = FrameAssembler(parameters, deliver, self.drops)
        self._name_instances = name_instances
        self._tf: TfPoses | None = None
        if parameters.pose_source == "tf":
            self._tf = TfPoses(
                node, parameters.map_frame, self.assembler.add_camera_pose, self.drops
            )
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
            streams.append(("odometry", topics.odometry, {Odometry: into.add_odometry}))
        return streams

    def dropped(self) -> dict[str, int]:
        """Everything that was left out, by cause."""
        both = {**self.assembler.sync_counts, **self.drops.counts()}
        return {cause: count for cause, count in sorted(both.items()) if count}

    def poll(self) -> None:
        """Look for publishers; call it a few times a second."""
        for reader in self.readers.values():
            reader.poll()
        if self._tf is not None:
            self._tf.poll()

    def close(self) -> None:
        for reader in self.readers.values():
            reader.close()
        if self._tf is not None:
            self._tf.close()

    def _add_color(self, msg: ImageMsg) -> None:
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
