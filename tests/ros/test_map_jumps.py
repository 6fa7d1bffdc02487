"""A robot whose map -> odom jumps by 0.5 m and 10 degrees every 20 s: its objects stand where they
stand in the map, with odometry and TF, and with the camera's poses from TF."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rclpy.logging import get_logger

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.geometry import Pose, iou_3d
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.memory.types import MapObject
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import SimulatedSequence, simulate
from scenemind_ros.input import camera_input
from scenemind_ros.input.frame_assembler import DropCounts
from scenemind_ros.input.world_frame import WorldFrame
from scenemind_ros.parameters import OPTICAL_MOUNTING, pose_from_list

from .graph import RosGraph
from .tf2 import Transforms, stand_in

S = 1_000_000_000
FRAMES, JUMP_S, JUMP_M, JUMP_DEG = 62, 20, 0.5, 10.0
BASE_T_CAMERA = pose_from_list(OPTICAL_MOUNTING)
SAME_M = 1e-3
MEAN_M = 0.05


class MovingFrames(Transforms):
    """Answers with a pose by frame and stamp, up to the newest stamp that is known."""

    def __init__(self) -> None:
        self.newest_ns = -1
        self.of: dict[str, Callable[[int], Pose]] = {}

    def find(self, _target: str, source: str, stamp: int) -> Pose | None:
        if source not in self.of or stamp > self.newest_ns:
            return None
        return self.of[source](stamp or self.newest_ns)


@pytest.fixture
def buffer(monkeypatch: pytest.MonkeyPatch) -> MovingFrames:
    buffer = MovingFrames()
    stand_in(monkeypatch, buffer)
    return buffer


def map_T_odom(stamp: int) -> Pose:
    """After each 20 s another jump, each in another direction."""
    jumps = (stamp // S) // JUMP_S
    x = sum(JUMP_M * math.cos(2.0 * k) for k in range(jumps))
    y = sum(JUMP_M * math.sin(2.0 * k) for k in range(jumps))
    half = math.radians(JUMP_DEG * jumps) / 2.0
    return Pose.from_quaternion((x, y, 0.0), (0.0, 0.0, math.sin(half), math.cos(half)))


@pytest.fixture(scope="module")
def drive() -> tuple[SimulatedSequence, list[RGBDFrame]]:
    """A round in a simulated room, a frame a second."""
    sequence = simulate(1, FRAMES)
    frames = read_sequence(sequence)
    return sequence, [replace(f, stamp_ns=(f.number + 1) * S) for f in frames]


def mapped(
    sequence: SimulatedSequence, frames: list[RGBDFrame], poses: dict[int, Pose]
) -> list[MapObject]:
    config = SceneMindConfig()
    with Memory.create(None, config) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        for frame in frames:
            mapper.process(replace(frame, world_T_camera=poses[frame.stamp_ns]))
        return list(memory.snapshot().objects.values())


@pytest.fixture(scope="module")
def still(drive: tuple[SimulatedSequence, list[RGBDFrame]]) -> list[MapObject]:
    """The objects of a robot whose odometry is true."""
    sequence, frames = drive
    return mapped(sequence, frames, {f.stamp_ns: f.world_T_camera for f in frames})


def by_odometry(graph: RosGraph, buffer: MovingFrames, frames: list[RGBDFrame]) -> dict[int, Pose]:
    buffer.of["odom"] = map_T_odom
    poses: dict[int, Pose] = {}

    def deliver(stamp: int, world_T_base: Pose) -> None:
        poses[stamp] = world_T_base @ BASE_T_CAMERA

    world = WorldFrame(graph.observer, "map", deliver, DropCounts(get_logger("test")))
    for frame in frames:
        true = frame.world_T_camera @ BASE_T_CAMERA.inverse()
        world.add(frame.stamp_ns, "odom", map_T_odom(frame.stamp_ns).inverse() @ true)
        buffer.newest_ns = frame.stamp_ns
        world.poll()
    return poses


def by_tf(_graph: RosGraph, buffer: MovingFrames, frames: list[RGBDFrame]) -> dict[int, Pose]:
    true = {frame.stamp_ns: frame.world_T_camera for frame in frames}
    # As tf2 does: map -> odom times odom -> camera.
    buffer.of["camera"] = lambda stamp: (
        map_T_odom(stamp) @ (map_T_odom(stamp).inverse() @ true[stamp])
    )
    poses: dict[int, Pose] = {}
    node: Any = None
    reader = camera_input.TfPoses(node, "map", poses.__setitem__, DropCounts(get_logger("test")))
    for frame in frames:
        reader.want(frame.stamp_ns, "camera")
        buffer.newest_ns = frame.stamp_ns
        reader.poll()
    return poses


@pytest.mark.parametrize("source", [by_odometry, by_tf])
def test_jumps_of_map_to_odom_move_and_double_nothing(
    graph: RosGraph,
    buffer: MovingFrames,
    drive: tuple[SimulatedSequence, list[RGBDFrame]],
    still: list[MapObject],
    source: Callable[[RosGraph, MovingFrames, list[RGBDFrame]], dict[int, Pose]],
) -> None:
    sequence, frames = drive
    poses = source(graph, buffer, frames)
    assert poses.keys() == {frame.stamp_ns for frame in frames}
    objects = mapped(sequence, frames, poses)
    assert len(objects) == len(still), "none doubled, none lost"
    for ours, its in zip(objects, still, strict=True):
        np.testing.assert_allclose(ours.box.center, its.box.center, atol=SAME_M)
    away = []
    for thing in objects:
        best = max(sequence.room.objects, key=lambda one: iou_3d(one.box, thing.box))
        if iou_3d(best.box, thing.box) > 0.25:
            away.append(float(np.linalg.norm(np.subtract(thing.box.center, best.box.center))))
    assert len(away) > len(objects) // 2
    assert np.mean(away) <= MEAN_M, f"mean {np.mean(away):.3f} m of {len(away)}"
