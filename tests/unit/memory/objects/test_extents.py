"""What the noise of a depth camera adds to an object is taken off, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.objects.extents import NoiseOfViews, prominence, without_noise
from scenemind.memory.objects.fusion import SurfaceEvidence
from tests.unit.memory.things import surface_points

CELL_M = 0.03
ALONG_X = np.array((1.0, 0.0, 0.0))


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 1000), st.tuples(*[st.integers(0, 6)] * 3))
def test_prominence_is_that_of_brute_force(seed: int, reach: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(seed)
    index = np.unique(rng.integers(0, 12, (80, 3)), axis=0)
    weights = rng.uniform(0.1, 5.0, len(index)).astype(np.float32)
    steps = np.clip(reach, 1, 4)
    near = (np.abs(index[:, None] - index[None]) <= steps).all(axis=2)
    expected = weights / np.where(near, weights[None], 0.0).max(axis=1)
    found = prominence(index - 5, weights, np.array(reach, float))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_far_apart_voxels_are_each_prominent() -> None:
    index = np.array([[0, 0, 0], [1000, 700, 70]])
    np.testing.assert_array_equal(prominence(index, np.ones(2, np.float32), np.ones(3)), [1.0, 1.0])


def test_a_plane_that_is_all_noise_becomes_thin_and_keeps_its_sides() -> None:
    rng = np.random.default_rng(0)
    plane = rng.uniform(-0.3, 0.3, (2000, 3))
    plane[:, 0] = rng.normal(0.0, 0.03, 2000)
    weak = np.zeros(2000, np.float32)
    thin = without_noise(plane, np.ones(2000, np.float32), weak, np.array((9e-4, 0.0, 0.0)))
    assert np.ptp(thin[:, 0]) == pytest.approx(0.04, abs=0.008)
    np.testing.assert_allclose(thin[:, 1:], plane[:, 1:], atol=1e-6)


def test_a_prominent_point_is_no_noise() -> None:
    points = np.array([[0.0, 0, 0], [0.02, 0, 0], [0.1, 0, 0]], np.float32)
    firm = np.array((1.0, 0.0, 1.0), np.float32)
    left = without_noise(points, np.array((9.0, 9.0, 1.0), np.float32), firm, np.full(3, 1.0))
    assert left[2, 0] == pytest.approx(0.1)
    assert 0.0 < left[1, 0] < 0.02


def test_what_is_seen_exactly_stays_to_the_last_bit() -> None:
    points = surface_points((1.0, 2.0, 3.0), (0.08, 0.1, 0.1), 100, 0)
    weights = np.ones(len(points), np.float32)
    assert without_noise(points, weights, weights / 2, np.zeros(3)) is points


@pytest.mark.parametrize("distance_m", [1.5, 2.5, 3.5])
def test_a_picture_seen_with_the_noise_of_its_distance_is_about_as_thin_as_it_is(
    distance_m: float,
) -> None:
    rng = np.random.default_rng(1)
    sigma_m = 0.0018 * distance_m**2
    evidence = SurfaceEvidence(CELL_M, 2000)
    for seed in range(40):
        points = surface_points((0.0, 0.0, 1.5), (0.0, 0.6, 0.5), 300, seed)
        points[:, 0] += rng.normal(0.0, sigma_m, len(points)).astype(np.float32)
        evidence.add(points, True, sigma_m, ALONG_X)
    size = np.ptp(evidence.surface(), axis=0)
    assert size[0] < 0.065
    np.testing.assert_allclose(size[1:], (0.6, 0.5), atol=0.03)


def test_near_views_take_off_what_far_views_put_around_a_cup() -> None:
    rng = np.random.default_rng(2)
    evidence = SurfaceEvidence(CELL_M, 2000)
    for seed in range(60):
        sigma_m = 0.035 if seed < 40 else 0.004
        points = surface_points((0.0, 0.0, 1.0), (0.08, 0.08, 0.1), 120, seed)
        points[:, 0] += rng.normal(0.0, sigma_m, len(points)).astype(np.float32)
        evidence.add(points, True, sigma_m, ALONG_X)
        if seed == 39:
            assert np.ptp(evidence.surface()[:, 0]) > 0.12
    np.testing.assert_allclose(np.ptp(evidence.surface(), axis=0), (0.08, 0.08, 0.1), atol=0.02)


def test_noise_goes_to_an_array_and_back() -> None:
    noise = NoiseOfViews()
    noise.add(0.02, ALONG_X)
    noise.add(0.01, np.array((0.0, 0.6, 0.8)))
    again = NoiseOfViews.from_array(noise.to_array())
    np.testing.assert_array_equal(again.to_array(), noise.to_array())
    # Weighted by the inverse variance, both views would add the same; each has half the weight.
    np.testing.assert_allclose(noise.reach_m() > 0.0, True)
    total = noise.along_axes_m2().sum()
    assert 1e-4 < total < 2.5e-4
