"""What the mapping node says of an input from which no frames come."""

from __future__ import annotations

import time

import pytest

from scenemind_ros.input.camera_input import CameraInput
from scenemind_ros.input.health import FrameYield, ImageLosses, input_problems
from scenemind_ros.parameters import MappingParameters

from .graph import RosGraph

SILENCE_S = 0.05


@pytest.fixture
def source(graph: RosGraph) -> CameraInput:
    """Input of which every stream has come once, long ago."""
    source = CameraInput(graph.observer, MappingParameters(), lambda _: None, lambda _: None)
    for reader in source.readers.values():
        reader.received, reader.heard_at = 1, time.monotonic() - 60.0
    return source


def test_calibration_may_come_only_once(graph: RosGraph, source: CameraInput) -> None:
    problems = input_problems(graph.observer, source, SILENCE_S, 1.0)
    silent = [problem.partition(":")[0] for problem in problems]
    assert silent == [f"nothing arrives for {name}" for name in ("color", "depth", "odometry")]
    source.readers["camera_info"].received = 0
    problems = input_problems(graph.observer, source, SILENCE_S, 1.0)
    assert any("nothing arrives for camera_info" in problem for problem in problems)


def test_the_stream_with_the_older_clock_is_behind(graph: RosGraph, source: CameraInput) -> None:
    source.assembler.newest_stamp_ns.update(color=10 * 10**9, depth=10**10, odometry=3 * 10**9)
    problems = input_problems(graph.observer, source, SILENCE_S, jump_s=5.0)
    assert "the stamps of odometry are 7.0 s behind those of color" in problems[-1]
    problems = input_problems(graph.observer, source, SILENCE_S, jump_s=8.0)
    assert "behind" not in problems[-1]


def test_the_commonest_cause_of_missing_frames_is_named(source: CameraInput) -> None:
    source.drops.count("bad_camera_info", "K is zero")
    missing = FrameYield(source, SILENCE_S)
    source.drops.count("bad_image", "yuv422")
    for _ in range(3):
        source.drops.count("bad_pose", "NaN")
    time.sleep(SILENCE_S)
    source.readers["color"].heard_at = time.monotonic()
    (problem,) = missing.problems()
    assert problem.endswith("3 x bad_pose, NaN")


def test_images_that_are_lost_on_the_way_are_told_from_a_slow_camera(
    source: CameraInput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTDDS_DEFAULT_PROFILES_FILE", "/opt/profile.xml")
    losses = ImageLosses(source)
    assert not losses.problems()

    def hear(color: int, depth: int, camera_info: int) -> list[str]:
        for name, count in (("color", color), ("depth", depth), ("camera_info", camera_info)):
            source.readers[name].received += count
        return losses.problems()

    assert not hear(30, 30, 30)
    assert not hear(2, 2, 2), "a slow camera is no loss"
    (problem,) = hear(60, 2, 60)
    assert problem.startswith("34 depth images came with 92 camera_info")
    assert problem.endswith("export FASTDDS_DEFAULT_PROFILES_FILE=/opt/profile.xml")
