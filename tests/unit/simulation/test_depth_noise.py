"""Noise of depth cameras."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

from scenemind.geometry import PinholeCamera
from scenemind.simulation import Sensors, StereoDepthNoise, simulate
from scenemind.simulation.renderer import Rendering

CAMERA = PinholeCamera(320, 240, 262.4, 262.4, 159.5, 119.5)
NOISE = StereoDepthNoise()
# Without random noise: only rounding and the parts that geometry hides.
STILL = replace(NOISE, matching_px=0.0, shake_px=0.0)


def view(depth_m: np.ndarray, grey: int = 200) -> Rendering:
    shape = depth_m.shape
    color = np.full((*shape, 3), grey, np.uint8)
    return Rendering(color, depth_m.astype(np.float32), np.zeros(shape, np.int32))


def wall(distance_m: float, grey: int = 200) -> Rendering:
    return view(np.full((240, 320), distance_m), grey)


def measured(ideal: Rendering, noise: StereoDepthNoise = NOISE, seed: int = 1) -> np.ndarray:
    return noise.measure(ideal, CAMERA, np.random.default_rng(seed))


def hole_share(depth_m: np.ndarray) -> float:
    return float(np.mean(depth_m == 0.0))


def test_noise_grows_with_the_square_of_the_distance() -> None:
    spread = []
    for distance in (1.0, 2.0, 4.0):
        found = measured(wall(distance))
        spread.append(float(found[found > 0].std()))
        assert found[found > 0].mean() == pytest.approx(distance, rel=0.01)
    assert spread[1] / spread[0] == pytest.approx(4.0, rel=0.15)
    assert spread[2] / spread[1] == pytest.approx(4.0, rel=0.15)
    # First order: z^2 / (f b) times the error of the disparity.
    assert spread[1] == pytest.approx(4.0 * 0.08 / (262.4 * 0.05), rel=0.15)


@pytest.mark.parametrize("distance", [1.5, 3.0])
def test_depth_comes_in_steps_that_grow_with_the_square_of_the_distance(distance: float) -> None:
    slope = np.linspace(0.95 * distance, 1.05 * distance, 320)
    found = measured(view(np.tile(slope, (240, 1))), STILL)
    values = np.unique(found[found > 0])
    expected = distance**2 / (32 * 262.4 * 0.05)
    assert np.median(np.diff(values)) == pytest.approx(expected, rel=0.1, abs=1e-3)
    np.testing.assert_allclose(values * 1000, np.rint(values * 1000), atol=2e-3)


def test_neighbours_err_alike_and_far_ones_do_not() -> None:
    error = measured(wall(2.0)) - 2.0
    error[error < -1.0] = 0.0
    near = np.corrcoef(error[:, :-1].ravel(), error[:, 1:].ravel())[0, 1]
    far = np.corrcoef(error[:, :-40].ravel(), error[:, 40:].ravel())[0, 1]
    assert near > 0.4
    assert abs(far) < 0.1


def test_the_second_imager_cannot_look_behind_the_left_side_of_a_thing() -> None:
    depth = np.full((240, 320), 4.0)
    depth[80:160, 120:200] = 1.0
    found = measured(view(depth), STILL)
    shadow_px = 262.4 * 0.05 * (1 / 1.0 - 1 / 4.0)
    holes = (found == 0).mean(axis=0, where=np.isin(np.arange(240), np.arange(90, 150))[:, None])
    missing = np.flatnonzero(holes > 0.9)
    assert missing.max() in (118, 119)
    assert len(missing) == pytest.approx(shadow_px, abs=2)
    assert holes[205:].max() < 0.1  # nothing of it on the right


def test_dark_surfaces_lose_depth_in_blobs() -> None:
    black, white = measured(wall(2.0, grey=15)), measured(wall(2.0, grey=200))
    assert hole_share(white) < 0.01
    assert 0.1 < hole_share(black) < 0.4
    _, count = ndimage.label(black == 0)
    assert (black == 0).sum() / count > 8.0  # pixels a hole


def test_grazing_surfaces_lose_depth() -> None:
    # A wall 0.4 m to the right of the camera, along its axis.
    columns = np.arange(320) - 159.5
    depth = np.where(columns > 24.0, 0.4 * 262.4 / np.maximum(columns, 1.0), 4.2)
    found = measured(view(np.tile(depth, (240, 1))))
    cosine = columns / np.hypot(columns, 262.4)
    grazing, frontal = (columns > 30) & (cosine < 0.18), cosine > 0.35
    assert hole_share(found[:, grazing]) > 0.1
    assert hole_share(found[:, frontal]) < 0.02


def test_depth_out_of_range_is_missing() -> None:
    assert hole_share(measured(wall(0.2))) == 1.0
    assert hole_share(measured(wall(12.0))) > 0.95
    assert hole_share(measured(wall(0.5))) < 0.02


def test_borders_are_ragged_and_some_pixels_fly() -> None:
    depth = np.full((240, 320), 2.0)
    depth[:, 160:] = 1.0
    found = measured(view(depth))
    last_far = [np.flatnonzero(row > 1.7).max() for row in found]
    assert np.std(last_far) > 0.3
    between = (found > 1.1) & (found < 1.85)
    assert 5 < between.sum() < 200
    assert np.abs(np.nonzero(between)[1] - 160).max() < 6


def test_depth_noise_of_a_drive_is_reproducible() -> None:
    sequence = simulate(2, 3, Sensors(160, 120, StereoDepthNoise()))
    exact = simulate(2, 3, Sensors(160, 120, 0.0))
    for a, b, ideal in zip(sequence, sequence, exact, strict=True):
        np.testing.assert_array_equal(a.depth_m, b.depth_m)
        assert a.depth_m.dtype == np.float32
        valid = a.depth_m > 0
        error = np.abs(a.depth_m - ideal.depth_m)[valid] / ideal.depth_m[valid] ** 2
        assert np.median(error) < 0.02
        assert valid.mean() > 0.7
