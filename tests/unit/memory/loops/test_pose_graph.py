"""Pose graphs with a known solution: a square way whose odometry turns too far at each corner."""

from __future__ import annotations

import math
from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory.loops.alignment import held_by
from scenemind.memory.loops.pose_graph import Loop, scale_of, solve
from scenemind.memory.places.constellation import turn_about_z

SIDE_M, ERROR_RAD, ERROR_M = 3.0, math.radians(1.5), 0.03
# Two rounds of a square, a node at each corner. Cameras look along the way, at a height.
CAMERA = Pose(np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), np.zeros(3))
STEPS = [turn_about_z(math.pi / 2.0, SIDE_M, 0.0, 0.0)] * 8
WAY = np.outer(np.arange(9), (SIDE_M, math.pi / 2.0))


def way(step_error: Pose) -> list[Pose]:
    poses = [turn_about_z(0.0, 0.0, 0.0, 1.1)]
    for step in STEPS:
        poses.append(poses[-1] @ step @ step_error)
    return [pose @ CAMERA for pose in poses]


TRUE = way(Pose.identity())
DRIFTED = way(turn_about_z(ERROR_RAD, ERROR_M, 0.0, 0.004))


def seen_planes(middle: tuple[float, float, float], half_m: float) -> NDArray[np.float64]:
    """What holds a loop to planes in all directions about a place in the camera's frame."""
    points = np.random.default_rng(0).uniform(-half_m, half_m, (600, 3))
    return held_by(points + middle, np.tile(np.eye(3), (200, 1)))


HELD = seen_planes((0.0, 0.0, 0.0), 3.0)


def loop(first: int, second: int, error: Pose | None = None) -> Loop:
    seen = TRUE[first].inverse() @ TRUE[second]
    return Loop(first, second, seen if error is None else error @ seen, 0.01, HELD)


def farthest(found: list[Pose]) -> float:
    return max(a.distance_m(b) for a, b in zip(found, TRUE, strict=True))


@pytest.mark.extras
def test_loops_take_back_what_odometry_drifted(open3d: ModuleType) -> None:
    loops = [loop(number, number + 4) for number in range(5)]
    poses, kept = solve(open3d, range(9), DRIFTED, DRIFTED, WAY, loops)
    assert kept == loops
    assert farthest(DRIFTED) > 0.4
    # The second round lies on the first one; a drift that both share cannot be known.
    for first, second in ((number, number + 4) for number in range(5)):
        assert poses[first].distance_m(poses[second]) < 0.02
    assert farthest(poses) < 0.5 * farthest(DRIFTED)
    assert poses[0].distance_m(TRUE[0]) < 1e-6


@pytest.mark.extras
def test_a_loop_that_contradicts_the_others_is_dropped(open3d: ModuleType) -> None:
    right = [loop(number, number + 4) for number in range(5)]
    wrong = loop(1, 6, turn_about_z(0.3, 0.8, -0.5, 0.0))
    poses, kept = solve(open3d, range(9), DRIFTED, DRIFTED, WAY, [*right, wrong])
    assert kept == right
    assert poses[0].distance_m(poses[4]) < 0.02


@pytest.mark.extras
def test_without_an_error_nothing_moves(open3d: ModuleType) -> None:
    poses, kept = solve(open3d, range(9), TRUE, TRUE, WAY, [loop(0, 4), loop(3, 7)])
    assert len(kept) == 2
    assert farthest(poses) < 1e-6
    for a, b in pairwise(range(9)):
        assert (poses[a].inverse() @ poses[b]).angle_rad(TRUE[a].inverse() @ TRUE[b]) < 1e-6


@pytest.mark.extras
def test_a_turn_about_what_is_seen_is_no_shift_of_the_camera(open3d: ModuleType) -> None:
    """Of a table two metres away an alignment says hardly how it is turned. A camera that turns on
    the spot, as odometry knows, is not put elsewhere by that; where the table is, it believes."""
    ahead, spot = (0.0, 0.0, 2.0), np.outer(np.arange(5), (0.02, 1.5 * math.pi))
    true = [turn_about_z(0.0, 0.0, 0.0, 1.1) @ CAMERA] * 5
    drifted = [turn_about_z(math.radians(0.5 * k), 0.0, 0.0, 0.0) @ true[k] for k in range(5)]
    to_table = turn_about_z(0.0, 2.0, 0.0, 0.0)
    wrong = to_table @ turn_about_z(math.radians(1.5), 0.0, 0.0, 0.0) @ to_table.inverse()
    seen = CAMERA.inverse() @ wrong @ CAMERA
    assert np.linalg.norm(seen.translation) > 0.05
    table = seen_planes(ahead, 0.4)
    loops = [Loop(0, second, seen, 0.01, table) for second in (3, 4)]
    poses, kept = solve(open3d, range(5), drifted, drifted, spot, loops)
    assert kept == loops
    assert max(a.distance_m(b) for a, b in zip(poses, true, strict=True)) < 0.015
    for pose in poses[3:]:
        there = pose.transform(np.array(ahead)) - true[0].transform(np.array(ahead))
        assert np.linalg.norm(there) < 0.015
    for pose, before in zip(poses[3:], drifted[3:], strict=True):
        assert pose.angle_rad(true[0]) < 0.4 * before.angle_rad(true[0])


@pytest.mark.extras
def test_loops_across_a_place_tell_the_scale_of_odometry(open3d: ModuleType) -> None:
    """All of the way is 5 % too short: each round closes, and only loops between opposite ends
    tell that the place is larger."""
    short = [Pose(pose.rotation, 0.95 * pose.translation) for pose in TRUE]
    across = [loop(number, number + 2) for number in range(7)]
    poses, kept = solve(open3d, range(9), short, short, WAY, [loop(0, 4), loop(4, 8), *across])
    assert len(kept) == 9
    corner_m = [poses[0].distance_m(poses[number]) for number in (1, 2, 3)]
    assert corner_m == pytest.approx([SIDE_M, SIDE_M * math.sqrt(2.0), SIDE_M], abs=0.01)


def test_a_scale_is_measured_by_loops_that_are_long_and_agree() -> None:
    lengths = [3.0, 3.5, 4.0, 2.5, 3.2, 0.1]
    errors = np.random.default_rng(0).normal(0.0, 0.015, 6)
    noisy = [0.95 * length + error for length, error in zip(lengths, errors, strict=True)]
    assert scale_of(lengths, noisy) == pytest.approx(0.95, abs=0.01)
    # One that is wrong counts for one.
    assert scale_of(lengths, [5.0, *noisy[1:]]) == pytest.approx(0.95, abs=0.01)
    # Two tell nothing, nor do those whose ends are at one place.
    assert scale_of(lengths[:2], noisy[:2]) == 1.0
    assert scale_of([0.1] * 9, [0.05] * 9) == 1.0


def test_the_error_of_alignments_is_no_scale() -> None:
    lengths = np.array([3.0, 3.5, 4.0, 2.5, 3.2])
    for seed in range(50):
        off = np.random.default_rng(seed).normal(0.0, 0.015, 5)
        assert scale_of(lengths.tolist(), (lengths + off).tolist()) == pytest.approx(1.0, abs=0.02)
    off = 0.01 * np.array([1, -1, 1, -1, 1])
    assert scale_of(lengths.tolist(), (lengths + off).tolist()) == 1.0
