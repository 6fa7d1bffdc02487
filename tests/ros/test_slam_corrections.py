"""Poses that a SLAM system corrects, from its topics and TF to the memory of a mapping node."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path

from scenemind.config import ConfigError, SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import Memory
from scenemind.perception.types import Detections
from scenemind_ros.conversions import header_to_msg, pose_to_msg
from scenemind_ros.mapping import slam_corrections
from scenemind_ros.mapping.slam_corrections import SlamCorrections
from scenemind_ros.optional_ros import tf2_ros
from scenemind_ros.parameters import MappingParameters, pose_from_list

from .graph import SIMULATED, RosGraph, wait_for
from .tf2 import Transforms, stand_in

TOPIC = "/slam/path"
STEP_NS = 100_000_000
CAMERA = PinholeCamera(8, 6, 8.0, 8.0, 3.5, 2.5)
MOUNTING = pose_from_list(MappingParameters().base_T_camera)


def base(x: float, y: float = 0.0) -> Pose:
    return Pose(np.eye(3), np.array([x, y, 0.0]))


@pytest.fixture
def memory() -> Iterator[Memory]:
    """A drive of eleven frames along x."""
    with Memory.create(None, SceneMindConfig()) as memory:
        for number in range(11):
            frame = RGBDFrame(
                number=number,
                stamp_ns=STEP_NS * (number + 1),
                color=np.zeros((6, 8, 3), np.uint8),
                depth_m=np.zeros((6, 8), np.float32),
                camera=CAMERA,
                world_T_camera=base(0.2 * number) @ MOUNTING,
            )
            memory.integrate(frame, Detections.empty(), np.zeros(0, np.int64), [])
        yield memory


def settings(**corrections: Any) -> MappingParameters:
    flat = {f"corrections.{name}": value for name, value in corrections.items()}
    return MappingParameters.from_flat({**SIMULATED, "corrections.every_s": 0.01, **flat})


def path_of(stamped: list[tuple[int, Pose]]) -> Path:
    return Path(
        poses=[
            PoseStamped(header=header_to_msg(stamp, "map"), pose=pose_to_msg(pose))
            for stamp, pose in stamped
        ]
    )


def test_a_path_moves_the_memory_and_what_comes_after(graph: RosGraph, memory: Memory) -> None:
    corrections = SlamCorrections(graph.observer, settings(path=TOPIC), lambda: memory)
    try:
        publisher = graph.observer.create_publisher(Path, TOPIC, 1)
        message = path_of([(STEP_NS, base(0.0)), (11 * STEP_NS, base(2.0, 0.5))])

        def is_applied() -> bool:
            corrections.poll()
            publisher.publish(message)
            return corrections.applied > 0

        wait_for(is_applied, "the correction")
        (noted,) = memory.pose_corrections()
        assert noted.largest_m == pytest.approx(0.5, abs=1e-6)
        assert corrections.largest_m == noted.largest_m
        np.testing.assert_allclose(
            memory.trajectory()[:, 1], 0.25 * memory.trajectory()[:, 0], atol=1e-5
        )
        # The odometry goes on as before.
        assert memory.world_T_input.translation[1] == pytest.approx(0.5)
    finally:
        corrections.close()


def test_small_corrections_wait_and_wrong_ones_are_told(graph: RosGraph, memory: Memory) -> None:
    corrections = SlamCorrections(graph.observer, settings(path=TOPIC), lambda: memory)
    try:
        corrections._add_path(path_of([(11 * STEP_NS, base(2.0, 0.01))]))
        corrections._add_path(path_of([(10**15, base(2.0, 1.0))]))
        wait_for(lambda: corrections.refused, "the refusal")
        assert "was mapped" in corrections.problem
        assert corrections.applied == 0
        assert memory.pose_corrections() == []
    finally:
        corrections.close()


class Shifted(Transforms):
    """map -> odom, shifted by `y`."""

    y = 0.0

    def find(self, target: str, source: str, _stamp: int) -> Pose | None:
        return base(0.0, self.y) if (target, source) == ("map", "odom") else None


def test_a_jump_of_map_to_odom_grows_over_the_way_since_the_last_one(
    graph: RosGraph, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    buffer = Shifted()
    stand_in(monkeypatch, buffer)
    corrections = SlamCorrections(graph.observer, settings(tf=True), lambda: memory)
    try:
        corrections.poll()
        assert corrections._jumps is not None
        corrections._jumps.last_ns = STEP_NS
        buffer.y = 0.4
        corrections.poll()
        wait_for(lambda: corrections.applied, "the correction")
        np.testing.assert_allclose(
            memory.trajectory()[:, 1], 0.2 * memory.trajectory()[:, 0], atol=1e-5
        )
        corrections.poll()
        assert corrections.applied == 1
    finally:
        corrections.close()


def test_rtabmaps_graph_names_the_poses_of_its_nodes(
    graph: RosGraph, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a message as rtabmap_msgs describes it, which has no wheel."""
    monkeypatch.setattr(slam_corrections, "rtabmap_msgs", SimpleNamespace(MapData=Path))
    corrections = SlamCorrections(
        graph.observer, settings(graph="/rtabmap/mapData"), lambda: memory
    )
    try:
        assert set(corrections.readers) == {"corrected_graph"}
        nodes = [SimpleNamespace(id=7, stamp=0.1), SimpleNamespace(id=9, stamp=1.1)]
        poses = [pose_to_msg(base(0.0, 1.0)), pose_to_msg(base(2.0, 1.0)), pose_to_msg(base(9.0))]
        message = SimpleNamespace(
            nodes=nodes, graph=SimpleNamespace(poses_id=[7, 9, 12], poses=poses)
        )
        corrections._add_graph(message)
        wait_for(lambda: corrections.applied, "the correction")
        assert memory.trajectory()[:, 1] == pytest.approx(1.0, abs=1e-5)
    finally:
        corrections.close()


def test_what_is_missing_is_said(
    graph: RosGraph, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slam_corrections, "rtabmap_msgs", None)
    corrections = SlamCorrections(graph.observer, settings(graph="/g"), lambda: memory)
    corrections.close()
    assert "rtabmap_msgs" in corrections.problem
    if tf2_ros is not None:
        return
    with pytest.raises(ConfigError, match="tf2_ros"):
        SlamCorrections(graph.observer, settings(tf=True), lambda: memory)
