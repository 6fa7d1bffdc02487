"""Misspelled words, set right by what is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.language.spelling import respelled, spelled_correction, spelled_question

LABELS = ("chair", "office chair", "dining table", "cup", "sofa", "door", "shelf", "lamp", "tv")


@given(st.text(max_size=1000))
def test_any_text_is_set_right_or_left(text: str) -> None:
    said, notes = respelled(text, LABELS)
    assert (said == text) == (notes == ())


def test_names_of_the_map_are_spelled_right() -> None:
    assert spelled_question("how many chairz is they", LABELS) == "how many chairs is they"


def test_corrections_are_spelled_right() -> None:
    assert spelled_correction("Objct 4 iss greey", LABELS) == "object 4 is grey"
    assert spelled_correction("object 4 is grey", LABELS) == ""


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("where is the coffe mug", "where is the coffee mug"),
        ("is there a wasshing machine near the sink", "is there a washing machine near the sink"),
        ("where is the zorb mug", "where is the zorb mug"),  # nothing is called nearly so
        ("where is the brown mug", "where is the brown mug"),
        ("where is the keybord", "where is the keyboard"),
        ("where is the whiteboard", "where is the whiteboard"),  # known, but no English word
    ],
)
def test_names_of_things_are_spelled_right(text: str, meant: str) -> None:
    assert respelled(text, ("cup", "sink"))[0] == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("wich stool is nearer to the sink", "which stool is nearer to the sink"),
        ("whre is the kettle", "where is the kettle"),
        ("how meny plates are there alltogether", "how many plates are there altogether"),
        ("what is nex to the sink", "what is next to the sink"),
        ("is the plate biger than the sink", "is the plate bigger than the sink"),
    ],
)
def test_misspelled_words_of_the_grammar_are_read_and_said(text: str, meant: str) -> None:
    said, notes = respelled(text, ("stool", "sink", "kettle", "plate"))
    assert said == meant
    assert notes
    assert all(note.startswith("I read ") for note in notes)


@pytest.mark.parametrize("text", ["wish stool is nearer to the sink", "zqxv the kettle", "colr me"])
def test_english_words_and_what_stays_unread_are_left(text: str) -> None:
    assert respelled(text, ("stool", "sink", "kettle")) == (text, ())
