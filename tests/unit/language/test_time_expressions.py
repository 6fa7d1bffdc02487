"""Time expressions: words, and the stamp that they mean beside a newest frame."""

from __future__ import annotations

from datetime import datetime

import pytest

from scenemind.language.time_expressions import find_moment
from scenemind.language.tokens import tokenize
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic.past_answers import stamp_of
from tests.tables import read_table

TABLE = read_table(__file__, "time_expressions")
S = 1_000_000_000
NOW_NS = round(datetime(2026, 5, 4, 15, 30).timestamp()) * S


def stamp_at_end_of(text: str, newest_ns: int = NOW_NS) -> int | None:
    """Stamp of the moment at the end of a sentence; None: the last visit."""
    said = find_moment([token.word for token in tokenize(text)])
    assert said is not None
    return None if said.moment is None else stamp_of(said.moment, newest_ns)


@pytest.mark.parametrize(("text", "ago_s"), TABLE["seconds ago"].items())
def test_spans_count_back_from_the_newest_frame(text: str, ago_s: int) -> None:
    assert stamp_at_end_of(text) == NOW_NS - ago_s * S


@pytest.mark.parametrize(("text", "then"), TABLE["times of day"].items())
def test_times_of_day(text: str, then: datetime) -> None:
    assert stamp_at_end_of(text) == round(then.timestamp()) * S


def test_the_last_visit_has_no_stamp_yet() -> None:
    assert stamp_at_end_of("what changed since the last visit?") is None


@pytest.mark.parametrize("text", TABLE["none"])
def test_other_words_are_no_time(text: str) -> None:
    assert find_moment([token.word for token in tokenize(text)]) is None


@pytest.mark.parametrize(
    ("text", "newest_ns", "reason"),
    [
        ("at 9 am", 40 * S, "5 minutes ago"),
        ("today at 11 pm", NOW_NS, "is after the newest frame"),
    ],
)
def test_impossible_times_are_explained(text: str, newest_ns: int, reason: str) -> None:
    with pytest.raises(ReasoningError, match=reason):
        stamp_at_end_of(text, newest_ns)
