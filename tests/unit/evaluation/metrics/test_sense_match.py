"""Sense match: answers of the same meaning match, others do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.evaluation.metrics import sense_match

answers = st.sampled_from(
    ("yes", "no", "two", "left", "behind", "brown", "a round table", "chairs", "trash can", "odd")
)


@pytest.mark.parametrize(
    ("answer", "truth"),
    [
        ("chairs", "chair"),
        ("The chair.", "chair"),
        ("2", "two"),
        ("two chairs", "two"),
        ("There are 3 chairs by the long table.", "three"),
        ("none", "zero"),
        ("sofa", "couch"),
        ("garbage bin", "trash can"),
        ("trashcan", "trash can"),
        ("washing-machine", "washing machines"),
        ("office chair", "chair"),
        ("chair", "office chair"),
        ("leather sofa", "couch"),
        ("brown", "dark brown"),
        ("toilet paper dispenser", "dispenser"),
        ("long brown wooden table", "table"),
        ("on my left", "left"),
        ("forward", "in front of me"),
        ("backwards", "behind"),
        ("3 o'clock", "right"),
        ("eleven o'clock", "front"),
        ("circular", "round"),
        ("wooden", "wood"),
        ("tidy", "neat"),
        ("Yes, there is one.", "yes"),
        ("no", "no, there is nobody sitting on chair"),
        ("false", "no"),
        ("the white one", "white"),
        ("cup", "cup on the cabinet"),
        ("There is a window behind you, next to the long brown table.", "window"),
        ("You should turn left.", "left"),
        ("The table in front of you is made of wood.", "wooden"),
        ("black and red", "red and black"),
    ],
)
def test_answers_of_the_same_meaning_match(answer: str, truth: str) -> None:
    assert sense_match(answer, truth)


@pytest.mark.parametrize(
    ("answer", "truth"),
    [
        ("", "chair"),
        (".", "chair"),
        ("the", "the table"),
        ("no", "notebook"),
        ("a", "table"),
        ("not a chair", "chair"),
        ("no chair", "chair"),
        ("not a chair", "a table"),
        ("on the table", "on the floor"),
        ("cup on the table", "cup under the table"),
        ("yes", "no"),
        ("one", "two"),
        ("left", "right"),
        ("left or right", "left"),
        ("back", "right and back"),
        ("chair leg", "chair"),
        ("pool table", "pool balls"),
        ("brown", "light"),
        ("square", "rectangular"),
        ("table, chair, window, door", "window"),
        ("table or chair", "table"),
        ("window door table chair", "chair"),
        ("desk", "table"),
        ("armchair", "chair"),
        ("light brown", "dark brown"),
        ("red", "black and red"),
        ("I cannot see the table from here, but there may be a sofa", "sofa"),
        ("mirror", "glass"),
    ],
)
def test_answers_of_other_meanings_do_not_match(answer: str, truth: str) -> None:
    assert not sense_match(answer, truth)


@given(answers)
def test_an_answer_means_itself(answer: str) -> None:
    assert sense_match(answer, answer)
    assert sense_match(f" {answer.upper()}! ", answer)


@given(st.text(max_size=40), st.text(max_size=40))
def test_anything_can_be_compared(answer: str, truth: str) -> None:
    assert sense_match(answer, truth) in (True, False)


@given(answers, answers)
def test_these_all_mean_something_else(answer: str, truth: str) -> None:
    assert sense_match(answer, truth) == (answer == truth)
