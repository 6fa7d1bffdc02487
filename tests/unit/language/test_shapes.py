"""Shapes: what a small notation matches, and where slots end."""

from __future__ import annotations

from typing import Any

import pytest

from scenemind.language.corrections.shapes import ALL_WORDS, Reading, Shapes
from scenemind.language.parser import Parser
from scenemind.language.tokens import tokenize


def _words(p: Parser) -> str | None:
    """As many words as there are, but none that begins with x."""
    start, p.at = p.at, len(p.words)
    said = " ".join(p.words[start:])
    return None if said.startswith("x") else said


SHAPES = Shapes(
    words={"be": "is | are", "polite": ["please (now)?", "kindly"]},
    parts={"pair": ["{one=words^} and {other=words}"]},
    values={"pair": lambda b: None if b["one"] == b["other"] else (b["one"], b["other"])},
    slots={"words": _words},
)


def matched(shape: str, text: str) -> dict[str, Any] | None:
    tokens = tokenize(text)
    reading = Reading(text, tokens)
    found = reading.match(SHAPES.compiled(shape), 0, len(tokens), dict)
    return None if found is None else {k: v for k, v in found.items() if k != ALL_WORDS}


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
    ],
)
def test_shapes_match_whole_sentences(shape: str, text: str, fits: bool) -> None:
    assert (matched(shape, text) is not None) is fits


def test_a_slot_takes_all_that_it_can() -> None:
    assert matched("call {words}", "call the cup a mug") == {"words": "the cup a mug"}


def test_a_slot_that_may_be_cut_ends_before_what_follows() -> None:
    shape = "replace {words^} (with | by) {other=words}"
    assert matched(shape, "replace cup with mug") == {"words": "cup", "other": "mug"}
    assert matched(shape, "replace cup and mug") is None


def test_a_part_is_one_value_and_may_refuse_what_it_reads() -> None:
    assert matched("{pair}", "cup and mug") == {"pair": ("cup", "mug")}
    assert matched("{pair}", "cup and cup") is None
    assert matched("{pair}", "cup and cup and cup") == {"pair": ("cup", "cup and cup")}


def test_what_a_slot_refuses_is_read_by_another_shape() -> None:
    assert matched("say {words} | say x y", "say x y") == {}


def test_an_unread_sentence_names_the_part() -> None:
    reading = Reading("the red door", tokens := tokenize("the red door"))
    assert (
        reading.match(SHAPES.compiled("the red cup | the blue cup"), 0, len(tokens), dict) is None
    )
    assert str(reading.error()) == "the red door"


@pytest.mark.parametrize("shape", ["it is)", "{unknown}", "<unknown>", "{words^} {words}"])
def test_a_wrong_shape_is_an_error(shape: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        SHAPES.compiled(shape)
