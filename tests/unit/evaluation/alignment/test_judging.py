"""Sentences are judged by what they say, not by the words of the question."""

from __future__ import annotations

import pytest

from scenemind.evaluation.alignment.judging import is_right
from scenemind.evaluation.alignment.tasks import Wanted
from scenemind.reasoning import Answer, Query


def answer(text: str) -> Answer:
    return Answer(Query("?"), text, 0.9, (), (), "symbolic", 0.0)


@pytest.mark.parametrize(
    ("question", "truth", "text", "right"),
    [
        ("How many desks are there?", "one", "There is 1 desk: a desk (object 4).", True),
        ("How many desks are there?", "one", "There are 2 desks: object 1 and object 9.", False),
        ("How many red rugs?", "one", "No rugs are red in the memory (1 rug is known).", False),
        (
            "What is the color of the rug?",
            "grey",
            "The rug (object 2) is grey, people say.",
            True,
        ),
        ("What is the color of the rug?", "grey", "The rug (object 2) is blue.", False),
        ("What is the tv made of?", "plastic", "The tv (object 3) is made of plastic.", True),
        ("What is on the desk?", "monitor", "A monitor (object 19) is on the desk.", True),
        ("What is on the desk?", "desk", "A monitor (object 19) is on the desk.", False),
        ("What is on the desk?", "monitor", "A monitor and a lamp are on the desk.", False),
        ("What is under the lamp?", "desk", "The lamp (object 2) is on the desk (object 1).", True),
        ("Is the cup on the desk?", "yes", "Yes, the cup (object 3) is on the desk.", True),
        ("Is the cup on the desk?", "yes", "No, the cup (object 3) is not on the desk.", False),
        ("Is there a round table?", "yes", "Not for sure: I know of no round table.", False),
    ],
)
def test_the_strict_sense(question: str, truth: str, text: str, right: bool) -> None:
    assert is_right(Wanted(question, (truth,)), answer(text)) is right
