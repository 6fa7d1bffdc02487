"""Colour histograms: what is alike overlaps, and every object has its own."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.perception.appearance import LENGTH, color_histograms


def intersection(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.minimum(a, b).sum())


def patch(rgb: tuple[int, int, int], seed: int, spread: float = 8.0) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0.0, spread, (300, 3))
    return np.clip(np.asarray(rgb) + noise, 0, 255).astype(np.uint8)


def one(rgb: np.ndarray) -> np.ndarray:
    (histogram,) = color_histograms(rgb, np.zeros(len(rgb), np.intp), 1)
    return histogram


def test_a_pixel_falls_into_one_bin_of_each_channel() -> None:
    histogram = one(np.array([(255, 0, 0)], np.uint8))
    assert np.flatnonzero(histogram).tolist() == [255 // 3 // 16, 16 + 15, 32 + 8 + 127 // 16]
    np.testing.assert_allclose(histogram[histogram > 0], 1 / 3)


def test_another_view_of_a_thing_is_more_alike_than_another_thing() -> None:
    red, red_again, blue = (
        one(patch((180, 40, 40), 1)),
        one(patch((180, 40, 40), 2)),
        one(patch((40, 60, 180), 3)),
    )
    assert intersection(red, red_again) > 0.8
    assert intersection(red, blue) < 0.4


def test_dimmer_light_leaves_the_colour_channels_alike() -> None:
    bright, dim = one(patch((150, 120, 90), 1)), one(patch((130, 104, 78), 2))
    assert intersection(bright[16:], dim[16:]) > 0.5


@given(st.integers(0, 2**16), st.integers(1, 5))
def test_objects_together_have_the_histograms_that_they_have_alone(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    owner = np.concatenate((np.arange(count), rng.integers(0, count, 50)))
    rgb = rng.integers(0, 256, (len(owner), 3)).astype(np.uint8)
    together = color_histograms(rgb, owner, count)
    assert together.shape == (count, LENGTH)
    assert together.dtype == np.float32
    np.testing.assert_allclose(together.sum(axis=1), 1.0, rtol=1e-5)
    for number in range(count):
        np.testing.assert_array_equal(together[number], one(rgb[owner == number]))
