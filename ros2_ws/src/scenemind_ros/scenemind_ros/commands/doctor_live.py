"""`scenemind doctor --live`: record the running camera and odometry, then examine them."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import rclpy
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from scenemind.config import ConfigError
from scenemind.doctor.collection import Collector, choose_topics
from scenemind.doctor.evidence import SAMPLE, Evidence, OfferedQos
from scenemind.doctor.examination import examine
from scenemind.doctor.findings import Finding, show
from scenemind.doctor.stream_checks import check_clock
from scenemind.frames import SensorFrame
from scenemind.frames.bag import STREAM_TYPES
from scenemind.geometry import Pose
from scenemind_ros.commands.driver_checks import (
    RealsenseSettings,
    check_losses,
    check_shared_memory,
    free_bytes,
    segments,
)
from scenemind_ros.conversions import odometry_to_msg, stamp_ns
from scenemind_ros.input.camera_input import TfPoses
from scenemind_ros.input.frame_assembler import DropCounts, FrameAssembler, UndecodedFrame
from scenemind_ros.parameters import MappingParameters
from scenemind_ros.qos import matching_qos
from scenemind_ros.run_node import interrupt_after_ros

_SOURCE = "the live graph"
_DISCOVERY_S = 2.0
_TF_POLL_S = 0.1
_OUR_NODES = ("mapping_node", "reasoning_node")  # both are in the process of scenemind_node too
_CLASSES = {
    "sensor_msgs/msg/Image": Image,
    "sensor_msgs/msg/CompressedImage": CompressedImage,
    "sensor_msgs/msg/CameraInfo": CameraInfo,
    "nav_msgs/msg/Odometry": Odometry,
}


class DoctorNode(Node):
    """Collector of messages that assembles frames as the mapping node does."""

    def __init__(self, parameters: MappingParameters, **node_options: Any) -> None:
        super().__init__("scenemind_doctor", **node_options)
        self._parameters = parameters
        self._collector = Collector()
        self._frames: list[SensorFrame] = []
        self._drops = DropCounts(self.get_logger())
        self._assembler = FrameAssembler(parameters, self._keep, self._drops)
        self._found: list[Finding] = []
        self._keep_from = 0.0
        self._keep_every_s = 0.0
        self._newest_offset_s: float | None = None
        self._tf: TfPoses | None = None
        self._counts: Counter[str] = Counter()
        self._largest_image = 0  # bytes
        self._realsense: RealsenseSettings | None = None

    def listen(self, seconds: float) -> None:
        """Subscribe to the published topics for a given time."""
        self._keep_every_s = seconds / SAMPLE
        topics = self._parameters.topics
        wanted = {
            stream: self.resolve_topic_name(getattr(topics, stream)) for stream in STREAM_TYPES
        }
        if self._parameters.depth.aligned:
            del wanted["depth_camera_info"]
        if self._parameters.pose_source == "tf":
            del wanted["odometry"]
            self._listen_to_tf()
        chosen, found = choose_topics(wanted, self._published())
        self._found = [check_nodes(self.get_node_names_and_namespaces()), *found]
        for stream, topic in chosen.items():
            self._subscribe(stream, topic)
        if "color" in chosen:
            self._realsense = RealsenseSettings(self, chosen["color"])

    def evidence(self) -> Evidence:
        """The messages so far; depth is registered if the configuration requires it."""
        found = list(self._found)
        if self._newest_offset_s is not None:
            found.append(check_clock(self._newest_offset_s))
        dropped = self._drops.counts()
        if dropped:
            causes = ", ".join(f"{count} {cause}" for cause, count in dropped.items())
            fix = "the node's log names the value; the checks below say why"
            found.append(Finding("left out", "warn", causes, fix))
        losses = check_losses(self._counts)
        found += losses
        if self._largest_image:
            found += check_shared_memory(
                self._largest_image, segments(), free_bytes(), is_lost=bool(losses)
            )
        if self._realsense is not None:
            found += self._realsense.findings(self._parameters.depth.aligned)
        evidence = self._collector.evidence(_SOURCE, None, self._frames, found)
        return replace(evidence, is_registered=not self._parameters.depth.aligned)

    def _published(self) -> dict[str, str]:
        return {
            name: types[0]
            for name, types in self.get_topic_names_and_types()
            if self.count_publishers(name)
        }

    def _listen_to_tf(self) -> None:
        """Camera poses from TF; raises ConfigError without tf2_ros."""
        self._collector.listen("odometry", "/tf")
        map_frame = self._parameters.map_frame

        def take(stamp: int, world_T_camera: Pose) -> None:
            message = odometry_to_msg(stamp, world_T_camera, map_frame, "camera")
            self._collector.add("odometry", message)
            self._assembler.add_camera_pose(stamp, world_T_camera)

        self._tf = TfPoses(self, map_frame, take, self._drops)
        self.create_timer(_TF_POLL_S, self._tf.poll)

    def _subscribe(self, stream: str, topic: str) -> None:
        publishers = self.get_publishers_info_by_topic(topic)
        offered = [
            OfferedQos(
                reliable=p.qos_profile.reliability == ReliabilityPolicy.RELIABLE,
                latched=p.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL,
            )
            for p in publishers
        ]
        self._collector.listen(stream, topic, offered)
        into: Callable[[Any], None] = getattr(self._assembler, f"add_{stream}")

        def take(message: Any) -> None:
            self._collector.add(stream, message)
            self._counts[stream] += 1
            if stream in ("color", "depth"):
                self._largest_image = max(self._largest_image, len(message.data))
            if stream == "color":
                age_ns = self.get_clock().now().nanoseconds - stamp_ns(message.header.stamp)
                self._newest_offset_s = age_ns / 1e9
                if self._tf is not None:
                    self._tf.want(stamp_ns(message.header.stamp), message.header.frame_id)
            into(message)

        kind = _CLASSES[publishers[0].topic_type]
        self.create_subscription(kind, topic, take, matching_qos(publishers))

    def _keep(self, undecoded: UndecodedFrame) -> None:
        """A few frames, evenly spread in time."""
        now = time.monotonic()
        if len(self._frames) >= SAMPLE or now < self._keep_from:
            return
        self._keep_from = now + self._keep_every_s
        frame = undecoded.decode()
        if frame is not None:
            pose = frame.world_T_camera
            self._frames.append(SensorFrame(frame.stamp_ns, frame.color, frame.depth_m, pose))


def check_nodes(running: Iterable[tuple[str, str]]) -> Finding:
    """Which of this project's nodes run.

    Args:
        running: names and namespaces of all nodes of the graph.
    """
    full: dict[str, list[str]] = {name: [] for name in _OUR_NODES}
    for name, namespace in running:
        if name in full:
            full[name].append(f"{namespace.rstrip('/')}/{name}")
    words = [
        f"{name} runs" + ("" if places == [f"/{name}"] else f" as {', '.join(sorted(places))}")
        if places
        else f"{name} is not found"
        for name, places in full.items()
    ]
    if all(full.values()):
        return Finding("nodes", "ok", "; ".join(words))
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    fix = (
        "start what is missing (`scenemind up`, or ros2 launch scenemind_ros realsense.launch.py)."
        f" If it runs, give it and this command one ROS_DOMAIN_ID (here {domain})"
    )
    return Finding("nodes", "warn", "; ".join(words), fix)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scenemind doctor --live")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--config", type=Path)
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    try:
        parameters = (
            MappingParameters.load(options.config) if options.config else MappingParameters()
        )
    except ConfigError as error:
        print(f"scenemind: {error}", file=sys.stderr)
        return 1
    interrupt_after_ros()
    rclpy.init(args=[])
    node = DoctorNode(parameters)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        _spin(executor, _DISCOVERY_S)
        node.listen(options.seconds)
        _spin(executor, options.seconds)
        evidence = node.evidence()
    except ConfigError as error:
        print(f"scenemind: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, ExternalShutdownException):
        return 130
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
    return show(_SOURCE, examine(evidence, parameters.sync), options.as_json)


def _spin(executor: SingleThreadedExecutor, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while (left_s := deadline - time.monotonic()) > 0:
        executor.spin_once(timeout_sec=left_s)


if __name__ == "__main__":
    raise SystemExit(main())
