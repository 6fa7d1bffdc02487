"""The robot's way, and its odometry."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import Pose
from scenemind.simulation import Sensors, SimulationError, make_room, simulate
from scenemind.simulation.trajectory import (
    Drift,
    another_origin,
    drift_at_end,
    drifting_odometry,
    look,
    loop_trajectory,
)

ROOM = make_room(1)


def test_the_first_of_several_rounds_is_the_only_one() -> None:
    once, thrice = loop_trajectory(ROOM, 101), loop_trajectory(ROOM, 301, loops=3)
    for a, b in zip(once, thrice[:101], strict=True):
        assert a.distance_m(b) < 1e-9
        assert a.angle_rad(b) < 1e-6


def test_later_rounds_come_near_the_first_but_differ_from_it_and_each_other() -> None:
    poses = loop_trajectory(ROOM, 301, loops=3)
    rounds = [poses[:100], poses[100:200], poses[200:300]]
    for a, b in itertools.combinations(rounds, 2):
        moved = [p.distance_m(q) for p, q in zip(a, b, strict=True)]
        turned = [np.rad2deg(p.angle_rad(q)) for p, q in zip(a, b, strict=True)]
        assert 0.05 < max(moved) < 0.3
        assert 3.0 < max(turned) < 30.0


def test_every_round_keeps_to_free_space() -> None:
    way = ROOM.loop.at(np.linspace(0, 2 * np.pi, 720))
    for pose in loop_trajectory(ROOM, 400, loops=4):
        assert np.linalg.norm(way - pose.translation[:2], axis=1).min() < 0.13


def test_no_round_is_an_error() -> None:
    with pytest.raises(SimulationError, match="at least 1"):
        simulate(1, loops=0)


FRAMES = 600


def straight_way(length_m: float) -> list[Pose]:
    return [look(float(x), 0.0, 1.0, 0.0, 0.0) for x in np.linspace(0.0, length_m, FRAMES)]


def final_errors(amount: float, seeds: range) -> tuple[float, float]:
    """Root mean square errors after 30 m straight on: of the distance in m, of yaw in degrees."""
    way = straight_way(30.0)
    distances, yaws = [], []
    for seed in seeds:
        last = drifting_odometry(way, amount, seed)[-1]
        distances.append(last.translation[0] - 30.0)
        forward = last.rotation[:, 2]
        yaws.append(np.rad2deg(np.arctan2(forward[1], forward[0])))
    return float(np.sqrt(np.mean(np.square(distances)))), float(np.sqrt(np.mean(np.square(yaws))))


def test_odometry_without_noise_is_the_truth() -> None:
    way = straight_way(3.0)
    assert drifting_odometry(way, 0.0, 1) == tuple(way)
    assert drifting_odometry([], 1.0, 1) == ()


def test_drift_is_that_of_good_visual_inertial_odometry() -> None:
    distance_m, yaw_deg = final_errors(1.0, range(100))
    assert 0.001 < distance_m / 30.0 < 0.006
    assert 0.3 < yaw_deg < 0.9  # 0.03 degrees a metre all the way would be 0.9


def test_drift_grows_with_the_amount() -> None:
    once, twice = final_errors(0.5, range(40)), final_errors(1.0, range(40))
    assert twice[1] == pytest.approx(2 * once[1], rel=0.1)


def test_odometry_starts_at_the_true_pose_and_has_no_jumps() -> None:
    way = straight_way(12.0)
    reported = drifting_odometry(way, 1.0, 4)
    assert reported[0].distance_m(way[0]) == 0.0
    for (a, b), (c, d) in zip(itertools.pairwise(reported), itertools.pairwise(way), strict=True):
        assert abs(a.distance_m(b) - c.distance_m(d)) < 0.02
        assert np.rad2deg(a.angle_rad(b)) < 1.0


def test_odometry_stays_upright() -> None:
    reported = drifting_odometry(straight_way(300.0), 1.0, 2)
    down = np.array([pose.rotation[:, 1] for pose in reported])
    assert np.rad2deg(np.arccos(-down[:, 2])).max() < 0.6  # jitter alone


def test_rotations_stay_rotations() -> None:
    for pose in drifting_odometry(straight_way(5.0), 3.0, 1)[::50]:
        np.testing.assert_allclose(pose.rotation @ pose.rotation.T, np.eye(3), atol=1e-12)


def test_frames_have_the_pose_of_odometry_and_the_image_of_the_true_pose() -> None:
    small = Sensors(64, 48, depth_noise=0.0)
    drifting = replace(small, odometry_noise=1.0)
    exact, noisy = simulate(3, 8, small), simulate(3, 8, drifting)
    for a, b, said, true in zip(exact, noisy, noisy.poses, noisy.true_poses, strict=True):
        np.testing.assert_array_equal(a.depth_m, b.depth_m)
        assert b.world_T_camera is said
        assert a.world_T_camera.distance_m(true) == 0.0
    assert noisy.poses[-1].distance_m(noisy.true_poses[-1]) > 1e-3
    again = simulate(3, 8, drifting)
    assert all(a.distance_m(b) == 0.0 for a, b in zip(noisy.poses, again.poses, strict=True))


def test_a_steady_drift_grows_with_the_way() -> None:
    """On 10 m straight ahead: 1 % of the way, and the arc of a turn of 1 degree a metre."""
    poses = straight_way(10.0)
    along = drift_at_end(poses, drifting_odometry(poses, 0.0, 1, Drift(0.01)))
    assert along == pytest.approx((0.1, 0.0), abs=1e-5)
    metres, degrees = drift_at_end(poses, drifting_odometry(poses, 0.0, 1, Drift(0.0, 1.0)))
    assert degrees == pytest.approx(10.0, abs=0.2)
    assert metres == pytest.approx(10.0 * np.deg2rad(10.0) / 2.0, rel=0.05)


def test_another_origin_changes_where_the_drive_is_and_not_how_it_goes() -> None:
    poses = straight_way(5.0)
    for seed in range(3):
        moved = another_origin(poses, seed)
        assert drift_at_end(poses, moved) == pytest.approx((0.0, 0.0), abs=1e-4)
        assert moved[0].distance_m(poses[0]) > 0.1
