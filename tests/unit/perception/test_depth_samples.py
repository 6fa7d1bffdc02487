"""Sample grids of detections, their depth, its noise and its foreground."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import DepthConfig
from scenemind.perception import BoxMask, Detections
from scenemind.perception.depth_samples import (
    DepthSamples,
    foreground_ranges,
    has_neighbors,
    measured_depth,
    sample_grids,
    wiener_filtered,
)

from .scenes import CAMERA, boxes_only


def with_masks(*masks: BoxMask) -> Detections:
    boxes = [(m.x_px, m.y_px, m.x_px + m.bits.shape[1], m.y_px + m.bits.shape[0]) for m in masks]
    count = len(masks)
    return Detections(
        ("cup",) * count,
        np.ones(count, np.float32),
        np.array(boxes, np.float32).reshape(count, 4),
        masks,
    )


def block(height: int, width: int, x: int = 10, y: int = 20) -> BoxMask:
    return BoxMask(x, y, np.ones((height, width), bool))


def pixels(samples: DepthSamples, grid: int = 0) -> set[tuple[int, int]]:
    mine = samples.owner == grid
    return set(zip(samples.u_px[mine].tolist(), samples.v_px[mine].tolist(), strict=True))


def test_a_small_mask_gives_every_pixel_and_trusts_its_middle() -> None:
    samples = sample_grids(with_masks(block(10, 20)), [0], erosion_px=1)
    assert pixels(samples) == {(u, v) for u in range(10, 30) for v in range(20, 30)}
    trusted = samples.trusted
    assert set(samples.u_px[trusted]) == set(range(11, 29))
    assert set(samples.v_px[trusted]) == set(range(21, 29))


@pytest.mark.parametrize("side", [25, 60, 200, 480])
def test_a_large_one_gives_about_six_hundred_from_all_of_it(side: int) -> None:
    samples = sample_grids(with_masks(block(side, side)), [0], erosion_px=3)
    assert 260 <= len(samples.owner) <= 1400
    (stride,) = samples.stride_px.tolist()
    for image, first in ((samples.u_px, 10), (samples.v_px, 20)):
        assert image.min() - first < stride
        assert first + side - 1 - image.max() < stride


def test_a_thin_mask_in_a_large_rectangle_stays_bounded() -> None:
    bits = np.eye(480, 640, dtype=bool)
    samples = sample_grids(with_masks(BoxMask(0, 0, bits)), [0], erosion_px=3)
    assert samples.canvas_shape[0] * samples.canvas_shape[1] < 9_000
    assert (samples.u_px == samples.v_px).all()
    assert len(samples.owner) > 40


def test_the_two_largest_parts_are_sampled() -> None:
    bits = np.zeros((40, 90), bool)
    bits[:, :30], bits[:, 40:60], bits[10:15, 70:75] = True, True, True
    found = pixels(sample_grids(with_masks(BoxMask(0, 0, bits)), [0], erosion_px=2))
    assert {u < 30 for u, _ in found} == {True, False}
    assert max(u for u, _ in found) < 60


def test_a_box_is_sampled_everywhere_and_trusted_in_the_middle() -> None:
    samples = sample_grids(boxes_only([(100.0, 50.0, 120.0, 90.0)]), [0], erosion_px=3)
    assert pixels(samples) >= {(100, 50), (119, 50), (100, 89), (119, 89)}
    trusted = samples.trusted
    assert (samples.u_px[trusted].min(), samples.u_px[trusted].max()) == (105, 114)
    assert (samples.v_px[trusted].min(), samples.v_px[trusted].max()) == (60, 79)


def test_a_slice_of_a_larger_mask_is_as_good_as_a_copy() -> None:
    whole = np.random.default_rng(0).random((60, 80)) < 0.9
    part = whole[10:40, 20:70]
    sliced = sample_grids(with_masks(BoxMask(0, 0, part)), [0], erosion_px=1)
    copied = sample_grids(with_masks(BoxMask(0, 0, part.copy())), [0], erosion_px=1)
    np.testing.assert_array_equal(sliced.cell, copied.cell)
    np.testing.assert_array_equal(sliced.trusted, copied.trusted)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**16), count=st.integers(1, 6))
def test_every_grid_is_as_if_it_were_alone(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    masks = []
    for _ in range(count):
        shape, place = random.integers(0, 70, 2), random.integers(0, 400, 2)
        masks.append(BoxMask(int(place[0]), int(place[1]), random.random(shape) < 0.8))
    together = sample_grids(with_masks(*masks), range(count), erosion_px=2)
    assert (np.diff(together.owner) >= 0).all()
    assert (np.diff(together.cell) > 0).all()
    for number, mask in enumerate(masks):
        alone = sample_grids(with_masks(mask), [0], erosion_px=2)
        assert pixels(together, number) == pixels(alone)
        assert together.stride_px[number] == alone.stride_px[0]
        for u, v in pixels(alone):
            assert mask.bits[v - mask.y_px, u - mask.x_px]


def whole_image(depth_m: np.ndarray) -> DepthSamples:
    height, width = depth_m.shape
    return sample_grids(boxes_only([(0.0, 0.0, float(width), float(height))]), [0], 0)


def measured(depth_m: np.ndarray) -> np.ndarray:
    """(H, W) bool of a small image."""
    samples = whole_image(depth_m)
    assert samples.stride_px.tolist() == [1]
    _, good = measured_depth(samples, depth_m, DepthConfig(), edge_ratio=0.05)
    return good.reshape(depth_m.shape)


def test_depth_is_that_of_the_samples_pixel() -> None:
    depth = np.random.default_rng(0).uniform(1.0, 2.0, (100, 120)).astype(np.float32)
    samples = whole_image(depth)
    found, _ = measured_depth(samples, depth, DepthConfig(), edge_ratio=0.05)
    np.testing.assert_array_equal(found, depth[samples.v_px, samples.u_px])


def test_both_sides_of_an_edge_are_left_out() -> None:
    depth = np.full((10, 20), 2.0, np.float32)
    depth[:, 12:] = 2.5
    expected = np.ones((10, 20), bool)
    expected[:, 11:13] = False
    np.testing.assert_array_equal(measured(depth), expected)


def test_a_pixel_between_two_surfaces_and_its_neighbours_are_left_out() -> None:
    depth = np.full((9, 9), 2.0, np.float32)
    depth[4, 4] = 2.3
    assert np.argwhere(~measured(depth)).tolist() == [[3, 4], [4, 3], [4, 4], [4, 5], [5, 4]]


@pytest.mark.parametrize("hole", [0.0, np.nan, -1.0])
def test_a_hole_is_no_edge(hole: float) -> None:
    depth = np.full((9, 9), 2.0, np.float32)
    depth[4, 4] = hole
    assert np.argwhere(~measured(depth)).tolist() == [[4, 4]]


def test_samples_with_fewer_than_two_neighbours_are_alone() -> None:
    samples = whole_image(np.zeros((6, 9), np.float32))
    kept = np.zeros((6, 9), bool)
    kept[1, 1:4] = True  # three in a row: the ends have one neighbour each
    kept[4, 6], kept[3:5, 7] = True, True  # a corner of three
    kept[0, 8] = True
    found = (has_neighbors(samples, kept.ravel()) & kept.ravel()).reshape(6, 9)
    assert np.argwhere(found).tolist() == [[1, 2], [3, 7], [4, 6], [4, 7]]


SIDE, NOISE = 24, 0.002


def grid(kept: np.ndarray | None = None) -> DepthSamples:
    """Every pixel of a square in the image's middle, or those that are kept."""
    bits = np.ones((SIDE, SIDE), bool)
    mask = BoxMask(300, 230, bits)
    box = np.array([(300, 230, 300 + SIDE, 230 + SIDE)], np.float32)
    samples = sample_grids(Detections(("cup",), np.ones(1, np.float32), box, (mask,)), [0], 0)
    if kept is None:
        return samples
    return samples.select(np.flatnonzero(kept.ravel()), np.ones(1, bool))


def plane(samples: DepthSamples, distance_m: float, slope_x: float, slope_y: float) -> np.ndarray:
    """Depth of a plane whose inverse depth is affine in the pixel, as that of every plane is."""
    x = (samples.u_px - CAMERA.cx) / CAMERA.fx
    y = (samples.v_px - CAMERA.cy) / CAMERA.fy
    return (distance_m / (1.0 - slope_x * x - slope_y * y)).astype(np.float32)


def with_noise(depth_m: np.ndarray, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed).standard_normal(len(depth_m))
    return (depth_m + NOISE * depth_m**2 * random).astype(np.float32)


@pytest.mark.parametrize("distance_m", [0.5, 2.0, 6.0])
@pytest.mark.parametrize("slope", [(0.0, 0.0), (2.0, 0.0), (1.0, -3.0)])
def test_a_plane_loses_a_good_part_of_its_noise_at_any_slope(
    distance_m: float, slope: tuple[float, float]
) -> None:
    samples = grid()
    truth = plane(samples, distance_m, *slope)
    smooth = wiener_filtered(with_noise(truth), samples, NOISE)
    edge = SIDE - 1
    v, u = samples.v_px - 230, samples.u_px - 300
    inner = (u > 0) & (u < edge) & (v > 0) & (v < edge)
    sigma = NOISE * truth**2
    assert np.std((smooth - truth)[inner] / sigma[inner]) < 0.6
    assert np.abs(np.mean((smooth - truth)[inner] / sigma[inner])) < 0.1


def test_a_step_within_an_object_stays_a_step() -> None:
    samples = grid()
    truth = np.where(samples.u_px < 312, 2.0, 2.2).astype(np.float32)
    smooth = wiener_filtered(with_noise(truth), samples, NOISE)
    assert np.abs(smooth - truth).max() < 4.5 * NOISE * 2.2**2
    beside = (samples.u_px == 311) | (samples.u_px == 312)
    assert np.abs(np.mean((smooth - truth)[beside])) < 0.003


def test_exact_depth_of_a_rough_surface_is_left_alone() -> None:
    samples = grid()
    truth = np.random.default_rng(3).uniform(1.0, 1.5, len(samples.owner)).astype(np.float32)
    smooth = wiener_filtered(truth, samples, NOISE)
    np.testing.assert_allclose(smooth, truth, atol=0.005)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**16), st.floats(0.05, 1.0), st.floats(1e-4, 0.1))
def test_smoothing_stays_within_the_depths_around(seed: int, share: float, noise: float) -> None:
    random = np.random.default_rng(seed)
    samples = grid(random.random((SIDE, SIDE)) < share)
    depth = random.uniform(0.2, 8.0, len(samples.owner)).astype(np.float32)
    smooth = wiener_filtered(depth, samples, noise)
    if len(depth):
        assert smooth.min() >= depth.min() * (1 - 1e-4)
        assert smooth.max() <= depth.max() * (1 + 1e-4)


GAP = 0.05


def range_of(depth_m: np.ndarray) -> tuple[float, float]:
    depth = depth_m.astype(np.float32)
    nearest, farthest = foreground_ranges(depth, np.zeros(len(depth), int), 1, GAP)
    return float(nearest[0]), float(farthest[0])


def around(depth_m: float, count: int, spread_m: float = 0.01, seed: int = 0) -> np.ndarray:
    return depth_m + np.random.default_rng(seed).uniform(-spread_m, spread_m, count)


def test_the_object_before_a_wall_with_more_samples() -> None:
    nearest, farthest = range_of(np.concatenate((around(2.0, 100), around(4.0, 200))))
    assert 1.9 < nearest < 1.99
    assert 2.01 < farthest < 2.2


def test_a_few_near_samples_are_not_the_object() -> None:
    nearest, farthest = range_of(np.concatenate((around(1.0, 10), around(2.0, 200))))
    assert nearest > 1.9
    assert farthest < 2.2


def test_a_tail_along_the_floor_is_cut() -> None:
    tail = np.linspace(2.02, 4.0, 60)
    _, farthest = range_of(np.concatenate((around(2.0, 200), tail)))
    assert farthest < 2.2


def test_a_surface_that_goes_back_evenly_is_kept() -> None:
    nearest, farthest = range_of(np.linspace(1.5, 3.0, 300))
    assert nearest < 1.5
    assert farthest > 3.0


def test_object_without_depths_has_an_empty_range() -> None:
    nearest, farthest = foreground_ranges(np.full(5, 2.0, np.float32), np.full(5, 1), 3, GAP)
    assert (nearest > farthest).tolist() == [True, False, True]
    nearest, farthest = foreground_ranges(np.zeros(0, np.float32), np.zeros(0, int), 2, GAP)
    assert (nearest > farthest).all()


@given(st.integers(0, 2**16), st.lists(st.integers(0, 50), min_size=1, max_size=5))
def test_objects_have_the_ranges_that_they_have_alone(seed: int, counts: list[int]) -> None:
    depth = np.random.default_rng(seed).gamma(2.0, 1.0, sum(counts)).astype(np.float32) + 0.1
    owner = np.repeat(np.arange(len(counts)), counts)
    nearest, farthest = foreground_ranges(depth, owner, len(counts), GAP)
    for number, count in enumerate(counts):
        if count:
            alone = range_of(depth[owner == number])
            np.testing.assert_allclose((nearest[number], farthest[number]), alone, rtol=1e-6)
            inside = depth[owner == number]
            assert ((inside >= nearest[number]) & (inside <= farthest[number])).any()


def test_two_faces_of_an_object_within_the_gap_are_kept() -> None:
    """Most depths are equal, so that the deviation from their median is zero."""
    nearest, farthest = range_of(np.array([2.0] * 60 + [2.06] * 40))
    assert nearest <= 2.0
    assert farthest >= 2.06
