"""Where the camera is on the robot: /tf_static beside the parameter, as tf2 documents it."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scenemind.geometry import Pose
from scenemind_ros.input import mounting as mounting_module
from scenemind_ros.input.mounting import CameraMounting
from scenemind_ros.parameters import OPTICAL_MOUNTING, pose_from_list

from .graph import RosGraph
from .tf2 import Transforms, stand_in

S = 1_000_000_000
GIVEN = [0.10, 0.0, 0.30, -math.pi / 2, 0.0, -math.pi / 2]


class Mounted(Transforms):
    """Knows base -> camera, once it is set."""

    known: Pose | None = None

    def find(self, target: str, source: str, _stamp: int) -> Pose | None:
        return self.known if (target, source) == ("base_link", "camera_optical") else None


@pytest.fixture
def buffer(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    buffer = Mounted()
    stand_in(monkeypatch, buffer)
    return buffer


def moved(x: float) -> Pose:
    given = pose_from_list(GIVEN)
    return Pose(given.rotation, given.translation + np.array([x, 0.0, 0.0]))


def mounted(graph: RosGraph, parameter: list[float]) -> tuple[CameraMounting, list[Pose]]:
    settled: list[Pose] = []
    return CameraMounting(graph.observer, parameter, settled.append), settled


def test_tf_static_is_taken_where_it_is(graph: RosGraph, buffer: Mounted) -> None:
    buffer.known = moved(0.0)
    mounting, settled = mounted(graph, OPTICAL_MOUNTING)
    assert not mounting.is_settled
    mounting.look("base_link", "/camera_optical", S)
    np.testing.assert_allclose(settled[0].matrix(), buffer.known.matrix(), atol=1e-9)
    assert (mounting.source, mounting.problem) == ("/tf_static", "")
    buffer.known = moved(1.0)
    mounting.look("base_link", "camera_optical", 2 * S)
    assert len(settled) == 1, "a change on the way would tear the map"


@pytest.mark.parametrize(("apart_m", "is_said"), [(0.004, False), (0.05, True)])
def test_a_parameter_that_says_otherwise_is_named(
    graph: RosGraph, buffer: Mounted, apart_m: float, is_said: bool
) -> None:
    buffer.known = moved(apart_m)
    mounting, settled = mounted(graph, GIVEN)
    mounting.look("base_link", "camera_optical", S)
    assert bool(mounting.problem) == is_said
    if is_said:
        assert "differ by 0.050 m and 0.0 degrees; /tf_static is taken" in mounting.problem
    np.testing.assert_allclose(settled[0].matrix(), buffer.known.matrix(), atol=1e-9)


def test_a_camera_that_moves_on_the_base_needs_poses_of_tf(
    graph: RosGraph, buffer: Mounted
) -> None:
    buffer.known, buffer.stamp_s = moved(0.0), 7
    mounting, _ = mounted(graph, GIVEN)
    mounting.look("base_link", "camera_optical", S)
    assert mounting.source == "base_T_camera"
    assert "set pose_source to tf" in mounting.problem


@pytest.mark.usefixtures("buffer")
def test_without_an_answer_in_time_the_parameter_holds(
    graph: RosGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    now: list[float] = [100.0]
    clock: Any = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(mounting_module, "time", clock)
    mounting, settled = mounted(graph, GIVEN)
    mounting.look("base_link", "camera_optical", S)
    assert not settled, "it may come yet"
    now[0] += 0.6  # nobody publishes /tf_static
    mounting.poll()
    assert mounting.source == "base_T_camera"
    np.testing.assert_allclose(settled[0].matrix(), pose_from_list(GIVEN).matrix(), atol=1e-9)


@pytest.mark.usefixtures("buffer")
def test_frames_without_names_are_in_no_tree(graph: RosGraph) -> None:
    mounting, settled = mounted(graph, GIVEN)
    mounting.look("", "camera_optical", S)
    assert settled
    assert mounting.problem == ""


@pytest.mark.skipif(mounting_module.tf2_ros is not None, reason="tf2_ros is installed here")
def test_without_tf2_the_parameter_holds_from_the_start(graph: RosGraph) -> None:
    mounting, _ = mounted(graph, GIVEN)
    assert mounting.is_settled
