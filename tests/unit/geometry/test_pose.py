"""Rigid transforms, one by one and as arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scenemind.geometry import GeometryError, Pose
from scenemind.geometry.pose import matrices_of, poses_of

coordinates = st.floats(-50.0, 50.0)
vectors = st.tuples(coordinates, coordinates, coordinates)


@st.composite
def poses(draw: st.DrawFn) -> Pose:
    xyzw = np.array(draw(st.tuples(*[st.floats(-1.0, 1.0)] * 4)))
    norm = np.linalg.norm(xyzw)
    quaternion = xyzw / norm if norm > 1e-3 else np.array([0.0, 0.0, 0.0, 1.0])
    return Pose.from_quaternion(draw(vectors), quaternion)


def quarter_turn_left() -> Pose:
    """90 degrees about z, standing at (1, 2, 3)."""
    half = np.sqrt(0.5)
    return Pose.from_quaternion((1.0, 2.0, 3.0), (0.0, 0.0, half, half))


def test_a_quarter_turn_takes_x_to_y() -> None:
    moved = quarter_turn_left().transform(np.array([[1.0, 0.0, 0.0]]))
    np.testing.assert_allclose(moved, [[1.0, 3.0, 3.0]], atol=1e-12)


def test_transform_keeps_float32() -> None:
    assert quarter_turn_left().transform(np.zeros((5, 3), np.float32)).dtype == np.float32


def test_distance_and_angle_of_a_quarter_turn() -> None:
    pose = quarter_turn_left()
    assert pose.distance_m(Pose.identity()) == pytest.approx(np.sqrt(14.0))
    assert pose.angle_rad(Pose.identity()) == pytest.approx(np.pi / 2)


def test_halfway_of_a_quarter_turn_is_45_degrees() -> None:
    half = Pose.identity().interpolate(quarter_turn_left(), 0.5)
    np.testing.assert_allclose(half.translation, [0.5, 1.0, 1.5])
    assert half.angle_rad(Pose.identity()) == pytest.approx(np.pi / 4)


@given(poses(), poses(), vectors)
def test_composition_is_one_transform_after_the_other(a: Pose, b: Pose, p: tuple) -> None:
    point = np.array([p])
    np.testing.assert_allclose((a @ b).transform(point), a.transform(b.transform(point)), atol=1e-9)


@given(poses(), vectors)
def test_inverse_undoes(pose: Pose, p: tuple) -> None:
    point = np.array([p])
    np.testing.assert_allclose(pose.inverse().transform(pose.transform(point)), point, atol=1e-9)


@given(poses())
def test_quaternion_and_matrix_say_the_same(pose: Pose) -> None:
    again = Pose.from_quaternion(pose.translation, pose.quaternion_xyzw())
    np.testing.assert_allclose(again.matrix(), pose.matrix(), atol=1e-9)
    np.testing.assert_allclose(Pose.from_matrix(pose.matrix()).matrix(), pose.matrix(), atol=1e-9)


@given(poses(), poses())
def test_interpolation_ends_where_it_should(a: Pose, b: Pose) -> None:
    np.testing.assert_allclose(a.interpolate(b, 0.0).matrix(), a.matrix(), atol=1e-9)
    np.testing.assert_allclose(a.interpolate(b, 1.0).matrix(), b.matrix(), atol=1e-6)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.eye(3), "4x4"),
        (np.diag([1.0, 1.0, np.nan, 1.0]), "NaN"),
        (np.diag([2.0, 2.0, 2.0, 1.0]), "no rotation"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "mirrored"),
        (np.diag([1.0, 1.0, 1.0, 2.0]), "last row"),
    ],
)
def test_error_for_an_invalid_pose_says_why(matrix: np.ndarray, words: str) -> None:
    with pytest.raises(GeometryError, match=words):
        Pose.from_matrix(matrix)


def test_an_unfilled_odometry_message_is_named() -> None:
    with pytest.raises(GeometryError, match="never filled"):
        Pose.from_quaternion((0, 0, 0), (0, 0, 0, 0))


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
def test_error_names_the_invalid_pose(column: int, value: float) -> None:
    poses = some_poses(4)
    poses[2, column] = value
    with pytest.raises(GeometryError, match="pose 2 of 4 is none"):
        matrices_of(poses)
    poses[2] = 0.0
    with pytest.raises(GeometryError, match="pose 2 of 4 is none"):
        matrices_of(poses)
