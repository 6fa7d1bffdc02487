"""Prompts with what is filled into them."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from scenemind.reasoning.memtree_qa.frame_answer import FrameAnswer
from scenemind.reasoning.memtree_qa.location_choice import LocationChoice
from scenemind.reasoning.memtree_qa.selectors.detector_search import TargetClasses
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


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("choose_locations", LocationChoice),
        ("answer", FrameAnswer),
        ("target_classes", TargetClasses),
    ],
)
def test_the_example_of_a_prompt_has_its_form(name: str, form: type[BaseModel]) -> None:
    text = read_prompt(PACKAGE, name)
    form.model_validate_json(text[text.index('{"think"') :])


def test_a_prompt_ends_without_blank_lines() -> None:
    text = read_prompt(PACKAGE, "answer")
    assert text == text.rstrip()
