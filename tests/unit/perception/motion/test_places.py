"""Places moved by the camera's known motion."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scenemind.geometry import Pose
from scenemind.perception.motion.places import are_in_front, centers_of, growth, places_at

from ..scenes import CAMERA

small = st.floats(-0.3, 0.3)


@given(st.tuples(small, small, small), st.tuples(small, small, small), st.floats(1.0, 6.0))
def test_a_point_of_known_depth_lands_where_it_projects(
    turn: tuple[float, ...], step: tuple[float, ...], depth: float
) -> None:
    motion = Pose(Rotation.from_rotvec(turn).as_matrix(), np.array(step))
    start = np.array([(200.0, 300.0)])
    point = CAMERA.unproject(start[:, 0], start[:, 1], np.array([depth])).astype(np.float64)
    expected, z = CAMERA.project(motion.transform(point))

    place = places_at(start, np.array([1.0 / depth]), CAMERA)
    moved = place @ motion.matrix().T

    assert are_in_front(moved).all()
    np.testing.assert_allclose(centers_of(moved, CAMERA), expected, atol=1e-2)
    np.testing.assert_allclose(growth(place, moved), depth / z, rtol=1e-5)
    np.testing.assert_allclose(moved[:, 3] / moved[:, 2], 1.0 / z, rtol=1e-5)


def test_without_depth_only_the_rotation_counts() -> None:
    place = places_at(np.array([(CAMERA.cx, CAMERA.cy)]), np.zeros(1), CAMERA)
    step = Pose(np.eye(3), np.array([0.4, 0.0, 0.0]))
    np.testing.assert_allclose(place @ step.matrix().T, place)

    turned = Pose(Rotation.from_euler("y", 0.1).as_matrix(), np.zeros(3))
    center = centers_of(place @ turned.matrix().T, CAMERA)
    np.testing.assert_allclose(center[0, 0] - CAMERA.cx, CAMERA.fx * np.tan(0.1))


def test_a_place_behind_the_camera_comes_back_as_it_was() -> None:
    """Two places; the camera drives 2 m forward, past the nearer one, and back."""
    places = places_at(np.full((2, 2), 200.0), np.array([1.0, 0.25]), CAMERA)
    forward = Pose(np.eye(3), np.array([0.0, 0.0, -2.0]))
    passed = places @ forward.matrix().T
    back = passed @ forward.inverse().matrix().T

    assert are_in_front(passed).tolist() == [False, True]
    np.testing.assert_allclose(centers_of(back, CAMERA), 200.0)
    np.testing.assert_allclose(growth(places, passed) * growth(passed, back), 1.0)
