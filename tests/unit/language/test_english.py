"""Plurals, numbers, lists and inflections, by a table and by properties of any word."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.language.english import (
    find_number,
    find_ordinal,
    joined,
    ordinal,
    plural,
    roots,
    shown,
    singular,
    with_article,
    with_commas,
)
from tests.tables import read_table

TABLE = read_table(__file__, "words")


@pytest.mark.parametrize(("one", "many"), TABLE["plurals"].items())
def test_singular_and_plural(one: str, many: str) -> None:
    assert plural(one) == many
    if one != "wine glass":  # "glasses" may be spectacles
        assert singular(many.split()[-1]) == one.split()[-1]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("No. It is a cup", "No, It is a cup"),
        ("Mr. Hobbs has 1.5 m", "Mr. Hobbs has 1.5 m"),
        ("the lamp: red - not blue", "the lamp, red,  not blue"),
        ("It is red; it is round. ", "It is red, it is round. "),
        ("where was it at 9: 00?", "where was it at 9: 00?"),
    ],
)
def test_signs_between_clauses_are_commas_at_their_places(text: str, written: str) -> None:
    assert with_commas(text) == written
    assert len(written) == len(text)


@settings(deadline=None)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1))
def test_singulars_are_at_most_one_letter_longer(word: str) -> None:
    assert 0 < len(singular(word)) <= len(word) + 1


@settings(deadline=None)
@given(st.integers(1, 10_000))
def test_ordinals_are_read_back(value: int) -> None:
    assert find_ordinal(ordinal(value)) == value


def test_articles_and_lists() -> None:
    assert with_article("office chair") == "an office chair"
    assert with_article("scissors") == "scissors"
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert joined([]) == ""


def test_numbers() -> None:
    assert find_number("three") == find_number("3") == 3
    assert [find_number(word) for word in ("fifteen", "forty", "thirty-one")] == [15, 40, 31]
    assert find_number("chair") is find_number("forty-ten") is None
    assert find_number("³") is None
    assert find_ordinal("second") == find_ordinal("2nd") == 2
    assert find_ordinal("left") is None
    assert [ordinal(n) for n in (2, 11, 21, 112)] == ["second", "11th", "21st", "112th"]


@settings(deadline=None)
@given(st.text(max_size=500))
def test_shown_text_is_one_short_line(text: str) -> None:
    line = shown(text)
    assert len(line) <= 60
    assert "\n" not in line


@pytest.mark.parametrize("words", TABLE["inflections"])
def test_inflections_have_a_root_in_common(words: str) -> None:
    for one, other in combinations(words.lower().split(), 2):
        assert roots(one) & roots(other)


def test_other_words_have_none() -> None:
    words = "cup mug table chair stool lamp sofa shelf box red blue grey green door window"
    for one, other in combinations(words.split(), 2):
        assert not roots(one) & roots(other)
