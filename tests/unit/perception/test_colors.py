"""Colour names and colour histograms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.perception.colors import (
    COLOR_NAMES,
    HISTOGRAM_LENGTH,
    color_histograms,
    color_name,
    color_shares,
)

# The ColorChecker's patches in sRGB, with the plain words of its own names.
CHART = {
    "dark skin": ((115, 82, 68), {"brown"}),
    "light skin": ((194, 150, 130), {"beige", "pink", "light brown"}),
    "blue sky": ((98, 122, 157), {"blue"}),
    "foliage": ((87, 108, 67), {"green"}),
    "blue flower": ((133, 128, 177), {"blue", "purple"}),
    "bluish green": ((103, 189, 170), {"turquoise", "green"}),
    "orange": ((214, 126, 44), {"orange"}),
    "purplish blue": ((80, 91, 166), {"blue", "purple"}),
    "moderate red": ((193, 90, 99), {"red", "pink"}),
    "purple": ((94, 60, 108), {"purple"}),
    "yellow green": ((157, 188, 64), {"green"}),
    "orange yellow": ((224, 163, 46), {"orange", "yellow"}),
    "blue": ((56, 61, 150), {"blue"}),
    "green": ((70, 148, 73), {"green"}),
    "red": ((175, 54, 60), {"red"}),
    "yellow": ((231, 199, 31), {"yellow"}),
    "magenta": ((187, 86, 149), {"pink", "purple"}),
    "cyan": ((8, 133, 161), {"blue", "turquoise"}),
    "white": ((243, 243, 242), {"white"}),
    "neutral 6.5": ((160, 160, 160), {"light grey", "grey"}),
    "neutral 5": ((122, 122, 121), {"grey"}),
    "neutral 3.5": ((85, 85, 85), {"dark grey"}),
    "black": ((52, 52, 52), {"black"}),
}
# Names that most people gave in xkcd's survey of colours (xkcd.com/color/rgb, CC0); the
# last word is the plain colour.
SURVEY = {
    "black": ["000000"],
    "grey": ["929591", "7d7f7c"],
    "white": ["ffffff"],
    "red": ["e50000", "840000", "ff474c", "8f1402", "9a0200", "c0022f", "be0119"],
    "orange": ["f97306", "c65102", "fdaa48", "ff5b00", "c04e01"],
    "yellow": ["ffff14", "d5b60a", "fffd01", "d2bd0a", "fffe7a", "ffff84"],
    "green": ["15b01a", "033500", "96f97b", "677a04", "06470c", "c7fdb5", "3f9b0b", "658b38"],
    "blue": ["0343df", "00035b", "95d0fc", "0504aa", "001146", "75bbfd", "2c6fbb", "5a7d9a"],
    "purple": ["7e1e9c", "35063e", "bf77f6", "be03fd", "36013f", "b790d4", "4b006e"],
    "pink": ["ff81c0", "ff028d", "cb416b", "ffd1df", "fe01b1", "d5869d"],
    "brown": ["653700", "341c02", "ad8150", "7f5112", "844d2f"],
    "beige": ["e6daa6"],
    "turquoise": ["06c2ac", "045c5a"],
}  # fmt: skip


@pytest.mark.parametrize("patch", CHART)
def test_patches_of_the_colour_chart(patch: str) -> None:
    rgb, words = CHART[patch]
    name = color_name(rgb)
    assert name in words or name.split()[-1] in words


@pytest.mark.parametrize(
    ("word", "code"), [(word, code) for word, codes in SURVEY.items() for code in codes]
)
def test_names_are_those_of_a_survey_of_people(word: str, code: str) -> None:
    red, green, blue = bytes.fromhex(code)
    assert color_name((red, green, blue)).split()[-1] == word


@given(
    st.sampled_from(["d03028", "286ec8", "2f8f3c", "7a2f96", "e8c81e", "c87828", "964f96"]),
    st.floats(0.35, 1.0),
)
def test_in_half_shadow_a_colour_keeps_its_hue(code: str, light: float) -> None:
    """Light scales linear RGB. Dark orange and yellow are brown; none becomes black."""
    lit = np.frombuffer(bytes.fromhex(code), np.uint8) / 255.0
    linear = np.where(lit <= 0.04045, lit / 12.92, ((lit + 0.055) / 1.055) ** 2.4) * light
    shaded = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    names = {color_name(tuple(255.0 * rgb)).split()[-1] for rgb in (lit, shaded)}
    assert len(names) == 1 or names in ({"orange", "brown"}, {"yellow", "brown"})


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_every_colour_has_a_name(rgb: tuple[int, int, int]) -> None:
    assert color_name(rgb) in COLOR_NAMES


def test_shares_count_each_objects_own_pixels() -> None:
    red, black, white = (200, 20, 20), (10, 10, 10), (250, 250, 250)
    rgb = np.array([red, red, red, black, white, white], np.uint8)
    shares = color_shares(rgb, np.array([0, 0, 0, 0, 1, 1]), 2)
    assert shares.shape == (2, len(COLOR_NAMES))
    assert shares[0, COLOR_NAMES.index("red")] == 0.75
    assert shares[0, COLOR_NAMES.index("black")] == 0.25
    assert shares[1, COLOR_NAMES.index("white")] == 1.0


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
    assert together.shape == (count, HISTOGRAM_LENGTH)
    assert together.dtype == np.float32
    np.testing.assert_allclose(together.sum(axis=1), 1.0, rtol=1e-5)
    for number in range(count):
        np.testing.assert_array_equal(together[number], one(rgb[owner == number]))
