"""From a mask to points."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.geometry import iou_3d
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.extent import box_around
from scenemind.reasoning.vlm_grounder.projection.morphology import cleaned
from scenemind.reasoning.vlm_grounder.projection.surface import find_surface, mask_points
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


def test_noise_is_smoothed_and_what_is_left_is_said() -> None:
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
    assert (smooth.left_m < 0.5 * smooth.sigma_m).all()


def test_nothing_measured_is_no_surface() -> None:
    depth, mask = film(POSE)
    empty = DepthImage(np.zeros_like(depth.depth_m), 1, CAMERA)
    assert find_surface(cleaned(mask, CAMERA.width, 7, 2), empty, POSE) is None
