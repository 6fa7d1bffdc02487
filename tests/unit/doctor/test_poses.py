"""Poses, the way up and the floor, in closed form."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from scenemind.doctor.findings import show
from scenemind.doctor.pose_checks import (
    Floor,
    check_floor,
    check_motion,
    check_rotations,
    check_upright,
    find_floor,
    surface_points,
)
from scenemind.frames import SensorFrame
from scenemind.frames.readers.folder import z_up_rotation
from scenemind.geometry import PinholeCamera, Pose
from scenemind.simulation.trajectory import look

COUNT = 31
STAMPS_NS = 1_000_000_000 + np.arange(COUNT) * 100_000_000  # 10 Hz
LEVEL = np.tile((0.0, 0.0, 0.0, 1.0), (COUNT, 1))


def along_x(speed_m_s: float) -> NDArray[np.float64]:
    positions = np.zeros((COUNT, 3))
    positions[:, 0] = np.arange(COUNT) * 0.1 * speed_m_s
    return positions


@pytest.mark.parametrize("bad", [(0, 0, 0, 0), (0, 0, 0, 2), (np.nan, 0, 0, 1)])
def test_invalid_rotations_are_counted(bad: tuple[float, ...]) -> None:
    assert check_rotations(LEVEL).status == "ok"
    quaternions = LEVEL.copy()
    quaternions[3] = bad
    finding = check_rotations(quaternions)
    assert finding.status == "fail"
    assert f"1 of {COUNT}" in finding.measured


def test_motion_says_way_and_speeds() -> None:
    turns = Rotation.from_euler("z", np.arange(COUNT)[:, None] * 0.05).as_quat()
    finding = check_motion(STAMPS_NS, along_x(0.5), turns)
    assert finding.status == "ok"
    assert finding.measured == "1.5 m, at most 0.50 m/s and 0.50 rad/s"


def test_the_sign_of_a_quaternion_is_no_turn() -> None:
    flipped = LEVEL * np.where(np.arange(COUNT) % 2, 1.0, -1.0)[:, None]
    assert "0.00 rad/s" in check_motion(STAMPS_NS, along_x(0.5), flipped).measured


def test_a_jump_is_found() -> None:
    positions = along_x(0.5)
    positions[20:] += 3.0
    finding = check_motion(STAMPS_NS, positions, LEVEL)
    assert finding.status == "warn"
    assert "1 jumps" in finding.measured


@pytest.mark.parametrize(("jumps", "status"), [(3, "warn"), (4, "fail")])
def test_more_than_a_tenth_of_jumps_is_no_odometry(jumps: int, status: str) -> None:
    positions = along_x(0.5)
    for jump in range(jumps):
        positions[5 * (jump + 1) :] += 3.0
    assert check_motion(STAMPS_NS, positions, LEVEL).status == status


def test_poses_that_jump_all_the_time_fail() -> None:
    assert check_motion(STAMPS_NS, along_x(50.0), LEVEL).status == "fail"


def test_a_robot_that_stands_still_is_said() -> None:
    assert check_motion(STAMPS_NS, along_x(0.0), LEVEL).status == "warn"


def test_a_camera_that_looks_down_a_little_is_upright() -> None:
    rotations = [look(0, 0, 1, yaw, -0.4).rotation for yaw in np.linspace(0, 6, 20)]
    finding = check_upright(np.stack(rotations))
    assert finding.status == "ok"
    assert "off world-down" in finding.measured


@pytest.mark.parametrize(("axis", "name"), [("x", "y"), ("y", "x")])
def test_a_world_with_another_axis_up_is_named(axis: str, name: str) -> None:
    quarter = Rotation.from_euler(axis, 90, degrees=True).as_matrix()
    rotations = [quarter @ look(0, 0, 1, yaw, -0.2).rotation for yaw in np.linspace(0, 6, 20)]
    finding = check_upright(np.stack(rotations))
    assert finding.status == "fail"
    # +90 degrees about x take z to -y; about y they take it to +x.
    assert f"{'-' if name == 'y' else '+'}{name}" in finding.fix


def floor_frame(mounted_rad: float = 0.0) -> tuple[SensorFrame, PinholeCamera]:
    """A camera 1.2 m above an endless floor, with a pose that is wrong by a roll."""
    camera = PinholeCamera(320, 240, 260.0, 260.0, 159.5, 119.5)
    true = look(1.0, 2.0, 1.2, 0.7, -0.6)
    v, u = np.mgrid[0:240, 0:320]
    rays = np.stack(((u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy, np.ones(u.shape)), 2)
    falling = (rays @ true.rotation.T)[..., 2]
    depth_m = np.where(falling < -0.05, 1.2 / np.maximum(-falling, 0.05), 0.0).astype(np.float32)
    roll = Rotation.from_euler("z", mounted_rad).as_matrix()
    said = Pose(true.rotation @ roll, true.translation)
    return SensorFrame(1, np.zeros((240, 320, 3), np.uint8), depth_m, said), camera


def found(frame: SensorFrame, camera: PinholeCamera) -> Floor | None:
    return find_floor(*surface_points([frame], camera), frame.world_T_camera.translation[None])


def test_the_floor_is_where_it_was_put() -> None:
    frame, camera = floor_frame()
    finding = check_floor(found(frame, camera))
    assert finding.status == "ok"
    assert finding.measured == "1.20 m below the camera, 0.0 degrees off level"


def test_a_rolled_mounting_tilts_the_floor() -> None:
    frame, camera = floor_frame(np.deg2rad(6.0))
    finding = check_floor(found(frame, camera))
    assert finding.status == "warn"
    assert "base_T_camera" in finding.fix


def test_no_floor_in_view_is_said() -> None:
    nothing = np.zeros((0, 3), np.float32)
    assert find_floor(nothing, nothing, np.zeros((1, 3))) is None
    assert check_floor(None).status == "warn"


# Longer than any line of a table.
FILE = Path("recordings") / ("of the old kitchen " * 9) / "gravity-direction.txt"


@pytest.mark.parametrize("tilt_deg", [17.0, 38.0])
def test_gravity_is_measured_in_the_recorded_world(
    tilt_deg: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recording whose y points nearly down, read as if it did exactly."""
    frame, camera = floor_frame()
    tilt = Rotation.from_euler("xy", (tilt_deg, 4.0), degrees=True).as_matrix()
    pose = frame.world_T_camera
    as_read = replace(frame, world_T_camera=Pose(tilt @ pose.rotation, tilt @ pose.translation))
    zup_T_recorded = z_up_rotation((0, 1, 0))
    finding = check_floor(found(as_read, camera), zup_T_recorded, FILE)
    assert finding.status == "fail"
    assert show("kitchen", [finding], as_json=False) == 1
    (line,) = (one for one in capsys.readouterr().out.splitlines() if one.startswith("echo "))
    echo, *down, into, file = shlex.split(line)
    assert (echo, into, file) == ("echo", ">", str(FILE))
    measured = np.array([float(word) for word in down])
    true = zup_T_recorded.rotation.T @ tilt @ (0, 0, -1)
    assert np.linalg.norm(measured - true) < np.radians(0.5)
