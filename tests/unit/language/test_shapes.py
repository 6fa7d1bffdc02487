"""Shapes: what a small notation matches, and where slots end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scenemind.language import loose, questions
from scenemind.language.corrections import commands
from scenemind.language.shapes import Sentence, ShapeBook
from scenemind.language.slots import SlotWords
from scenemind.language.tokens import tokenize


def _words(p: SlotWords) -> str | None:
    """All words that there are, but none that begins with x."""
    start, p.at = p.at, len(p.words)
    said = " ".join(p.words[start:])
    return None if said.startswith("x") else said


WORDS = {
    "be": "is | are",
    "polite": ["please now?", "kindly"],
    "by": {"bigger": "size", "further away": "distance"},
}
PARTS = {"pair": ["{one=words} and {other=words}"]}


def book(*shapes: str, **values: Any) -> ShapeBook:
    """A book whose sentences mean the values of their slots."""
    return ShapeBook(
        {"words": WORDS, "parts": PARTS, "shapes": [{"Any": shapes, "with": values}]},
        {"words": _words},
        lambda _, bound: dict(bound),
        {"pair": lambda b: None if b["one"] == b["other"] else (b["one"], b["other"])},
    )


def matched(shape: str, text: str) -> Any:
    return book(shape).find(Sentence(text, tokenize(text)))


@pytest.mark.parametrize(
    ("shape", "text", "fits"),
    [
        ("the cup", "the cup", True),
        ("the cup", "the cup here", False),
        ("the (red | dark red)? cup", "the dark red cup", True),
        ("the (red | dark red)? cup", "the cup", True),
        ("very* red", "very very very red", True),
        ("very* red", "red", True),
        ("it <be> red", "it are red", True),
        ("<polite> go", "please now go", True),
        ("<polite> go", "please kindly go", False),
        ("(a | a b) c", "a b c", True),
        ("it &is <be> red", "it is red", True),
        ("it &is <be> red", "it are red", False),
        ("it !is <be> red", "it are red", True),
        ("it !is <be> red", "it is red", False),
        ("it is (red $ | red now)", "it is red now", True),
        ("{words}? red", "red", True),
        ("very* {words}", "very very", True),
    ],
)
def test_shapes_match_whole_sentences(shape: str, text: str, fits: bool) -> None:
    assert (matched(shape, text) is not None) is fits


def test_a_slot_ends_where_what_follows_may_begin() -> None:
    shape = "replace {words} (with | by) {other=words}"
    assert matched(shape, "replace cup with mug") == {"words": "cup", "other": "mug"}
    assert matched(shape, "replace cup with mug by bowl") == {
        "words": "cup",
        "other": "mug by bowl",
    }
    assert matched(shape, "replace cup and mug") is None


def test_a_part_is_one_value_and_may_refuse_what_it_reads() -> None:
    assert matched("{pair}", "cup and mug") == {"pair": ("cup", "mug")}
    assert matched("{pair}", "cup and cup") is None
    assert matched("{pair}", "cup and cup and cup") == {"pair": ("cup", "cup and cup")}
    assert matched("{words} or {pair}", "x or a and b") is None


def test_a_table_is_a_slot_of_its_keys() -> None:
    assert matched("is it {how=by}", "is it further away") == {"how": "distance"}
    assert matched("is it {how=by}", "is it further") is None


def test_a_shape_may_have_further_values() -> None:
    shapes = book("call {words}", kind="name")
    assert shapes.find(Sentence("call it", tokenize("call it"))) == {"words": "it", "kind": "name"}


def test_what_a_slot_refuses_is_read_by_another_shape() -> None:
    assert matched("say {words} | say x y", "say x y") == {}


def test_a_part_of_a_sentence_is_matched() -> None:
    said = Sentence("red or a cup", tokenize("red or a cup"))
    assert book("a {words}").find(said, 2) == {"words": "cup"}
    assert book("{words}").find(said, 0, 1) == {"words": "red"}


def test_an_unread_sentence_names_the_part_after_the_slots_that_were_read() -> None:
    said = Sentence("the red door is shut", tokenize("the red door is shut"))
    assert book("the {words} is open").find(said) is None
    assert str(said.error()) == "is shut"


@pytest.mark.parametrize("shape", ["it is)", "(it is", "{unknown}", "<unknown>"])
def test_a_wrong_shape_is_an_error(shape: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        book(shape).parse_all()


@pytest.mark.parametrize("find_book", [questions.book, loose.book, commands._book])
def test_all_shapes_are_right(find_book: Callable[[], ShapeBook]) -> None:
    find_book().parse_all()


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("(what | which (of | in)?)? (things | <be>) go", "things go"),
        ("(what | which (of | in)?)? (things | <be>) go", "which in are go"),
        ("(a? | b) c", "c"),
        ("(a | b*) c", "b b c"),
        ("a | b c", "b c"),
        ("(a | b) c | {words}", "d e"),
        ("<polite>? {words}", "please go"),
        ("!not {words}", "go"),
    ],
)
def test_a_shape_is_tried_with_each_word_that_it_may_begin_with(shape: str, text: str) -> None:
    assert matched(shape, text) is not None
    assert matched(f"({shape}) now", f"{text} now") is not None
