"""The pinhole camera against its defining equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import GeometryError, PinholeCamera

CAMERA = PinholeCamera(640, 480, 500.0, 510.0, 320.0, 240.0)


def test_the_optical_axis_meets_the_principal_point() -> None:
    pixels, depth = CAMERA.project(np.array([[0.0, 0.0, 2.0]]))
    np.testing.assert_allclose(pixels, [[320.0, 240.0]])
    np.testing.assert_allclose(depth, [2.0])


def test_one_metre_right_at_two_metres_is_half_a_focal_length() -> None:
    pixels, _ = CAMERA.project(np.array([[1.0, 0.0, 2.0]]))
    assert pixels[0, 0] == pytest.approx(320.0 + 250.0)


def test_points_behind_the_camera_have_no_pixel() -> None:
    pixels, depth = CAMERA.project(np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 0.0]]))
    assert np.isnan(pixels).all()
    np.testing.assert_allclose(depth, [-1.0, 0.0])


@given(st.floats(0, 639), st.floats(0, 479), st.floats(0.1, 10.0))
def test_unproject_is_the_inverse_of_project(u: float, v: float, z: float) -> None:
    points = CAMERA.unproject(np.array([u]), np.array([v]), np.array([z], np.float32))
    pixels, depth = CAMERA.project(points)
    np.testing.assert_allclose(pixels, [[u, v]], atol=1e-2)
    np.testing.assert_allclose(depth, [z], rtol=1e-6)


@given(st.floats(0, 639), st.floats(0, 479))
def test_a_ray_passes_through_its_pixel(u: float, v: float) -> None:
    ray = CAMERA.ray(u, v)
    assert np.linalg.norm(ray) == pytest.approx(1.0)
    pixels, _ = CAMERA.project(ray[None] * 3.0)
    np.testing.assert_allclose(pixels, [[u, v]], atol=1e-6)


def test_half_the_resolution_sees_the_same_corner() -> None:
    half = CAMERA.resized(320, 240)
    # The outer edge of the image (half a pixel outside the first centre) stays where it was.
    np.testing.assert_allclose(half.ray(-0.5, -0.5), CAMERA.ray(-0.5, -0.5), atol=1e-12)


@given(st.integers(1, 20), st.integers(0, 31), st.integers(0, 23))
def test_every_nth_pixel_looks_where_it_did(n: int, u: int, v: int) -> None:
    fewer = CAMERA.subsampled(n)
    assert (fewer.height, fewer.width) == np.zeros((480, 640))[::n, ::n].shape
    np.testing.assert_allclose(fewer.ray(u, v), CAMERA.ray(n * u, n * v), atol=1e-12)


@pytest.mark.parametrize("bad", [(0, 480, 1, 1, 0, 0), (640, 480, 0, 1, 0, 0)])
def test_an_empty_camera_info_is_refused(bad: tuple) -> None:
    with pytest.raises(GeometryError):
        PinholeCamera(*bad)
