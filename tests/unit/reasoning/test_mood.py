"""Questions are told from what people tell and wish."""

from __future__ import annotations

import pytest

from scenemind.evaluation.alignment.draft import said, wordings
from scenemind.reasoning.mood import find_request, is_question, told_in

WORDS = {
    **dict.fromkeys(("noun", "wrong", "anchor", "other"), "stool"),
    **dict.fromkeys(("value", "color"), "red"),
    "number": "3",
    "second": "4",
}


@pytest.mark.parametrize(
    "text",
    [
        "where is the cup?",
        "what color does the lamp have",
        "Whose is it, then?",
        "is the cup blue",
        "hm, is that a stool",
        "The cup is blue?",
        "Do you see a red stool?",
        "do those chairs touch the table",
        "tell me, what is on the shelf",
    ],
)
def test_questions(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "this is a stool",
        "this is red, isn't it?",
        "That's a stool, right?",
        "What you call lamp is a cup.",
        "What's on the shelf is a mug.",
        "whatever stands on the shelf is not a cup",
        "Could you please call that a stool?",
        "The lamp? That's a stool.",
        "No, it does stand on the shelf.",
        "it is 1.5 m wide",
        "How nice! This is a stool.",
        "Do that.",
        "please do it",
        "no, do not",
        "do the same for the other chairs",
    ],
)
def test_what_is_told_or_wished(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize("table", ["person.yaml", "person_more.yaml", "person_development.yaml"])
def test_the_words_of_simulated_persons(table: str) -> None:
    sets = wordings(table)
    for ways in (way for kind in sets["corrections"].values() for way in kind.values()):
        assert [w for w in ways if is_question(said(w, **WORDS))] == []
    for ways in sets.get("questions", {}).values():
        assert [w for w in ways if not is_question(said(w, **WORDS))] == []


def test_blanks_without_end_are_one() -> None:
    """In a time that grows with their number alone: a line typed in the browser may have any."""
    blanks = " " * 100_000
    assert is_question(f"where{blanks}is it")
    assert told_in(f"it{blanks}is") == "it is"


def test_only_what_is_told_counts() -> None:
    assert told_in("The cup? It is blue. Where is the lamp?") == "It is blue."
    assert told_in("where is it") == ""


def test_a_request_is_taken_by_its_word() -> None:
    assert find_request("Could you please call that a stool?") == "please call that a stool"
    assert find_request("call that a stool") is None
