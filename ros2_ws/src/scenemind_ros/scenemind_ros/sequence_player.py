"""Sequence player: publishes a recorded sequence on the camera topics, with the recorded stamps."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from nav_msgs.msg import Odometry
from pydantic import Field
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header, String

from scenemind.config import Settings
from scenemind.frames import FrameError, RecordedSequence, SensorFrame
from scenemind.simulation import SimulatedSequence, open_source
from scenemind_ros.conversions import (
    camera_to_msg,
    color_to_msg,
    depth_to_msg,
    header_to_msg,
    instance_names_to_msg,
    instances_to_msg,
    odometry_to_msg,
    stamp_ns,
)
from scenemind_ros.parameters import (
    OPTICAL_MOUNTING,
    PoseList,
    TopicParameters,
    declare_parameters,
    overrides_in_words,
    pose_from_list,
    read_parameters,
)
from scenemind_ros.qos import LATCHED, SENSOR_OUT
from scenemind_ros.run_node import SpinThread, closing_undisturbed, run_in_ros


class PlayerTopics(TopicParameters):
    """Topics of the frames; instances only from a simulated sequence."""

    instances: str = "camera/camera/instances/image_raw"
    instance_names: str = "camera/camera/instances/names"
    processed: str = Field("mapping_node/processed", description="acknowledged frames, for rate 0")


class PlayerParameters(Settings):
    sequence: str = Field("", description="folder, bag, or sim:SEED for a simulated room")
    rate: float = Field(
        1.0,
        ge=0.0,
        description="1: as recorded; N: N times as fast; 0: as fast as the reader acknowledges",
    )
    loop: bool = Field(False, description="start again at the end")
    frames: int = Field(0, ge=0, description="number of frames to send; 0: all")
    wait_s: float = Field(60.0, gt=0.0, description="give up without subscribers after this time")
    map_frame: str = "map"
    base_frame: str = "base_link"
    camera_frame: str = "camera_color_optical_frame"
    base_T_camera: PoseList = OPTICAL_MOUNTING
    topics: PlayerTopics = PlayerTopics()


# One frame in work and one in the queue: the reader never idles and never has to drop.
_WINDOW = 2
# A frame without acknowledgement for this time was dropped (no pose, a bad image): continue.
_PATIENCE_S = 5.0


class Pacing:
    """Pacing of the sender, by the recorded stamps or by acknowledgements.

    The reader acknowledges each frame that is mapped by its stamp. A stamp also acknowledges all
    earlier frames: the reader takes frames in order and may drop some.

    Attributes:
        mapped: number of frames of this round that were acknowledged.
    """

    def __init__(self, node: Node, rate: float, processed_topic: str) -> None:
        self._node = node
        self._rate = rate
        self._processed_topic = processed_topic
        self._changed = threading.Condition()
        self._in_flight: deque[int] = deque()
        self._unacknowledged = 0
        self._stopped = False
        self.restart()
        node.create_subscription(Header, processed_topic, self._acknowledge, SENSOR_OUT)

    @property
    def is_heard(self) -> bool:
        """True where a reader acknowledges frames."""
        return self._node.count_publishers(self._processed_topic) > 0

    def unheard_topics(self) -> list[str]:
        """Topics of expected acknowledgements without a publisher."""
        return [] if self._rate > 0.0 or self.is_heard else [self._processed_topic]

    def restart(self) -> None:
        """Start a new round with the next frame."""
        self._start: tuple[float, int] | None = None
        self._in_flight.clear()
        self.mapped = 0

    def wait_for_turn(self, frame_stamp_ns: int) -> None:
        """Wait until the frame of that stamp is due; it then counts as sent."""
        with self._changed:
            if self._rate > 0.0:
                self._wait_for_time(frame_stamp_ns)
            else:
                self._wait_for_room(_WINDOW - 1)
            self._in_flight.append(frame_stamp_ns)

    def finish(self) -> None:
        """Wait until the newest frame that was sent is acknowledged; as long as one is mapped."""
        with self._changed:
            if self._rate == 0.0:
                self._wait_for_room(0)
                return
            left = -1
            while self.is_heard and self._in_flight and left != len(self._in_flight):
                left = len(self._in_flight)
                self._changed.wait_for(self._has_ended, timeout=_PATIENCE_S)

    def _has_ended(self) -> bool:
        return self._stopped or not self._in_flight

    def stop(self) -> None:
        """End all waiting."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _wait_for_time(self, frame_stamp_ns: int) -> None:
        if self._start is None:
            self._start = (time.monotonic(), frame_stamp_ns)
        began, first_ns = self._start
        due = began + (frame_stamp_ns - first_ns) / 1e9 / self._rate
        self._changed.wait_for(lambda: self._stopped, timeout=max(0.0, due - time.monotonic()))

    def _wait_for_room(self, most: int) -> None:
        def has_room() -> bool:
            return self._stopped or len(self._in_flight) <= most

        while not self._changed.wait_for(has_room, timeout=_PATIENCE_S):
            lost_ns = self._in_flight.popleft()
            self._unacknowledged += 1
            if self._unacknowledged == 1:
                self._node.get_logger().warning(
                    f"the frame of {lost_ns / 1e9:.3f} s was not acknowledged within"
                    f" {_PATIENCE_S:g} s: the mapping node left it out (see its /diagnostics) or is"
                    " gone; going on"
                )

    def _acknowledge(self, header: Header) -> None:
        done_ns = stamp_ns(header.stamp)
        with self._changed:
            if done_ns in self._in_flight:
                while self._in_flight.popleft() != done_ns:
                    self._unacknowledged += 1
                self.mapped += 1
                self._changed.notify_all()


_DELIVERY_S = 5.0


class FramePublisher:
    """Publisher of the sequence's streams: depth aligned or with its own calibration, instances."""

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
            values = ", ".join(
                f"{number:.6f}" for number in numbers
            )  # ROS takes no integer 0 for a float
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
        """Topics without a subscriber, except instances, which not every reader uses."""
        return [
            publisher.topic_name
            for stream, publisher in self._publishers.items()
            if stream != "instances" and publisher.get_subscription_count() == 0
        ]

    def publish(self, frame: SensorFrame) -> None:
        """Publish pose and calibration before the images, which then complete a frame at once."""
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
        """Wait until reliable readers have everything, for five seconds at most."""
        for publisher in self._publishers.values():
            publisher.wait_for_all_acked(Duration(seconds=_DELIVERY_S))

    def _send(self, stream: str, message: object) -> None:
        self._publishers[stream].publish(message)


class SequencePlayer(Node):
    """Player on the thread that calls `play`; acknowledgements come by the executor."""

    def __init__(self, sequence: RecordedSequence | None = None, **node_options: object) -> None:
        """Prepare the given sequence, or that of the parameter `sequence`.

        Raises:
            ConfigError, FrameError, SimulationError: the parameters or the sequence are unusable.
        """
        with overrides_in_words():
            super().__init__(
                "sequence_player",
                automatically_declare_parameters_from_overrides=True,
                **node_options,
            )
        declare_parameters(self, PlayerParameters)
        self._settings = read_parameters(self, PlayerParameters)
        self.sequence = open_source(self._settings.sequence) if sequence is None else sequence
        self._frames = FramePublisher(self, self.sequence, self._settings)
        self._pacing = Pacing(self, self._settings.rate, self._settings.topics.processed)
        self._stopped = threading.Event()

    def play(self) -> int:
        """Publish everything; returns how many frames were sent.

        Raises:
            FrameError: a topic has no subscriber, or an image cannot be read.
        """
        self._wait_for_subscribers()
        sent = self._play_once()
        while self._settings.loop and not self._stopped.is_set():
            sent += self._play_once()
        self._frames.wait_until_delivered()
        return sent

    def stop(self) -> None:
        self._stopped.set()
        self._pacing.stop()

    def _play_once(self) -> int:
        total = min(len(self.sequence), self._settings.frames or len(self.sequence))
        self.get_logger().info(f"playing {self.sequence.name}: {total} frames")
        self._pacing.restart()
        sent, reported_at = 0, time.monotonic()
        for frame in islice(self.sequence, total):
            self._pacing.wait_for_turn(frame.stamp_ns)
            if self._stopped.is_set():
                break
            self._frames.publish(frame)
            sent += 1
            if time.monotonic() - reported_at > 5.0 or sent == total:
                self.get_logger().info(f"sent {sent}/{total} frames, {self._pacing.mapped} mapped")
                reported_at = time.monotonic()
        if self._settings.loop and self._settings.rate > 0.0:
            return sent  # the next round begins at once
        self._pacing.finish()
        if self._pacing.is_heard:
            self.get_logger().info(self._told(sent))
        return sent

    def _told(self, sent: int) -> str:
        """What became of the frames."""
        mapped = self._pacing.mapped
        told = f"{mapped} of {sent} frames were mapped"
        if mapped < sent and self._settings.rate > 0.0:
            told += (
                f" at rate {self._settings.rate:g}: the others came faster than they can be mapped;"
                " `--rate 0` maps each"
            )
        return told

    def _wait_for_subscribers(self) -> None:
        deadline = time.monotonic() + self._settings.wait_s
        announced = False
        while missing := self._frames.unread_topics() + self._pacing.unheard_topics():
            if not announced:
                simulated = isinstance(self.sequence, SimulatedSequence)
                options = "--sim" if simulated else "--params detector.weights=FILE.onnx"
                self.get_logger().info(
                    f"waiting for a reader of {', '.join(missing)}; `scenemind up {options}` starts"
                    " the nodes"
                )
                announced = True
            if time.monotonic() > deadline:
                raise FrameError(
                    f"no other node was on {', '.join(missing)} for"
                    f" {self._settings.wait_s:g} s: is the mapping node active, and are its"
                    " topics.* these?"
                )
            if self._stopped.wait(0.05):
                return


@contextmanager
def spinning(node: Node) -> Iterator[None]:
    """Context in which the node's callbacks run on their own thread."""
    thread = SpinThread(node, SingleThreadedExecutor(context=node.context))
    try:
        yield
    finally:
        thread.close()


def main(args: list[str] | None = None) -> int:
    """Play everything, or until SIGINT or SIGTERM."""
    return run_in_ros("sequence_player", _run, args)


def _run() -> None:
    player = SequencePlayer()
    with closing_undisturbed(player), spinning(player):
        # On SIGTERM the context ends without notice to the playing thread.
        player.context.on_shutdown(player.stop)
        player.play()


if __name__ == "__main__":
    raise SystemExit(main())
