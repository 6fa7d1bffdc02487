"""Soft match is LLM-TPC's, with its accidents."""

from __future__ import annotations

import pytest

from scenemind.evaluation.metrics import soft_match


@pytest.mark.parametrize(
    ("truth", "prediction"),
    [
        ("rectangle", "rectangular"),
        ("forward", "front"),
        ("up", "covered up"),
        ("TV", "picture, TV"),
        ("toilet", "sink, toilet"),
        ("red", "black, red"),
    ],
)
def test_examples_of_table_s2(truth: str, prediction: str) -> None:
    assert soft_match(prediction, truth)


@pytest.mark.parametrize(
    ("answer", "truth"),
    [("2", "two"), ("21 chairs", "twenty one"), ("8 o'clock", "behind"), ("8 o'clock", "left")],
)
def test_numerals_and_hours(answer: str, truth: str) -> None:
    assert soft_match(answer, truth)


@pytest.mark.parametrize(
    ("answer", "truth"), [("chair", "table"), ("3 o'clock", "left"), ("one", "two")]
)
def test_what_even_this_does_not_take(answer: str, truth: str) -> None:
    assert not soft_match(answer, truth)


@pytest.mark.parametrize(
    ("answer", "truth"), [("", "chair"), ("no", "notebook"), ("not a chair", "a table")]
)
def test_its_accidents_are_kept(answer: str, truth: str) -> None:
    assert soft_match(answer, truth)
