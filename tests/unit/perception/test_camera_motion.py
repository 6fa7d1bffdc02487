"""Boxes moved by the camera's known motion."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scenemind.geometry import Pose
from scenemind.perception.camera_motion import reproject

from .scenes import CAMERA

small = st.floats(-0.3, 0.3)


@given(st.tuples(small, small, small), st.tuples(small, small, small), st.floats(1.0, 6.0))
def test_a_point_of_known_depth_lands_where_it_projects(
    turn: tuple[float, ...], step: tuple[float, ...], depth: float
) -> None:
    motion = Pose(Rotation.from_rotvec(turn).as_matrix(), np.array(step))
    start = np.array([(200.0, 300.0)])
    point = CAMERA.unproject(start[:, 0], start[:, 1], np.array([depth])).astype(np.float64)
    expected, z = CAMERA.project(motion.transform(point))

    center, scale, in_front = reproject(start, np.array([1.0 / depth]), CAMERA, motion)

    assert in_front.all()
    np.testing.assert_allclose(center, expected, atol=1e-2)
    np.testing.assert_allclose(scale, depth / z, rtol=1e-5)


def test_without_depth_only_the_rotation_counts() -> None:
    start = np.array([(CAMERA.cx, CAMERA.cy)])
    step = Pose(np.eye(3), np.array([0.4, 0.0, 0.0]))
    center, scale, _ = reproject(start, np.zeros(1), CAMERA, step)
    np.testing.assert_allclose(center, start)
    np.testing.assert_allclose(scale, 1.0)

    turned = Pose(Rotation.from_euler("y", 0.1).as_matrix(), np.zeros(3))
    center, _, _ = reproject(start, np.zeros(1), CAMERA, turned)
    np.testing.assert_allclose(center[0, 0] - CAMERA.cx, CAMERA.fx * np.tan(0.1))


def test_what_passes_the_camera_is_reported() -> None:
    forward = Pose(np.eye(3), np.array([0.0, 0.0, -2.0]))
    _, _, in_front = reproject(np.full((2, 2), 200.0), np.array([1.0, 0.25]), CAMERA, forward)
    assert in_front.tolist() == [False, True]
