"""How two texts differ, in few words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenemind.models.differences import difference, likeness

texts = st.lists(st.text("abc ", max_size=12), max_size=12)


def test_each_place_is_shown_with_what_stood_there_before() -> None:
    before = ["one", "two", "three", "four"]
    assert difference(before, ["one", "2", "three", "four"]) == "- two\n+ 2"
    assert difference(before, ["one", "three", "four", "five"]) == "- two\n+ \n- \n+ five"
    assert difference(before, before) == ""


def test_only_the_first_places_are_shown() -> None:
    before = [str(i) for i in range(20)]
    after = [f"{i}!" if i % 2 else str(i) for i in range(20)]
    assert difference(before, after).splitlines()[-1] == "and at 7 places more"


def test_a_long_line_is_shown_from_shortly_before_the_difference() -> None:
    same = "x" * 500
    shown = difference([f"{same}red{same}"], [f"{same}blue{same}"])
    old, new = shown.splitlines()
    assert old.startswith("- ..." + "x" * 40 + "red")
    assert new.startswith("+ ..." + "x" * 40 + "blue")
    assert old.endswith("...")
    assert len(shown) < 400


def test_the_text_with_more_common_lines_is_liker_and_then_that_with_liker_lines() -> None:
    asked = ["rules", "where is the cup?"]
    other, near, nearer = ["cup"], ["rules", "how many?"], ["rules", "where is the cap?"]
    assert max([other, near, nearer], key=lambda text: likeness(text, asked)) is nearer
    assert max([other, near], key=lambda text: likeness(text, asked)) is near


@given(texts, texts)
def test_what_differs_is_said_and_bounded(before: list[str], after: list[str]) -> None:
    shown = difference(before, after)
    assert bool(shown) == (before != after)
    assert len(shown.splitlines()) <= 7
    assert likeness(before, after) <= likeness(after, after)


def test_what_was_added_to_a_long_line_is_shown() -> None:
    assert difference(["x" * 500], ["x" * 500 + " in red"]).endswith("x in red")
