"""The frame that positions are in, with transforms that come as tf2_ros documents it."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.logging import get_logger

from scenemind.config import ConfigError
from scenemind.geometry import Pose
from scenemind_interfaces.msg import SceneObjectArray
from scenemind_ros.input import world_frame
from scenemind_ros.input.frame_assembler import DropCounts
from scenemind_ros.input.world_frame import WorldFrame
from scenemind_ros.mapping import map_publisher
from scenemind_ros.mapping.map_publisher import MapToOdom
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.parameters import MappingParameters
from scenemind_ros.qos import LATCHED
from scenemind_ros.sequence_player import SequencePlayer

from .graph import SIMULATED, RosGraph, wait_for
from .tf2 import Transforms, stand_in

S = 1_000_000_000


def turned(x: float, degrees: float) -> Pose:
    half = math.radians(degrees) / 2.0
    return Pose.from_quaternion((x, 0.0, 0.0), (0.0, 0.0, math.sin(half), math.cos(half)))


class MapToOdomOverTime(Transforms):
    """Holds map -> odom from each given stamp on, up to the newest that is known."""

    def __init__(self) -> None:
        self.known: dict[int, Pose] = {}
        self.newest_ns = -1

    def find(self, target: str, source: str, stamp: int) -> Pose | None:
        if not self.known or (target, source) != ("map", "odom") or stamp > self.newest_ns:
            return None
        return self.known[max(known for known in self.known if known <= (stamp or self.newest_ns))]

    def clear(self) -> None:
        super().clear()
        self.known.clear()


@pytest.fixture
def buffer(monkeypatch: pytest.MonkeyPatch) -> MapToOdomOverTime:
    buffer = MapToOdomOverTime()
    stand_in(monkeypatch, buffer)
    return buffer


class Placed:
    """A `WorldFrame` with what it delivers."""

    def __init__(self, graph: RosGraph) -> None:
        self.poses: list[tuple[int, Pose]] = []
        self.drops = DropCounts(get_logger("test"))
        deliver = lambda stamp, pose: self.poses.append((stamp, pose))  # noqa: E731
        self.world = WorldFrame(graph.observer, "map", deliver, self.drops)

    def x(self) -> list[float]:
        return [round(float(pose.translation[0]), 6) for _, pose in self.poses]


def test_odometry_in_the_map_is_taken_as_it_is(graph: RosGraph) -> None:
    placed = Placed(graph)
    for stamp, frame in ((1, "map"), (2, "/map"), (3, "")):
        placed.world.add(stamp, frame, turned(stamp, 0.0))
    assert placed.x() == [1.0, 2.0, 3.0]
    assert (placed.world.name, placed.world.problem) == ("map", "")


def test_map_to_odom_is_followed_through_a_jump(graph: RosGraph, buffer: MapToOdomOverTime) -> None:
    """A robot that stands still in the map: its odometry jumps, and TF with it."""
    placed = Placed(graph)
    true = turned(2.0, 30.0)
    for number in range(80):
        stamp = S + number * S // 10
        map_T_odom = turned(1.0, 0.0) if number < 40 else turned(1.5, 10.0)
        buffer.known[stamp] = map_T_odom
        placed.world.add(stamp, "odom", map_T_odom.inverse() @ true)
        buffer.newest_ns = stamp  # TF comes after odometry
        placed.world.poll()
    assert len(placed.poses) == 80
    for _, pose in placed.poses:
        np.testing.assert_allclose(pose.matrix(), true.matrix(), atol=1e-9)
    assert placed.world.follows_tf
    assert placed.world.name == "map"


def test_a_map_that_begins_here_reads_no_tf(graph: RosGraph, buffer: MapToOdomOverTime) -> None:
    buffer.known[0], buffer.newest_ns = turned(5.0, 0.0), 10 * S
    poses: list[Pose] = []
    deliver = lambda _, pose: poses.append(pose)  # noqa: E731
    drops = DropCounts(get_logger("test"))
    world = WorldFrame(graph.observer, "map", deliver, drops, is_begun_here=True)
    world.add(S, "odom", turned(1.0, 0.0))
    assert [pose.translation[0] for pose in poses] == [1.0]
    assert (world.name, world.odom_frame, world.problem) == ("map", "odom", "")
    assert not world.follows_tf


def test_map_to_odom_is_published_when_it_changes_and_on_tf_always(
    graph: RosGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_tf: list[TransformStamped] = []
    tf2 = SimpleNamespace(
        TransformBroadcaster=lambda _: SimpleNamespace(sendTransform=on_tf.append)
    )
    monkeypatch.setattr(map_publisher, "tf2_ros", tf2)
    heard: list[TransformStamped] = []
    name = f"{graph.observer.get_fully_qualified_name()}/map_to_odom"
    graph.observer.create_subscription(TransformStamped, name, heard.append, LATCHED)
    published = MapToOdom(graph.observer)
    published.publish(None, "map", "")  # no odometry yet
    published.publish(None, "map", "map")  # it is in the map itself
    assert not on_tf
    moved = turned(0.5, 10.0)
    for pose in (None, None, moved, moved):
        published.publish(pose, "map", "odom")
    wait_for(lambda: heard and heard[-1].transform.translation.x == 0.5, "the transform")
    assert len(on_tf) == 4
    last = heard[-1]
    assert (last.header.frame_id, last.child_frame_id) == ("map", "odom")
    assert last.transform.rotation.z == pytest.approx(math.sin(math.radians(5.0)))
    published.close()


def test_map_to_odom_is_for_loops_that_are_closed_here() -> None:
    wanted = {**SIMULATED, "publish.map_to_odom": True}
    assert MappingParameters.from_flat(wanted).publish.map_to_odom
    for name, value in (("corrections.path", "/path"), ("loop_closure.enabled", False)):
        with pytest.raises(ConfigError, match="no SLAM system, which publishes it itself"):
            MappingParameters.from_flat({**wanted, name: value})


def test_pose_whose_transform_lags_takes_the_newest(
    graph: RosGraph, buffer: MapToOdomOverTime
) -> None:
    buffer.known[0], buffer.newest_ns = turned(5.0, 0.0), 0
    placed = Placed(graph)
    placed.world.add(S, "odom", turned(1.0, 0.0))
    assert not placed.poses, "its own may come yet"
    placed.world.add(S + 300_000_000, "odom", turned(2.0, 0.0))
    assert placed.x() == [6.0]


def test_without_a_way_to_the_map_the_world_is_odometrys_frame(
    graph: RosGraph, buffer: MapToOdomOverTime
) -> None:
    placed = Placed(graph)
    for second in range(7):
        placed.world.add(second * S, "odom", turned(second, 0.0))
    assert placed.x() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "late, and none is lost"
    assert placed.world.name == "odom"
    assert "positions are in odom and not in map" in placed.world.problem
    buffer.known[0], buffer.newest_ns = turned(5.0, 0.0), 10 * S
    placed.world.add(7 * S, "odom", turned(7.0, 0.0))
    assert placed.x()[-1] == 7.0, "a map that came later would tear what is mapped"


def test_clock_that_goes_back_begins_anew(graph: RosGraph, buffer: MapToOdomOverTime) -> None:
    buffer.known[0], buffer.newest_ns = turned(5.0, 0.0), 100 * S
    placed = Placed(graph)
    placed.world.add(100 * S, "odom", turned(1.0, 0.0))  # has its transform: nothing waits
    placed.world.add(S, "odom", turned(3.0, 0.0))
    assert not buffer.known, "what TF knew was of the future"
    buffer.known[0], buffer.newest_ns = turned(7.0, 0.0), S
    placed.world.poll()
    assert placed.x() == [6.0, 10.0]


def test_negative_stamp_breaks_nothing(graph: RosGraph, buffer: MapToOdomOverTime) -> None:
    buffer.known[0], buffer.newest_ns = turned(5.0, 0.0), S
    placed = Placed(graph)
    placed.world.add(-5, "odom", turned(1.0, 0.0))
    assert not placed.poses


@pytest.mark.skipif(world_frame.tf2_ros is not None, reason="tf2_ros is installed here")
def test_node_says_which_frame_its_objects_are_in(graph: RosGraph, tmp_path: Any) -> None:
    graph.add(MappingNode, SIMULATED | {"memory.root": str(tmp_path)})
    objects = graph.listen(SceneObjectArray, "/mapping_node/objects", LATCHED)
    player = graph.add(
        SequencePlayer, {"sequence": "sim:1", "rate": 0.0, "frames": 12, "map_frame": "odom"}
    )
    player.play()
    wait_for(lambda: objects and objects[-1].objects, "objects")
    assert objects[-1].header.frame_id == "odom", "nothing says where odom lies in map"
