"""Planes before a camera, in closed form: where the samples lie and which way they face."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import DepthConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.structure.surface_samples import FARTHEST_M, SurfaceSamples, sample_surfaces
from scenemind.simulation.trajectory import look

CAMERA = PinholeCamera(160, 120, 130.0, 130.0, 79.5, 59.5)


def samples_of(frame: RGBDFrame, **settings_: float) -> SurfaceSamples:
    return sample_surfaces(frame, DepthConfig.model_validate(settings_))


def frame_of(depth_m: np.ndarray, pose: Pose, camera: PinholeCamera = CAMERA) -> RGBDFrame:
    color = np.zeros((camera.height, camera.width, 3), np.uint8)
    return RGBDFrame(0, 1, color, depth_m.astype(np.float32), camera, pose)


def see_plane(normal: np.ndarray, offset_m: float, pose: Pose) -> np.ndarray:
    """Depth (H, W) of the plane normal . p = offset in the world; 0 behind the camera."""
    v, u = np.mgrid[: CAMERA.height, : CAMERA.width]
    rays = np.stack(
        ((u - CAMERA.cx) / CAMERA.fx, (v - CAMERA.cy) / CAMERA.fy, np.ones(u.shape)), axis=-1
    )
    along = rays @ (pose.rotation.T @ normal)
    with np.errstate(divide="ignore"):
        depth_m = (offset_m - normal @ pose.translation) / along
    return np.where((depth_m > 0.0) & (depth_m < 100.0), depth_m, 0.0)


@settings(max_examples=40, deadline=None)
@given(
    yaw=st.floats(-3.1, 3.1),
    pitch=st.floats(-0.6, 0.6),
    tilt=st.floats(-0.7, 0.7),
    swing=st.floats(-0.7, 0.7),
    distance_m=st.floats(0.8, 4.0),
)
def test_samples_of_a_plane_lie_on_it_and_face_the_camera(yaw, pitch, tilt, swing, distance_m):
    pose = look(1.0, -2.0, 1.3, yaw, pitch)
    to_camera = pose.rotation @ np.array(
        [np.sin(swing), np.cos(swing) * np.sin(tilt), -np.cos(swing) * np.cos(tilt)]
    )
    offset_m = to_camera @ pose.translation - distance_m * -(to_camera @ pose.rotation[:, 2])
    samples = samples_of(frame_of(see_plane(to_camera, offset_m, pose), pose))
    assert len(samples.points) > 100
    np.testing.assert_allclose(samples.points @ to_camera, offset_m, atol=0.003)
    np.testing.assert_allclose(samples.normals @ to_camera, 1.0, atol=1e-3)


def test_noise_of_a_depth_camera_leaves_normals_within_a_few_degrees():
    pose = look(0.0, 0.0, 1.2, 0.3, 0.0)
    forward = pose.rotation[:, 2]
    camera = PinholeCamera(640, 480, 520.0, 520.0, 319.5, 239.5)
    noise = np.random.default_rng(0).standard_normal((480, 640))
    samples = samples_of(frame_of(3.0 + 0.0025 * 3.0**2 * noise, pose, camera))
    off_deg = np.degrees(np.arccos(np.clip(-samples.normals @ forward, -1.0, 1.0)))
    assert len(samples.points) > 2000
    assert np.median(off_deg) < 4.0
    assert np.mean((samples.points - pose.translation) @ forward) == pytest.approx(3.0, abs=0.005)


def test_edges_and_what_is_not_measured_give_no_samples():
    pose = look(0.0, 0.0, 1.2, 0.0, 0.0)
    step = np.full((120, 160), 2.0)
    step[:, 80:] = 3.0
    samples = samples_of(frame_of(step, pose))
    assert set(np.round(samples.points[:, 0], 3).tolist()) == {2.0, 3.0}
    for nothing in (0.0, np.nan, np.inf, FARTHEST_M + 1.0, -1.0):
        assert len(samples_of(frame_of(np.full((120, 160), nothing), pose)).points) == 0


def test_only_the_configured_range_counts():
    frame = flat_wall(160, 120)  # at 2 m
    assert len(samples_of(frame, max_m=2.5).points) > 0
    assert len(samples_of(frame, max_m=1.5).points) == 0
    assert len(samples_of(frame, min_m=2.5).points) == 0


@pytest.mark.parametrize("size", [(63, 47), (1280, 720), (321, 40), (8, 6)])
def test_any_image_size_will_do(size):
    points = samples_of(flat_wall(*size)).points
    assert len(points) > 0
    assert np.allclose(points[:, 0], 2.0, atol=1e-5)


@pytest.mark.parametrize("size", [(321, 7), (2, 2), (1, 1)])
def test_images_of_a_few_rows_show_no_planes(size):
    assert len(samples_of(flat_wall(*size)).points) == 0


def flat_wall(width: int, height: int) -> RGBDFrame:
    """2 m before a camera that looks along x."""
    camera = PinholeCamera(width, height, width * 0.8, width * 0.8, width / 2, height / 2)
    return frame_of(np.full((height, width), 2.0), look(0, 0, 1, 0, 0), camera)
