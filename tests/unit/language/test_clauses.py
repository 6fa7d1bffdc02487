"""Texts cut into what they ask: as people say it, and the question that is meant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.language.clauses import clauses_of, questions_in
from scenemind.language.questions import read_text
from scenemind.language.tokens import NotUnderstoodError


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("My feet hurt today. Is there a stool?", "is there a stool?"),
        ("Would you be so kind and tell me where the lamp is?", "where is the lamp?"),
        ("You wouldn't happen to know if there is a lamp?", "is there a lamp?"),
        ("any idea how far the door is from the desk?", "how far is the door from the desk?"),
        ("is there a lamp, sweetheart?", "is there a lamp?"),
        ("So the lamp is on the desk, right?", "is the lamp on the desk?"),
        ("there is a lamp on the desk?", "is there a lamp on the desk?"),
        ("what have we got standing on the desk", "what is on the desk?"),
        ("anything on the desk?", "is there anything on the desk?"),
        ("Of the chairs, which one is the tallest?", "which of the chairs is the tallest?"),
        ("which chair is the most near to the door?", "which chair is nearest to the door?"),
        ("do all chairs are black?", "are all the chairs black?"),
        ("where do you think the lamp is?", "where is the lamp?"),
        ("the lamp on the desk, what is its colour?", "what colour is the lamp on the desk?"),
        ("The desk - how wide?", "how wide is the desk?"),
        ("The desk, the one we sit at: what's its colour again?", "what colour is the desk?"),
        ("distance desk - door?", "how far is the desk from the door?"),
        ("desk to door, edge to edge", "how far is the desk from the door?"),
        (
            "apart from the red one, which chairs are there?",
            "which chairs are there apart from the red one?",
        ),
    ],
)
def test_what_is_asked_is_found_in_what_is_said(text: str, plain: str) -> None:
    said, meant = read_text(text).question, read_text(plain).question
    assert str(said).replace("definite=True", "definite=False") == str(meant).replace(
        "definite=True", "definite=False"
    )


def test_what_is_told_is_no_question_and_said_to_be_unread() -> None:
    read = read_text("I have to go soon. Where is the umbrella, because it rains?")
    assert read.question == read_text("where is the umbrella?").question
    assert read.remarks == ("I have to go soon.", "because it rains?")
    assert read.missed == ()


@pytest.mark.parametrize(
    "tail",
    ["if you do not mind my asking", "would you reckon", "if you'd be so good", "pray", "then"],
)
def test_what_only_speaks_to_somebody_is_not_said_to_be_unread(tail: str) -> None:
    read = read_text(f"Where is the umbrella, {tail}?")
    assert read.question == read_text("where is the umbrella?").question
    assert read.remarks == read.missed == ()


def test_a_question_that_is_not_read_is_named() -> None:
    read = read_text("Is there a lamp? Would the glorps thrive?")
    assert read.question == read_text("is there a lamp?").question
    assert read.missed == ("would the glorps thrive",)


def test_a_phrase_that_a_question_leaves_out_is_named() -> None:
    read = read_text("Count the lamps in here, like the glorp over yonder.")
    assert read.question == read_text("count the lamps").question
    assert read.missed == ("like the glorp over yonder",)


@pytest.mark.parametrize(
    ("before", "text", "plain"),
    [
        ("is there a chair?", "which is the tallest one?", "which chair is the tallest?"),
        ("where is the red cup?", "and the blue one?", "where is the blue cup?"),
        ("is there a lamp?", "and how high is it?", "how high is the lamp?"),
        ("which chair is closest to the door?", "and the farthest?",
         "which chair is farthest from the door?"),
        ("is there a lamp on the desk?", "and on the shelf?", "is there a lamp on the shelf?"),
    ],
)  # fmt: skip
def test_a_question_may_be_about_the_one_before(before: str, text: str, plain: str) -> None:
    said = read_text(text, read_text(before).question).question
    assert str(said).replace("definite=True", "definite=False") == str(
        read_text(plain).question
    ).replace("definite=True", "definite=False")


@pytest.mark.parametrize("text", ["the cup and what else?", "to the right of what is the cup?"])
def test_what_no_clause_says_is_not_guessed(text: str) -> None:
    with pytest.raises(NotUnderstoodError):
        read_text(text)


@pytest.mark.parametrize("text", ["or", "the cup or", "is it or", "and", "what", "?", "- , :"])
def test_words_that_join_nothing_end_a_clause(text: str) -> None:
    questions_in(clauses_of(text))


@settings(max_examples=200)
@given(st.text(alphabet="ab .,?!-:;'isthecupwhatand ", max_size=200))
def test_any_text_is_cut_and_nothing_is_said_twice(text: str) -> None:
    clauses = clauses_of(text)
    starts = [token.start for clause in clauses for token in clause.tokens]
    assert starts == sorted(starts)
    questions_in(clauses)
