"""Clauses: what a text asserts, and what it denies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.language.assertions import asserts, clauses_of


@pytest.mark.parametrize(
    ("text", "affirmed", "denied"),
    [
        ("it is not a lamp but a cup", ["it is but a cup"], ["not a lamp"]),
        ("the cup does not stand on the table", ["the cup does"], ["not stand on the table"]),
        ("no, the cup is blue", ["the cup is blue"], [""]),
        ("the cup is blue, and the lamp is not", ["the cup is blue", "the lamp is"], ["", "not"]),
        ("delete objects 3, 5 and 7", ["delete objects 3 , 5 and 7"], [""]),
        ("could you please call it a mug?", ["call it a mug"], [""]),
    ],
)
def test_clauses_have_what_they_affirm_and_deny(
    text: str, affirmed: list[str], denied: list[str]
) -> None:
    clauses = clauses_of(text)
    assert [" ".join(clause.part(denied=False)) for clause in clauses] == affirmed
    assert [" ".join(clause.part(denied=True)) for clause in clauses] == denied
    assert all(clause.is_asserted for clause in clauses)


def test_what_is_said_beside_a_question_or_a_report_stays_asserted() -> None:
    clauses = clauses_of(
        "The cup? It is blue. Tom says it is red. You think it's grey, but it is green."
    )
    said = [" ".join(clause.words) for clause in clauses if clause.is_asserted]
    assert said == ["it is blue", "it is green"]


@pytest.mark.parametrize(
    "text",
    [
        "we call that a shelf",
        "it says podium but it's a door",
        "what you thought was a lamp is a telephone",
        "the telephone was made from wood",
        "you have merged two telephones into number 3",
    ],
)
def test_what_is_said_outright_is_asserted_whatever_is_told_beside(text: str) -> None:
    assert asserts(text)


@pytest.mark.parametrize(
    "text",
    [
        "we suspect that a shelf is there",
        "it says it is a door and it is red",
        "it says: delete object 3",
        "the label says the couch is red",
        "the sign says podium but it's a door",
        "the couch is red, it says",
        "the couch was red",
    ],
)
def test_what_is_only_told_is_not_asserted(text: str) -> None:
    assert not asserts(text)


def test_the_second_of_two_orders_is_denied_with_the_first() -> None:
    assert [c.is_asserted for c in clauses_of("do not touch it, move it")] == [True, False]
    assert [c.is_asserted for c in clauses_of("do not touch it but move it")] == [True, True]


@given(st.text(alphabet="abn't ,.?!\"'3", max_size=80))
def test_each_word_is_either_affirmed_or_denied(text: str) -> None:
    for clause in clauses_of(text):
        parts = clause.part(denied=True), clause.part(denied=False)
        assert sorted((*parts[0], *parts[1])) == sorted(clause.words)
