"""Colour words of whole objects, from what their pixels are called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory.attributes.colors import color_words
from scenemind.perception.colors import COLOR_NAMES


@pytest.mark.parametrize(
    ("pixels", "words"),
    [
        ({"red": 10}, "red"),
        # Two colours that share a thing. Their mean would be brown; of black and white, grey.
        ({"black": 60, "red": 40}, "black and red"),
        ({"red": 55, "black": 45}, "red and black"),
        ({"white": 50, "black": 45, "grey": 5}, "white and black"),
        # A highlight and a shadow, even together, are no colour of the thing.
        ({"red": 60, "dark red": 10, "white": 15, "black": 15}, "red"),
        ({"blue": 50, "dark blue": 20, "light grey": 14, "dark grey": 16}, "blue"),
        # The lit side says how light it is.
        ({"white": 35, "light grey": 50, "grey": 15}, "white"),
        ({"red": 40, "dark red": 60}, "red"),
        ({"dark red": 80, "red": 20}, "dark red"),
        ({"black": 70, "dark grey": 30}, "black"),
        ({"light grey": 80, "grey": 20}, "light grey"),
        ({"dark green": 90, "green": 10}, "dark green"),
        # Wood from its lit to its dark end, and what the lamp tints.
        ({"light brown": 40, "orange": 30, "brown": 30}, "light brown"),
        ({"white": 55, "beige": 45}, "white"),
        # A row of books.
        ({"brown": 25, "red": 20, "blue": 20, "green": 20, "yellow": 15}, "multicoloured"),
        ({"brown": 50, "red": 12, "blue": 12, "green": 13, "yellow": 13}, "brown"),
    ],
)
def test_words(pixels: dict[str, float], words: str) -> None:
    assert color_words(pixels) == words


def test_no_pixels_give_no_colour() -> None:
    assert color_words({}) is None
    assert color_words({"red": 0.0}) is None


COUNTS = st.dictionaries(st.sampled_from(COLOR_NAMES), st.integers(1, 1000), min_size=1)


@given(COUNTS)
def test_named_colours_are_in_the_pixels(pixels: dict[str, float]) -> None:
    words = color_words(pixels)
    assert words is not None
    assert words == "multicoloured" or set(words.split(" and ")) <= pixels.keys()


@given(COUNTS, st.integers(2, 50))
def test_more_pixels_of_the_same_change_nothing(pixels: dict[str, float], times: int) -> None:
    assert color_words({k: times * n for k, n in pixels.items()}) == color_words(pixels)


@given(COUNTS, st.sampled_from(COLOR_NAMES))
def test_a_colour_of_nearly_all_pixels_is_the_colour(pixels: dict[str, float], name: str) -> None:
    most = {**pixels, name: 20.0 * sum(pixels.values())}
    assert color_words(most) == name
