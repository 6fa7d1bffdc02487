"""The nearest question to a sentence that is not read."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scenemind.language.nearest import nearest_question, respelled, spelled_correction
from scenemind.language.questions import parse_question
from scenemind.language.verbalization import question_words
from tests.tables import read_table

from .test_documented_sentences import sentences

LABELS = ("chair", "office chair", "dining table", "cup", "sofa", "door", "shelf", "lamp", "tv")
TABLE = read_table(__file__, "nearest")
WORDS = st.sampled_from(
    [
        *(word for sentence in sentences("Questions") for word in sentence.split()),
        *("chairz", "teh", "wobbly", "not", "42", "lamp's", "?", ","),
    ]
)


def nearest(text: str) -> str:
    question = nearest_question(text, LABELS)
    return "" if question is None else question_words(question)


@pytest.mark.parametrize(("text", "meant"), TABLE["meant"].items())
def test_nearest_question(text: str, meant: str) -> None:
    assert nearest(text) == meant


@pytest.mark.parametrize("text", TABLE["nothing"])
def test_what_asks_something_else_is_near_to_nothing(text: str) -> None:
    assert nearest(text) == ""


@given(st.lists(WORDS, max_size=9).map(" ".join), st.frozensets(st.text(max_size=8), max_size=3))
def test_what_is_meant_is_read_as_it_is_said(text: str, labels: frozenset[str]) -> None:
    question = nearest_question(text, {*LABELS, *labels})
    if question is not None:
        said = question_words(question)
        assert question_words(parse_question(said)) == said


@given(st.text(max_size=1000))
@example("WHA%SHAP")  # "what shape", of nothing
def test_any_text_has_a_nearest_question_or_none(text: str) -> None:
    nearest_question(text, LABELS)


def test_a_phrase_is_wanted() -> None:
    said = "the lamp thing kind of next to the dor"
    phrase = nearest_question(said, LABELS, is_phrase=True)
    assert phrase is not None
    assert question_words(phrase) == "lamp next to the door"


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
    ],
)
def test_names_of_several_words_are_spelled_right(text: str, meant: str) -> None:
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
