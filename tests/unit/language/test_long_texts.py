"""Texts of 1,000 characters: every reader is quick with them, whatever is repeated."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import pytest

from scenemind.language.assertions import clauses_of
from scenemind.language.corrections.grammar import parse_commands
from scenemind.language.loose import read_question
from scenemind.language.questions import read_text
from scenemind.language.referring.reader import read
from scenemind.language.situation import read_situation, split_situation
from scenemind.language.tokens import NotUnderstoodError

# Bound for a loaded machine; an idle one needs a fifth of it.
_LONGEST_S = 0.5
_REPEATED = (
    *("the ", "chair ", "on my left ", "not ", "of the chair ", "that is ", "red and blue and "),
    *(
        "the cup on the table next to the sofa ",
        "between the chair and the table ",
        "object 3 and ",
    ),
    *("something to sit on besides the ", "from the left ", "at my 3 o'clock ", "with a "),
    *("to the left of the second largest black and red ", "what is on the table and "),
    *("is the chair on the table ", "it is not a chair, it is a stool, ", "object 3 and "),
)


@pytest.mark.parametrize(
    "reader",
    [
        *(read_text, parse_commands, read_question, read_situation, split_situation, read),
        clauses_of,
    ],
)
@pytest.mark.parametrize("start", ["", "what is ", "how many "])
def test_repeated_words_are_quick_to_read(reader: Callable[[str], Any], start: str) -> None:
    for repeated in _REPEATED:
        text = (start + repeated * 300)[:1000]
        before = time.process_time()
        with contextlib.suppress(NotUnderstoodError):
            reader(text)
        assert time.process_time() - before < _LONGEST_S, text[:40]
