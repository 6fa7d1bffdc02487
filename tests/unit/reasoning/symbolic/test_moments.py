"""Moments as a table: words and stamp."""

from __future__ import annotations

from datetime import datetime

import pytest

from scenemind.reasoning import ReasoningError
from scenemind.reasoning.symbolic.moments import find_moment
from scenemind.reasoning.symbolic.tokens import tokenize

S = 1_000_000_000
NOW = datetime(2026, 5, 4, 15, 30)
NOW_NS = round(NOW.timestamp()) * S


def stamp_of(text: str) -> int | None:
    """Of the moment that a sentence ends with; None: the last visit."""
    said = find_moment([token.word for token in tokenize(text)])
    assert said is not None
    return None if said.moment is None else said.moment.stamp_ns(NOW_NS)


@pytest.mark.parametrize(
    ("text", "ago_s"),
    [
        ("where was the cup five minutes ago?", 300),
        ("where was the cup 90 seconds ago", 90),
        ("where was the cup 1.5 hours ago", 5400),
        ("where was the cup an hour ago", 3600),
        ("where was the cup half an hour ago", 1800),
        ("where was the cup a minute ago", 60),
        ("what changed in the last half hour", 1800),
        ("what changed in the last 20 minutes", 1200),
        ("what changed since two days ago", 172_800),
        ("what changed within the past week", 604_800),
    ],
)
def test_spans_count_back_from_the_newest_frame(text: str, ago_s: int) -> None:
    assert stamp_of(text) == NOW_NS - ago_s * S


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("where was the cup at 10:05", datetime(2026, 5, 4, 10, 5)),
        ("where was the cup at 10:05:30?", datetime(2026, 5, 4, 10, 5, 30)),
        ("where was the cup at 9 am", datetime(2026, 5, 4, 9)),
        ("where was the cup at 3pm", datetime(2026, 5, 4, 15)),
        ("where was the cup at 12 am", datetime(2026, 5, 4, 0)),
        ("where was the cup at three o'clock", datetime(2026, 5, 4, 3)),
        ("where was the cup at noon", datetime(2026, 5, 4, 12)),
        ("what changed since yesterday", datetime(2026, 5, 3)),
        ("where was the cup yesterday at 10:05", datetime(2026, 5, 3, 10, 5)),
        ("where was the cup at 10:05 yesterday", datetime(2026, 5, 3, 10, 5)),
        # Not yet today: the last time that it was so.
        ("where was the cup at 23:00", datetime(2026, 5, 3, 23)),
    ],
)
def test_times_of_day(text: str, then: datetime) -> None:
    assert stamp_of(text) == round(then.timestamp()) * S


def test_the_last_visit_has_no_stamp_yet() -> None:
    assert stamp_of("what changed since the last visit?") is None


@pytest.mark.parametrize(
    "text",
    [
        "where is the cup",
        "where was the cup at 25:00",
        "where was the cup at 10:75",
        "at",
        "ago",
        "",
    ],
)
def test_what_is_no_moment_is_none(text: str) -> None:
    assert find_moment([token.word for token in tokenize(text)]) is None


def test_a_time_of_day_needs_stamps_that_tell_it() -> None:
    said = find_moment(["at", "9", "am"])
    assert said is not None
    assert said.moment is not None
    with pytest.raises(ReasoningError, match="5 minutes ago"):
        said.moment.stamp_ns(40 * S)


def test_what_is_yet_to_come_is_no_past() -> None:
    said = find_moment(("today", "at", "11", "pm"))
    assert said is not None
    assert said.moment is not None
    with pytest.raises(ReasoningError, match="is after the newest frame"):
        said.moment.stamp_ns(NOW_NS)
