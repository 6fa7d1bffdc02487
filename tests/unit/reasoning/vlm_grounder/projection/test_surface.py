"""The surface of a mask in one view: erosion, components, smoothing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.geometry import Pose, iou_3d
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.fusion import box_around
from scenemind.reasoning.vlm_grounder.projection.surface import (
    LEAST_CORE,
    cleaned,
    find_surface,
    mask_points,
)
from tests.unit.reasoning.vlm_grounder.projection.scene import BLOCK, CAMERA, film, looking

POSE = looking(0.6, 0.8, 1.4)


@pytest.mark.parametrize("every_px", [1, 2, 3])
def test_each_depth_pixel_gives_one_point_on_the_block(every_px: int) -> None:
    depth, mask = film(POSE, every_px)
    points = mask_points(mask, depth, POSE)
    assert len(np.unique(points, axis=0)) == len(points)
    assert len(points) == pytest.approx(mask.bits.sum() / every_px**2, rel=0.03)
    assert BLOCK.contains(points, 1e-3).all()


def test_pixels_without_depth_give_no_points() -> None:
    depth, mask = film(POSE)
    holes = depth.depth_m.copy()
    holes[::2], holes[1::4] = 0.0, np.nan
    points = mask_points(mask, DepthImage(holes, 1, CAMERA), POSE)
    assert np.isfinite(points).all()
    assert len(points) == pytest.approx(mask.bits.sum() / 4, rel=0.05)


@pytest.mark.parametrize("every_px", [1, 2])
def test_the_box_of_a_surface_is_the_blocks_as_far_as_it_is_seen(every_px: int) -> None:
    depth, mask = film(POSE, every_px)
    surface = find_surface(cleaned(mask, CAMERA.width, 7, 2), depth, POSE)
    assert surface is not None
    box = box_around(surface)
    assert iou_3d(box, BLOCK) > 0.85
    low, high = box.bounds()
    true_low, true_high = BLOCK.bounds()
    assert np.abs(low[1:] - true_low[1:]).max() < 0.03
    assert np.abs(high[1:] - true_high[1:]).max() < 0.03


def test_a_mask_that_takes_in_the_wall_keeps_to_the_block() -> None:
    depth, mask = film(POSE)
    bits = np.pad(mask.bits, 6)
    bits[:, :12] = bits[:, -12:] = True
    wide = BoxMask(mask.x_px - 6, mask.y_px - 6, bits)
    surface = find_surface(cleaned(wide, CAMERA.width, 7, 2), depth, POSE)
    assert surface is not None
    assert BLOCK.contains(surface.points, 0.1).all()


def test_noise_is_smoothed_and_its_remainder_estimated() -> None:
    depth, mask = film(POSE)
    rng = np.random.default_rng(3)
    noise = 0.0025 * depth.depth_m**2 * rng.standard_normal(depth.depth_m.shape)
    noisy = DepthImage((depth.depth_m + noise).astype(np.float32), 1, CAMERA)
    clean = cleaned(mask, CAMERA.width, 7, 2)
    rough, smooth = mask_points(mask, noisy, POSE), find_surface(clean, noisy, POSE)
    assert smooth is not None
    exact = find_surface(clean, depth, POSE)
    assert exact is not None
    assert len(exact) == len(smooth), "the same pixels"
    off_m = np.linalg.norm(smooth.points - exact.points, axis=1)
    rough_m = np.linalg.norm(rough - mask_points(mask, depth, POSE), axis=1)
    assert np.median(off_m) < 0.5 * np.median(rough_m)
    assert (smooth.smoothed_sigma_m < 0.5 * smooth.sigma_m).all()


def test_nothing_measured_is_no_surface() -> None:
    depth, mask = film(POSE)
    empty = DepthImage(np.zeros_like(depth.depth_m), 1, CAMERA)
    assert find_surface(cleaned(mask, CAMERA.width, 7, 2), empty, POSE) is None


def square(side: int, at: int = 0) -> BoxMask:
    return BoxMask(at, at, np.ones((side, side), np.bool_))


def test_a_border_as_wide_as_asked_is_taken_off() -> None:
    clean = cleaned(square(200), image_width=640, erosion_px=7, components=2)
    assert clean.erosion_px == 7
    expected = np.zeros((200, 200), np.bool_)
    expected[7:-7, 7:-7] = True
    assert np.array_equal(clean.core, expected)
    assert clean.mask.bits.all(), "the border is the target's all the same"


def test_erosion_grows_with_the_image() -> None:
    assert cleaned(square(400), 1280, 7, 2).erosion_px == 14


def test_a_mask_that_would_vanish_is_eroded_less() -> None:
    clean = cleaned(square(12), 640, 7, 2)
    assert 0 <= clean.erosion_px < 7
    assert clean.core.sum() >= LEAST_CORE * 12 * 12


def test_only_the_two_largest_parts_stay_with_their_borders() -> None:
    bits = np.zeros((60, 200), np.bool_)
    bits[5:55, 5:55] = bits[5:45, 80:120] = bits[20:30, 150:160] = True
    clean = cleaned(BoxMask(3, 4, bits), 640, 2, 2)
    assert (clean.mask.x_px, clean.mask.y_px) == (3, 4)
    assert clean.mask.bits[5:55, 5:55].all()
    assert clean.mask.bits[5:45, 80:120].all()
    assert not clean.mask.bits[:, 150:].any()
    assert not clean.core[:, 150:].any()


def test_an_empty_mask_stays_empty() -> None:
    clean = cleaned(BoxMask(0, 0, np.zeros((5, 5), np.bool_)), 640, 7, 2)
    assert not clean.core.any()
    assert not clean.mask.bits.any()


def eroded_in_the_whole_image(mask: BoxMask, radius: int) -> NDArray[np.bool_]:
    image = np.zeros((120, 120), np.uint8)
    height, width = mask.bits.shape
    image[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width] = mask.bits
    kernel = np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)
    whole = cv2.erode(image, kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return whole[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width].astype(np.bool_)


@given(st.integers(0, 2**31 - 1), st.integers(0, 4))
def test_a_crop_is_eroded_as_the_whole_image_would_be(seed: int, radius: int) -> None:
    rng = np.random.default_rng(seed)
    smooth = cv2.GaussianBlur(rng.standard_normal((40, 50)).astype(np.float32), (0, 0), 4.0)
    mask = BoxMask(20, 30, smooth > 0.0)
    clean = cleaned(mask, 640, radius, components=1000, least_core=0.0)
    if clean.erosion_px == radius:
        assert np.array_equal(clean.core, eroded_in_the_whole_image(mask, radius))


@pytest.mark.parametrize(("over_u", "over_v"), [(0.002, 0.0), (0.0, 0.002), (0.001, -0.002)])
def test_pixels_without_depth_at_the_border_are_on_the_plane_beside_them(
    over_u: float, over_v: float
) -> None:
    v, u = np.mgrid[0 : CAMERA.height, 0 : CAMERA.width]
    inverse = 0.5 + over_u * (u - 130.0) + over_v * (v - 130.0)
    depth_m = (1.0 / np.maximum(inverse, 0.1)).astype(np.float32)
    measured = (abs(u - 129.5) < 26) & (abs(v - 129.5) < 26)
    depth = DepthImage(np.where(measured, depth_m, np.float32(0)), 1, CAMERA)
    mask = BoxMask(100, 100, np.ones((60, 60), np.bool_))  # 4 pixels wider all around
    surface = find_surface(cleaned(mask, CAMERA.width, 7, 2), depth, Pose.identity(), 10**6)
    assert surface is not None
    x, y, z = surface.points.astype(np.float64).T
    at_u, at_v = CAMERA.fx * x / z + CAMERA.cx, CAMERA.fy * y / z + CAMERA.cy
    assert (at_u.min(), at_u.max()) == pytest.approx((100, 159), abs=0.01)
    true = 0.5 + over_u * (at_u - 130.0) + over_v * (at_v - 130.0)
    used = inverse[measured]
    assert 1 / z == pytest.approx(np.clip(true, used.min(), used.max()), abs=5e-4)
