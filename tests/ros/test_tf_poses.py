"""Poses from TF, with a buffer that answers as tf2_ros documents it (tf2_ros has no wheel)."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.logging import get_logger
from rclpy.time import Time

from scenemind.config import ConfigError
from scenemind.geometry import Pose
from scenemind_ros.conversions import stamp_ns
from scenemind_ros.input import camera_input, world_frame
from scenemind_ros.input.frame_assembler import DropCounts, UndecodedFrame
from scenemind_ros.optional_ros import tf2_ros
from scenemind_ros.parameters import MappingParameters, require_tf2
from scenemind_ros.qos import SENSOR_OUT

from .camera_messages import FIRST_NS, Moment
from .graph import TOPICS, RosGraph, wait_for
from .tf2 import Transforms, stand_in

SECOND_NS = 1_000_000_000


class Known(Transforms):
    """Knows the transform from `first_ns` up to `known_ns`: x is the stamp in seconds."""

    first_ns, known_ns = 10, 0
    broken_ns = 37  # its quaternion is all zeros

    def find(self, target: str, source: str, stamp: int) -> Pose | None:
        assert (target, source) == ("map", "camera")
        if not self.first_ns <= stamp <= self.known_ns:
            return None
        return Pose.from_quaternion((stamp / 1e9, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))

    def lookup_transform(self, target: str, source: str, time: Time) -> TransformStamped:
        found = super().lookup_transform(target, source, time)
        if time.nanoseconds == self.broken_ns:
            found.transform.rotation.w = 0.0
        return found


@pytest.fixture
def buffer(monkeypatch: pytest.MonkeyPatch) -> Known:
    buffer = Known()
    stand_in(monkeypatch, buffer)
    return buffer


def test_images_wait_for_their_transform_and_unanswerable_ones_are_passed_over(
    buffer: Known,
) -> None:
    delivered: list[tuple[int, Pose]] = []
    drops = DropCounts(get_logger("test"))
    poses = camera_input.TfPoses(
        None, "map", lambda stamp, pose: delivered.append((stamp, pose)), drops
    )
    for stamp in (5, 20, 30):
        poses.want(stamp, "camera")
    assert delivered == []
    buffer.known_ns = 25
    poses.poll()
    assert [stamp for stamp, _ in delivered] == [20]
    buffer.known_ns = 40
    poses.want(35, "camera")
    assert [stamp for stamp, _ in delivered] == [20, 30, 35]
    assert delivered[-1][1].translation[0] == pytest.approx(35e-9)
    poses.want(buffer.broken_ns, "camera")
    poses.poll()
    assert len(delivered) == 3
    assert drops.counts() == {"bad_pose": 1}


def test_of_many_waiting_images_the_newest_stay(buffer: Known) -> None:
    delivered: list[int] = []
    drops = DropCounts(get_logger("test"))
    poses = camera_input.TfPoses(None, "map", lambda stamp, _: delivered.append(stamp), drops)
    for stamp in range(100, 140):
        poses.want(stamp, "camera")
    buffer.known_ns = 200
    poses.poll()
    assert delivered == list(range(110, 140))


def test_transforms_of_the_future_are_forgotten_when_the_clock_goes_back(buffer: Known) -> None:
    delivered: list[int] = []
    drops = DropCounts(get_logger("test"))
    poses = camera_input.TfPoses(None, "map", lambda stamp, _: delivered.append(stamp), drops)
    buffer.known_ns = 50 * SECOND_NS
    poses.want(50 * SECOND_NS, "camera")
    assert (delivered, buffer.cleared) == ([50 * SECOND_NS], 0)
    poses.want(SECOND_NS, "camera")
    assert buffer.cleared == 1


class KeptTransforms:
    """A buffer as tf2's: it keeps ten seconds before its newest transform, and refuses older."""

    def __init__(self) -> None:
        self.stamps: list[int] = []

    def set_transform(self, transform: TransformStamped, _authority: str) -> None:
        stamp = stamp_ns(transform.header.stamp)
        newest = max([stamp, *self.stamps])
        self.stamps = [kept for kept in [*self.stamps, stamp] if kept >= newest - 10 * SECOND_NS]

    def can_transform(self, _target: str, _source: str, time: Time) -> bool:
        return bool(self.stamps) and min(self.stamps) <= time.nanoseconds <= max(self.stamps)

    def lookup_transform(self, _target: str, _source: str, _time: Time) -> TransformStamped:
        return TransformStamped()

    def clear(self) -> None:
        self.stamps.clear()


def heard(stamp: int) -> TransformStamped:
    message = TransformStamped(child_frame_id="camera")
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, SECOND_NS)
    return message


@pytest.fixture
def drops() -> DropCounts:
    return DropCounts(get_logger("test"))


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch, drops: DropCounts) -> world_frame.TfTree:
    stand_in(monkeypatch, KeptTransforms())
    return world_frame.TfTree(None, drops)


def test_a_transform_of_the_far_future_does_not_stop_mapping(
    tree: world_frame.TfTree, drops: DropCounts
) -> None:
    found = []
    for second in range(1, 60):
        stamp = second * SECOND_NS
        tree.at(stamp)
        if second == 5:
            tree.set_transform(heard(10_000 * SECOND_NS), "a broken clock")
        tree.set_transform(heard(stamp - SECOND_NS // 10), "localisation")
        tree.set_transform(heard(stamp + SECOND_NS), "localisation, dated ahead")
        found.append(tree.find("map", "camera", stamp) is not None)
    assert all(found)
    assert drops.counts() == {"tf_ahead": 1}
    assert "camera at 10000.000 s: 9995.0 s ahead" in str(drops.find_detail("tf_ahead"))


def test_what_was_put_aside_holds_once_its_time_has_come(tree: world_frame.TfTree) -> None:
    tree.set_transform(heard(SECOND_NS), "before any image")
    assert tree.find("map", "camera", SECOND_NS) is None
    tree.at(SECOND_NS)
    assert tree.find("map", "camera", SECOND_NS) is not None
    tree.set_transform(heard(20 * SECOND_NS), "early")
    tree.at(2 * SECOND_NS)
    assert tree.find("map", "camera", 20 * SECOND_NS) is None
    tree.at(19 * SECOND_NS)
    assert tree.find("map", "camera", 20 * SECOND_NS) is not None


def test_a_loop_keeps_the_transforms_that_came_before_its_first_image(
    tree: world_frame.TfTree,
) -> None:
    for second in range(1, 16):
        tree.at(second * SECOND_NS)
        tree.set_transform(heard(second * SECOND_NS), "a recording")
    tree.set_transform(heard(SECOND_NS), "its second round")
    assert tree.find("map", "camera", 15 * SECOND_NS) is not None
    tree.at(SECOND_NS)
    assert tree.find("map", "camera", SECOND_NS) is not None
    assert tree.find("map", "camera", 15 * SECOND_NS) is None, "of another run of the clock"


def test_a_negative_stamp_is_refused_and_counted(
    tree: world_frame.TfTree, drops: DropCounts
) -> None:
    tree.at(SECOND_NS)
    tree.set_transform(heard(-5 * SECOND_NS), "a broken clock")
    assert drops.counts() == {"tf_no_time": 1}
    assert tree.find("map", "camera", -5 * SECOND_NS) is None
    tree.set_transform(heard(SECOND_NS), "a robot")
    tree.at(-5 * SECOND_NS)
    assert tree.find("map", "camera", SECOND_NS) is not None, "an image's is no jump of the clock"


def test_a_frame_stands_where_tf_puts_the_camera(graph: RosGraph, buffer: Known) -> None:
    frames: list[UndecodedFrame] = []
    node, moment = graph.observer, Moment(0)
    parameters = MappingParameters.from_flat({"pose_source": "tf"})
    source = camera_input.CameraInput(node, parameters, frames.append, lambda _names: None)
    node.create_timer(0.05, source.poll)
    moment.color.header.frame_id = "camera"
    for stream in ("camera_info", "depth", "color"):
        message = getattr(moment, stream)
        publisher = node.create_publisher(type(message), getattr(TOPICS, stream), SENSOR_OUT)
        wait_for(publisher.get_subscription_count, "a reader")
        publisher.publish(message)
    buffer.known_ns = FIRST_NS
    (undecoded,) = wait_for(lambda: frames, "the frame")
    frame = undecoded.decode()
    assert frame is not None
    wanted = Pose.from_quaternion((FIRST_NS / 1e9, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    np.testing.assert_allclose(frame.world_T_camera.matrix(), wanted.matrix(), atol=1e-9)


@pytest.mark.skipif(tf2_ros is not None, reason="tf2_ros is installed here")
def test_error_without_tf2_names_a_remedy() -> None:
    with pytest.raises(ConfigError, match="pose_source"):
        require_tf2()
