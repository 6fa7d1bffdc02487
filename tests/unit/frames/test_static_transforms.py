"""Transforms between frames that are mounted on each other."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from scenemind.frames.static_transforms import StaticTransforms
from scenemind.geometry import Pose

BASE_T_MAST = Pose(Rotation.from_euler("z", 90, degrees=True).as_matrix(), np.array([0, 0, 1.0]))
MAST_T_CAMERA = Pose(Rotation.from_euler("x", 20, degrees=True).as_matrix(), np.array([0.1, 0, 0]))


def test_a_chain_is_followed_both_ways_and_across_a_fork() -> None:
    transforms = StaticTransforms()
    transforms.add("base_link", "/mast", BASE_T_MAST)
    transforms.add("mast", "camera", MAST_T_CAMERA)
    transforms.add("base_link", "lidar", Pose.identity())
    base_T_camera = transforms.find("base_link", "camera")
    lidar_T_camera = transforms.find("lidar", "camera")
    camera_T_base = transforms.find("camera", "base_link")
    expected = (BASE_T_MAST @ MAST_T_CAMERA).matrix()
    assert base_T_camera is not None
    assert lidar_T_camera is not None
    assert camera_T_base is not None
    assert np.allclose(base_T_camera.matrix(), expected)
    assert np.allclose(lidar_T_camera.matrix(), expected)
    assert np.allclose(camera_T_base.matrix(), np.linalg.inv(expected))


def test_the_same_frame_and_a_frame_that_is_not_connected() -> None:
    transforms = StaticTransforms()
    same = transforms.find("camera", "camera")
    assert same is not None
    assert np.array_equal(same.matrix(), np.eye(4))
    assert transforms.find("base_link", "camera") is None
