"""Numbers in words and in figures, and answers as benchmarks spell them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.metrics.numerals import in_figures, in_words, number_words, spelled
from tests.unit.evaluation import made


@pytest.mark.parametrize(
    ("words", "figures"),
    [
        ("two", "2"),
        ("left of two chairs", "left of 2 chairs"),
        ("Twelve of them", "12 of them"),
        ("twenty-one", "21"),
        ("ninety nine bottles", "99 bottles"),
        ("none", "none"),
        ("someone at the stone", "someone at the stone"),
    ],
)
def test_words_become_figures(words: str, figures: str) -> None:
    assert in_figures(words) == figures


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ("2", "two"),
        ("2 chairs.", "two chairs."),
        ("21, or 3", "twenty one, or three"),
        ("180 degrees", "180 degrees"),
        ("2.5 m", "2.5 m"),
        ("mat2", "mat2"),
        ("10:30", "10:30"),
    ],
)
def test_figures_become_words(figures: str, words: str) -> None:
    assert in_words(figures) == words


@given(st.integers(0, 99))
def test_both_ways(number: int) -> None:
    assert in_figures(number_words(number)) == str(number)
    assert in_words(str(number)) == number_words(number)


@given(st.text(), st.sampled_from(["as_said", "figures", "words"]))
def test_a_spelled_answer_stays(answer: str, spelling: str) -> None:
    once = spelled(answer, spelling)
    assert spelled(once, spelling) == once or re.search(r"\b(a|an|the)\s", once, re.IGNORECASE)


def test_articles_go_where_the_benchmark_has_none() -> None:
    assert spelled("The two chairs at a desk", "figures") == "2 chairs at desk"
    assert spelled("the 2 chairs", "words") == "two chairs"
    assert spelled("the 2 chairs", "as_said") == "the 2 chairs"


@pytest.mark.parametrize(("name", "spelling"), [("scanqa", "figures"), ("sqa3d", "words")])
def test_true_answers_are_spelled_so(name: str, spelling: str, shared_data: Path) -> None:
    rows: list[Row] = made.read(name, shared_data / "annotations" / name)
    answers = [answer for row in rows if isinstance(row, Question) for answer in row.answers]
    others = [answer for answer in answers if spelled(answer, spelling) != answer]
    assert len(others) <= 1, json.dumps(others)
