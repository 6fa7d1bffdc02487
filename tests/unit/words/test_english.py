"""Small English in tables, and what holds of any word or number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.words.english import (
    find_number,
    find_ordinal,
    joined,
    ordinal,
    plural,
    shown,
    singular,
    with_article,
)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("chair", "chairs"),
        ("couch", "couches"),
        ("box", "boxes"),
        ("battery", "batteries"),
        ("toy", "toys"),
        ("bookshelf", "bookshelves"),
        ("person", "people"),
        ("wine glass", "wine glasses"),
        ("dining table", "dining tables"),
        ("scissors", "scissors"),
        ("mattress", "mattresses"),
    ],
)
def test_singular_and_plural(one: str, many: str) -> None:
    assert plural(one) == many
    if one != "wine glass":  # "glasses" may be spectacles
        assert singular(many.split()[-1]) == one.split()[-1]


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1))
def test_any_word_has_a_singular_that_is_hardly_longer(word: str) -> None:
    assert 0 < len(singular(word)) <= len(word) + 1


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
    assert find_number("chair") is None
    assert find_number("³") is None
    assert find_ordinal("second") == find_ordinal("2nd") == 2
    assert find_ordinal("left") is None
    assert [ordinal(n) for n in (2, 11, 21, 112)] == ["second", "11th", "21st", "112th"]


@given(st.text(max_size=500))
def test_shown_text_is_one_short_line(text: str) -> None:
    line = shown(text)
    assert len(line) <= 60
    assert "\n" not in line
