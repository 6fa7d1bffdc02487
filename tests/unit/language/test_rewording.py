"""Everyday sentences said again as plain questions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.language import trees
from scenemind.language.questions import read_text
from scenemind.language.rewording import as_correction, commands_of, reworded


def said_as(text: str, before: str = "") -> str:
    found = reworded(text, before)
    return "" if found is None else found.text


# None of these stands among the pairs that the networks learnt from.
@pytest.mark.parametrize(
    ("text", "kind", "nouns"),
    [
        ("any notion where my keys are?", trees.Where, {"keys"}),
        ("how much of a gap from the sink to the oven?", trees.Distance, {"sink", "oven"}),
    ],
)
def test_sentence_is_said_as_a_plain_question(text: str, kind: type, nouns: set[str]) -> None:
    question = read_text(said_as(text)).question
    assert isinstance(question, kind)
    assert {phrase.noun for phrase in trees.noun_phrases(question)} == nouns


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("The cardboard box by the desk was picked up by the courier today.", "is gone"),
        ("By the way, the rucksack belongs to Jonas from the second floor.", "belongs to Jonas"),
    ],
)
def test_sentence_is_said_as_a_plain_correction(text: str, meant: str) -> None:
    found = as_correction(text)
    assert found is not None
    assert found.tells
    assert found.text.endswith(meant)
    assert commands_of(found.text)
    assert found.text not in said_as(text)


def test_it_means_what_was_said_before() -> None:
    assert "toaster" in said_as("and what colour is it?", "where did the toaster end up?")


def test_a_word_that_was_never_met_is_copied() -> None:
    assert "zorblatt" in said_as("I need the zorblatt, where on earth is it?")


@settings(deadline=None, max_examples=30)
@given(st.text(max_size=300), st.text(max_size=100))
def test_whatever_is_said_is_read_whole(text: str, before: str) -> None:
    found = reworded(text, before)
    if found is not None:
        assert 0.0 <= found.likelihood <= 1.0
        if found.text:
            said = read_text(found.text)
            assert not said.remarks
            assert not said.missed


@pytest.mark.parametrize(
    ("text", "never"),
    [
        (
            "sorry to be a pain but that's her locker, with an i in her name",
            "the locker is a locker",
        ),
        ("That isn't metal, it's just plastic painted silver.", "the metal is"),
    ],
)
def test_what_can_not_be_is_not_offered(text: str, never: str) -> None:
    said = as_correction(text)
    assert said is None or not said.text.startswith(never)
