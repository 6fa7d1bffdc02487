"""Marks in replies of judges, who like to say more than was asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.evaluation.judging import find_mark


@pytest.mark.parametrize(
    ("reply", "mark"),
    [
        ("4", 4),
        ("4.", 4),
        ("4.5", 4.5),
        ("Your mark: 4.5", 4.5),
        ("Your mark: 4\n", 4),
        ("Mark: 4", 4),
        ("mark 3", 3),
        ("4/5", 4),
        ("4 / 5.0", 4),
        ("4 out of 5", 4),
        ("On a scale from 1 to 5: 2", 2),
        ("**4**", 4),
        ("**Your mark:** 4", 4),
        ("```\n5\n```", 5),
        ('{"mark": 3}', 3),
        ("four", 4),
        ("Your mark: Five.", 5),
        ("I would give a score of 3, as two chairs are missing.", 3),
        ("First mark: 2? No, 2 things fit. Your mark: 3", 3),
        ("<think>between 2 and 3, mark: 2</think>Your mark: 3", 3),
        ("4,5", 4.5),
        ("0", 0),
    ],
)
def test_read(reply: str, mark: float) -> None:
    assert find_mark(reply) == mark


@pytest.mark.parametrize(
    "reply", ["", "I cannot say.", "3 or 4", "from 1 to 5", "Your mark: 85", "Mark: great"]
)
def test_not_to_be_read(reply: str) -> None:
    assert find_mark(reply) is None


@given(st.text(max_size=60))
def test_any_reply_is_survived(reply: str) -> None:
    mark = find_mark(reply)
    assert mark is None or 0.0 <= mark <= 5.0
