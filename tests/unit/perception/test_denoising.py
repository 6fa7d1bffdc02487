"""Noise that is added to known surfaces is taken out; their edges stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.perception import BoxMask, Detections
from scenemind.perception.denoising import denoised
from scenemind.perception.sample_grids import Samples, sample

from .scenes import CAMERA

SIDE, NOISE = 24, 0.002


def grid(kept: np.ndarray | None = None) -> Samples:
    """Every pixel of a square in the image's middle, or those that are kept."""
    bits = np.ones((SIDE, SIDE), bool)
    mask = BoxMask(300, 230, bits)
    box = np.array([(300, 230, 300 + SIDE, 230 + SIDE)], np.float32)
    samples = sample(Detections(("cup",), np.ones(1, np.float32), box, (mask,)), [0], 0)
    if kept is None:
        return samples
    return samples.select(np.flatnonzero(kept.ravel()), np.ones(1, bool))


def plane(samples: Samples, distance_m: float, slope_x: float, slope_y: float) -> np.ndarray:
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
    smooth = denoised(with_noise(truth), samples, NOISE)
    edge = SIDE - 1
    v, u = samples.v_px - 230, samples.u_px - 300
    inner = (u > 0) & (u < edge) & (v > 0) & (v < edge)
    sigma = NOISE * truth**2
    assert np.std((smooth - truth)[inner] / sigma[inner]) < 0.6
    assert np.abs(np.mean((smooth - truth)[inner] / sigma[inner])) < 0.1


def test_a_step_within_an_object_stays_a_step() -> None:
    samples = grid()
    truth = np.where(samples.u_px < 312, 2.0, 2.2).astype(np.float32)
    smooth = denoised(with_noise(truth), samples, NOISE)
    assert np.abs(smooth - truth).max() < 4.5 * NOISE * 2.2**2
    beside = (samples.u_px == 311) | (samples.u_px == 312)
    assert np.abs(np.mean((smooth - truth)[beside])) < 0.003


def test_exact_depth_of_a_rough_surface_is_left_alone() -> None:
    samples = grid()
    truth = np.random.default_rng(3).uniform(1.0, 1.5, len(samples.owner)).astype(np.float32)
    smooth = denoised(truth, samples, NOISE)
    np.testing.assert_allclose(smooth, truth, atol=0.005)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**16), st.floats(0.05, 1.0), st.floats(1e-4, 0.1))
def test_smoothing_stays_within_the_depths_around(seed: int, share: float, noise: float) -> None:
    random = np.random.default_rng(seed)
    samples = grid(random.random((SIDE, SIDE)) < share)
    depth = random.uniform(0.2, 8.0, len(samples.owner)).astype(np.float32)
    smooth = denoised(depth, samples, noise)
    if len(depth):
        assert smooth.min() >= depth.min() * (1 - 1e-4)
        assert smooth.max() <= depth.max() * (1 + 1e-4)
