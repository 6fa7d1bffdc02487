"""Depth registration against closed forms: planes, shifts, and a z-buffer written as loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from scenemind.frames import (
    DepthCalibration,
    DepthRegistrar,
    FrameError,
    open_sequence,
    read_sequence,
)
from scenemind.geometry import PinholeCamera, Pose

CAMERA = PinholeCamera(80, 60, 70.0, 70.0, 39.5, 29.5)


def register_depth(
    depth_m: NDArray[np.float32], calibration: DepthCalibration, color: PinholeCamera
) -> NDArray[np.float32]:
    return DepthRegistrar(calibration, color).register(depth_m)


def shifted(x_m: float, y_m: float = 0.0, z_m: float = 0.0) -> Pose:
    return Pose(np.eye(3), np.array([x_m, y_m, z_m]))


def plane_depth(
    camera: PinholeCamera, normal: NDArray[np.float64], distance: float
) -> NDArray[np.float64]:
    """Depth image of the plane normal . X = distance, by intersecting every pixel's ray."""
    u, v = np.meshgrid(np.arange(camera.width), np.arange(camera.height))
    rays = np.stack(
        ((u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy, np.ones(u.shape)), axis=-1
    )
    return np.asarray(distance / (rays @ normal))


@given(arrays(np.float32, (6, 8), elements=st.sampled_from([0.0, 0.5, 1.25, 7.0])))
def test_the_identity_calibration_changes_nothing(depth_m: NDArray[np.float32]) -> None:
    camera = PinholeCamera(8, 6, 9.0, 8.0, 3.5, 2.5)
    calibration = DepthCalibration(camera, Pose.identity())
    assert np.array_equal(register_depth(depth_m, calibration, camera), depth_m)


def test_a_plane_in_front_shifts_by_the_disparity_and_so_does_its_hole() -> None:
    depth_m = np.full((60, 80), 2.0, np.float32)
    depth_m[20:25, 30:36] = 0.0
    baseline = 2.0 * 5 / CAMERA.fx  # five pixels at two metres
    expected = np.zeros_like(depth_m)
    expected[:, 5:] = depth_m[:, :-5]
    calibration = DepthCalibration(CAMERA, shifted(baseline))
    assert np.array_equal(register_depth(depth_m, calibration, CAMERA), expected)


@pytest.mark.parametrize("density", [0.8, 1.0, 1.3, 2.4])
def test_a_slanted_plane_seen_by_a_turned_camera_has_its_depth_and_no_cracks(
    density: float,
) -> None:
    color_T_depth = Pose(
        Rotation.from_euler("xyz", (2.0, -3.0, 1.0), degrees=True).as_matrix(),
        np.array([0.05, -0.01, 0.02]),
    )
    normal_depth = np.array([0.5, 0.3, 0.8])
    distance_depth = 1.6
    # The same plane in the colour frame: n' = R n, d' = d + n' . t
    normal = color_T_depth.rotation @ normal_depth
    distance = distance_depth + normal @ color_T_depth.translation
    color = CAMERA.resized(round(80 * density), round(60 * density))
    depth_m = plane_depth(CAMERA, normal_depth, distance_depth).astype(np.float32)

    registered = register_depth(depth_m, DepthCalibration(CAMERA, color_T_depth), color)

    inside = np.s_[color.height // 5 : -color.height // 5, color.width // 5 : -color.width // 5]
    assert (registered[inside] > 0).all()
    truth = plane_depth(color, normal, distance)
    seen = registered > 0
    # Half a depth pixel of position on a surface this slanted is under 2 % of depth.
    assert np.abs(registered / truth - 1.0)[seen].max() < 0.02


def test_holes_stay_holes_where_colour_is_denser() -> None:
    depth_m = np.full((60, 80), 2.0, np.float32)
    depth_m[30:33, 40:43] = 0.0
    color = CAMERA.resized(160, 120)
    registered = register_depth(depth_m, DepthCalibration(CAMERA, Pose.identity()), color)
    expected = np.full((120, 160), 2.0, np.float32)
    expected[60:66, 80:86] = 0.0
    assert np.array_equal(registered, expected)


def test_the_nearest_surface_wins() -> None:
    depth_m = np.full((60, 80), 4.0, np.float32)
    depth_m[20:40, 30:50] = 1.0
    baseline = 1.0 * 8 / CAMERA.fx  # eight pixels at one metre, two at four
    registered = register_depth(depth_m, DepthCalibration(CAMERA, shifted(baseline)), CAMERA)
    assert (registered[20:40, 38:58] == 1.0).all()
    uncovered = registered[20:40, 32:38]  # hidden from the depth camera: nothing is known there
    assert (uncovered == 0.0).all()
    assert (registered[20:40, 2:32] == 4.0).all()


@settings(max_examples=40)
@given(
    arrays(np.float32, (10, 12), elements=st.sampled_from([0.0, 1.0, 1.01, 2.0, 3.0])),
    st.tuples(*[st.floats(-0.2, 0.2)] * 3),
    st.tuples(*[st.floats(-8.0, 8.0)] * 3),
)
def test_every_depth_comes_from_a_measured_pixel_that_lands_there(
    depth_m: NDArray[np.float32],
    translation: tuple[float, float, float],
    angles_deg: tuple[float, float, float],
) -> None:
    camera = PinholeCamera(12, 10, 12.0, 12.0, 5.5, 4.5)
    turn = Rotation.from_euler("xyz", angles_deg, degrees=True).as_matrix()
    color_T_depth = Pose(turn, np.array(translation))
    registered = register_depth(depth_m, DepthCalibration(camera, color_T_depth), camera)
    v, u = np.nonzero(depth_m)
    points = camera.unproject(u, v, depth_m[v, u]).astype(np.float64)
    pixels, z = camera.project(color_T_depth.transform(points))
    for row, column in np.argwhere(registered):
        close = np.abs(pixels - (column, row)).max(axis=1) < 1.01 + 0.51
        value = registered[row, column]
        assert close.any()
        assert z[close].min() - 1e-4 <= value <= z[close].max() + 1e-4
    for (x, y), depth in zip(pixels, z, strict=True):
        if 0 <= x <= camera.width - 1 and 0 <= y <= camera.height - 1:
            around = registered[int(y + 0.5), int(x + 0.5)]
            exact_tie = min(abs(x % 1 - 0.5), abs(y % 1 - 0.5)) < 1e-3
            assert exact_tie or 0 < around <= depth + 1e-4


def test_a_registrar_can_be_used_again() -> None:
    registrar = DepthRegistrar(DepthCalibration(CAMERA, shifted(0.1)), CAMERA)
    near, far = (np.full((60, 80), z, np.float32) for z in (1.0, 3.0))
    first = registrar.register(near)
    kept = first.copy()
    registrar.register(far)
    assert np.array_equal(first, kept)
    assert np.array_equal(registrar.register(near), kept)


@pytest.mark.parametrize("image", [np.ones((5, 5), np.float32), np.ones((60, 80))])
def test_an_image_that_does_not_fit_the_calibration(image: NDArray[np.floating]) -> None:
    with pytest.raises(FrameError, match="its calibration says"):
        register_depth(image, DepthCalibration(CAMERA, Pose.identity()), CAMERA)


def test_real_depth_edges_move_onto_colour_edges(shared_data: Path) -> None:
    """Depth steps fall on image gradients more often once depth is registered."""
    sequence = open_sequence(shared_data / "sequences" / "redkitchen")
    before, after = [], []
    for raw, frame in zip(sequence, read_sequence(sequence), strict=False):
        gray = frame.color.mean(axis=2)
        gradient = np.hypot(*np.gradient(gray))[30:-30, 30:-30]
        for depth_m, scores in ((raw.depth_m, before), (frame.depth_m, after)):
            depth = depth_m[30:-30, 30:-30]
            both = (depth[:, 1:] > 0) & (depth[:, :-1] > 0)
            steps = both & (np.abs(np.diff(depth, axis=1)) > 0.1)
            scores.append(gradient[:, 1:][steps].mean() / gradient.mean())
        if frame.number == 9:
            break
    assert np.mean(after) > 1.15 * np.mean(before)
