"""From a recorded sequence over the topics to frames, with depth that is not aligned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from scenemind.frames import DepthCalibration, SensorFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind_ros.input.camera_input import CameraInput, TopicReader
from scenemind_ros.input.frame_assembler import UndecodedFrame
from scenemind_ros.parameters import MappingParameters
from scenemind_ros.qos import LATCHED, SENSOR_OUT, Reliability, matching_qos
from scenemind_ros.sequence_player import SequencePlayer

from .camera_messages import CAMERA, FIRST_NS, STEP_NS, WALL_M
from .graph import RosGraph, wait_for

BEST_EFFORT = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
COLOR_T_DEPTH = Pose.from_quaternion((0.02, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0))
DEPTH_CAMERA = PinholeCamera(80, 60, 50.0, 50.0, 39.5, 29.5)
CALIBRATION = DepthCalibration(DEPTH_CAMERA, COLOR_T_DEPTH)


@dataclass
class WallWithOwnDepthCamera:
    """A `RecordedSequence`: the camera nears a wall that the depth camera sees at 2 m."""

    name: str = "wall"
    path: Path = Path("wall")
    camera: PinholeCamera = CAMERA
    depth_calibration: DepthCalibration | None = CALIBRATION

    @property
    def drops(self) -> Mapping[str, int]:
        return {}

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Iterator[SensorFrame]:
        for number in range(len(self)):
            yield SensorFrame(
                stamp_ns=FIRST_NS + number * STEP_NS,
                color=np.full((CAMERA.height, CAMERA.width, 3), number, np.uint8),
                depth_m=np.full((DEPTH_CAMERA.height, DEPTH_CAMERA.width), WALL_M, np.float32),
                world_T_camera=Pose.from_quaternion((0.0, number, 0.0), (0.5, 0.5, 0.5, 0.5)),
            )


def test_a_sequence_arrives_as_it_was_recorded_with_depth_registered(graph: RosGraph) -> None:
    sequence = WallWithOwnDepthCamera()
    pose = COLOR_T_DEPTH
    parameters = MappingParameters.from_flat(
        {
            "depth.aligned": False,
            "depth.color_T_depth": [*pose.translation, *pose.quaternion_xyzw()],
        }
    )
    undecoded: list[UndecodedFrame] = []
    node = graph.observer
    source = CameraInput(node, parameters, undecoded.append, lambda _names: None)
    node.create_timer(0.05, source.poll)
    player = graph.add(SequencePlayer, {"rate": 1.0}, sequence=sequence)
    assert player.play() == len(sequence)
    wait_for(lambda: len(undecoded) == len(sequence), "every frame")
    frames = [frame for one in undecoded if (frame := one.decode()) is not None]
    for number, (frame, recorded) in enumerate(zip(frames, sequence, strict=True)):
        assert (frame.number, frame.stamp_ns) == (number, recorded.stamp_ns)
        np.testing.assert_array_equal(frame.color, recorded.color)
        np.testing.assert_allclose(
            frame.world_T_camera.matrix(), recorded.world_T_camera.matrix(), atol=1e-9
        )
        measured = frame.depth_m[frame.depth_m > 0]
        assert measured.size > 0.9 * frame.depth_m.size
        np.testing.assert_allclose(measured, WALL_M + 0.1, atol=2e-3)


@pytest.mark.parametrize(
    ("offered", "reliability", "is_reliable", "is_latched"),
    [
        ([LATCHED, LATCHED], "auto", True, True),
        ([LATCHED, SENSOR_OUT], "auto", True, False),
        ([SENSOR_OUT, BEST_EFFORT], "auto", False, False),
        ([SENSOR_OUT], "best_effort", False, False),
        ([BEST_EFFORT], "reliable", True, False),
    ],
)
def test_quality_of_service_is_what_all_publishers_offer(
    offered: list[QoSProfile], reliability: Reliability, is_reliable: bool, is_latched: bool
) -> None:
    publishers = [SimpleNamespace(qos_profile=qos) for qos in offered]
    qos = matching_qos(publishers, reliability)
    assert (qos.reliability == ReliabilityPolicy.RELIABLE) == is_reliable
    assert (qos.durability == DurabilityPolicy.TRANSIENT_LOCAL) == is_latched


def test_a_publisher_is_read_that_comes_back_with_another_quality(graph: RosGraph) -> None:
    node, heard = graph.observer, []
    reader = TopicReader(node, "/odom", {Odometry: heard.append})
    node.create_timer(0.05, reader.poll)
    for qos in (SENSOR_OUT, BEST_EFFORT):
        publisher = node.create_publisher(Odometry, "/odom", qos)
        wait_for(publisher.get_subscription_count, "a subscription that fits")
        node.destroy_publisher(publisher)
