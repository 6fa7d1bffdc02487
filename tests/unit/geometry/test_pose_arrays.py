"""Poses as arrays are what each of them is alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from scenemind.geometry import GeometryError, Pose
from scenemind.geometry.pose_arrays import matrices_of, poses_of


def some_poses(count: int) -> np.ndarray:
    turns = Rotation.random(count, random_state=3).as_quat(canonical=True)
    return np.hstack((np.random.default_rng(3).uniform(-9, 9, (count, 3)), turns))


def test_each_matrix_is_that_of_its_pose() -> None:
    poses = some_poses(50)
    alone = [Pose.from_quaternion(pose[:3], pose[3:]).matrix() for pose in poses]
    np.testing.assert_array_equal(matrices_of(poses), alone)
    np.testing.assert_allclose(poses_of(matrices_of(poses)), poses, atol=1e-12)


def test_none_are_none() -> None:
    assert matrices_of(np.zeros((0, 7))).shape == (0, 4, 4)
    assert poses_of(np.zeros((0, 4, 4))).shape == (0, 7)


@pytest.mark.parametrize(("column", "value"), [(0, np.nan), (2, np.inf), (4, 2.0), (5, np.nan)])
def test_what_is_no_pose_is_named(column: int, value: float) -> None:
    poses = some_poses(4)
    poses[2, column] = value
    with pytest.raises(GeometryError, match="pose 2 of 4 is none"):
        matrices_of(poses)
    poses[2] = 0.0
    with pytest.raises(GeometryError, match="pose 2 of 4 is none"):
        matrices_of(poses)
