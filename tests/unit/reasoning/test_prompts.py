"""Prompts with what is filled into them."""

from __future__ import annotations

import pytest

from scenemind.reasoning.prompts import fill_prompt, read_prompt

PACKAGE = "scenemind.reasoning.memtree_qa"


def test_values_are_filled_in_as_they_are() -> None:
    values = {"notes": "$policy ${count} $$", "circumstances": "", "question": '"what?"'}
    text = fill_prompt(PACKAGE, "answer_question", count="picture", policy="Guess.", **values)
    assert "Notes on the picture:\n$policy ${count} $$\n" in text
    assert text.endswith('The question: "what?"\nGuess.')


def test_a_value_that_is_missing_is_a_bug() -> None:
    with pytest.raises(KeyError, match="notes"):
        fill_prompt(PACKAGE, "answer_question", count="1")


def test_a_prompt_ends_without_blank_lines() -> None:
    text = read_prompt(PACKAGE, "answer")
    assert text == text.rstrip()
