"""Corrections of frames between corrected poses: closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Pose
from scenemind.geometry.pose import matrices_of, poses_of
from scenemind.memory import SceneMemoryError
from scenemind.memory.frame_corrections import FrameCorrections, FrameTable, moved_points
from scenemind.simulation.trajectory import look

STEP_NS = 100_000_000


def drive(count: int) -> list[Pose]:
    return [look(0.1 * i, 0.02 * i * i, 1.0, 0.05 * i, -0.1) for i in range(count)]


def table(poses: list[Pose], stamps_ns: list[int] | None = None) -> FrameTable:
    stamps = stamps_ns or [STEP_NS * i for i in range(len(poses))]
    numbers = np.arange(len(poses), dtype=np.int64)
    matrices = np.array([p.matrix() for p in poses])
    return FrameTable(numbers, np.array(stamps, np.int64), poses_of(matrices))


def shift(x: float, yaw: float = 0.0) -> Pose:
    c, s = np.cos(yaw), np.sin(yaw)
    return Pose(np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)]), np.array([x, 0.0, 0.0]))


def test_a_correction_grows_between_two_moments_and_is_held_beyond_them() -> None:
    poses = drive(11)
    corrected = [shift(0.2) @ poses[2], shift(0.6) @ poses[6]]
    found = FrameCorrections.of_stamps(table(poses), [2 * STEP_NS, 6 * STEP_NS], corrected)
    along = found.of_frames(np.arange(11))[:, 0, 3]
    np.testing.assert_allclose(along, [0.2] * 3 + [0.3, 0.4, 0.5] + [0.6] * 5, atol=1e-12)
    assert found.largest_m == pytest.approx(0.6)
    assert found.count == 11


def test_turns_are_interpolated_as_turns() -> None:
    poses = drive(5)
    corrected = [poses[0], shift(0.0, 0.4) @ poses[4]]
    found = FrameCorrections.of_stamps(table(poses), [0, 4 * STEP_NS], corrected)
    np.testing.assert_allclose(found.of_frames([2])[0], shift(0.0, 0.2).matrix(), atol=1e-12)
    assert found.largest_rad == pytest.approx(0.4)


@given(x=st.floats(-5.0, 5.0), yaw=st.floats(-3.0, 3.0))
def test_one_rigid_correction_is_that_of_every_frame_and_stretch(x: float, yaw: float) -> None:
    poses, move = drive(8), shift(x, yaw)
    stamps = [STEP_NS * i for i in range(8)]
    found = FrameCorrections.of_stamps(table(poses), stamps, [move @ p for p in poses])
    np.testing.assert_allclose(found.of_stretches([0, 3], [7, 4]), [move.matrix()] * 2, atol=1e-9)
    points = np.array([(1.0, 2.0, 0.5)], np.float32)
    np.testing.assert_allclose(
        moved_points(points, found.of_frames([5])[0]), move.transform(points), atol=1e-5
    )
    assert found.newest.distance_m(move) < 1e-9


def test_an_old_pose_between_frames_is_interpolated() -> None:
    poses = [Pose(np.eye(3), np.array([float(i), 0.0, 0.0])) for i in range(3)]
    halfway = Pose(np.eye(3), np.array([0.5, 0.1, 0.0]))
    found = FrameCorrections.of_stamps(table(poses), [STEP_NS // 2], [halfway])
    np.testing.assert_allclose(found.of_frames([0])[0][:3, 3], (0.0, 0.1, 0.0), atol=1e-12)


def test_where_stamps_begin_anew_the_newest_run_is_meant() -> None:
    poses = drive(3) + drive(3)
    stamps = [0, STEP_NS, 2 * STEP_NS] * 2
    found = FrameCorrections.of_stamps(table(poses, stamps), [STEP_NS], [shift(1.0) @ poses[1]])
    assert found.of_frames(np.arange(6))[:, 0, 3].tolist() == pytest.approx([0, 0, 0, 1, 1, 1])


def test_poses_as_they_are_correct_nothing() -> None:
    poses = drive(4)
    assert not FrameCorrections.of_stamps(table(poses), [0, STEP_NS], poses[:2]).moves_anything


@pytest.mark.parametrize(
    ("stamps", "message"),
    [([], "one at least"), ([2, 1], "ascend"), ([10**12], "was mapped"), ([1.5], "integer")],
)
def test_moments_that_cannot_be_are_refused(stamps: list[float], message: str) -> None:
    with pytest.raises(SceneMemoryError, match=message):
        FrameCorrections.of_stamps(table(drive(3)), stamps, drive(3)[: len(stamps)])


def test_poses_as_they_are_stored_move_as_the_matrices_of_their_frames() -> None:
    poses = drive(9)
    corrected = [poses[2], shift(0.3, 0.2) @ poses[7]]
    found = FrameCorrections.of_stamps(table(poses), [2 * STEP_NS, 7 * STEP_NS], corrected)
    numbers = np.array([0, 4, 8])
    stored = poses_of(np.array([poses[n].matrix() for n in numbers.tolist()]))
    moved = found.of_poses(numbers, stored)
    expected = found.of_frames(numbers) @ matrices_of(stored)
    np.testing.assert_allclose(matrices_of(moved), expected, atol=1e-12)
    np.testing.assert_array_equal(moved[0], stored[0])
