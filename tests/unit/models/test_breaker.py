"""When an endpoint is left alone, and when it is tried again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.models import ModelError
from scenemind.models.breaker import Breaker, Outcome


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def call(breaker: Breaker, outcome: Outcome, said: str = "it broke") -> None:
    with breaker.watching() as note:
        note(outcome, said)


def is_refused(breaker: Breaker) -> bool:
    try:
        breaker.check()
    except ModelError as error:
        return error.kind == "resting"
    return False


def test_failures_in_a_row_open_it_and_one_success_between_does_not() -> None:
    breaker = Breaker("here", 3, 30.0, Clock())
    for outcome in ("ill", "ill", "well", "ill", "ill"):
        call(breaker, outcome)
        assert not is_refused(breaker)
    call(breaker, "ill")
    assert is_refused(breaker)


def test_a_refusal_says_how_long_and_what_was_wrong() -> None:
    clock = Clock()
    breaker = Breaker("http://here/v1", 1, 30.0, clock)
    call(breaker, "ill", "the disk is full")
    clock.now_s += 10.0
    with pytest.raises(ModelError) as raised:
        call(breaker, "well")
    assert str(raised.value) == (
        "http://here/v1 failed 1 times in a row and is left alone for 20 s; the last time: the disk"
        " is full"
    )
    assert raised.value.retry_after_s == 20.0
    assert breaker.state in str(raised.value)


def test_after_the_rest_one_may_try_and_the_others_wait_for_how_that_goes() -> None:
    clock = Clock()
    breaker = Breaker("here", 1, 30.0, clock)
    call(breaker, "ill")
    clock.now_s += 30.0
    with breaker.watching() as note:
        assert is_refused(breaker)
        note("well", "")
    assert not is_refused(breaker)
    assert breaker.state == ""


def test_a_probe_that_fails_begins_another_rest() -> None:
    clock = Clock()
    breaker = Breaker("here", 2, 30.0, clock)
    call(breaker, "ill")
    call(breaker, "ill")
    clock.now_s += 30.0
    call(breaker, "ill")
    clock.now_s += 29.0
    assert is_refused(breaker)
    clock.now_s += 1.0
    assert not is_refused(breaker)


def test_a_probe_that_tells_nothing_leaves_the_probing_to_the_next() -> None:
    clock = Clock()
    breaker = Breaker("here", 1, 30.0, clock)
    call(breaker, "ill")
    clock.now_s += 30.0
    call(breaker, "unknown")
    with pytest.raises(RuntimeError, match="a bug"), breaker.watching():
        raise RuntimeError("a bug")
    call(breaker, "well")
    assert breaker.state == ""


def test_calls_that_ran_and_failed_together_are_one_failure() -> None:
    breaker = Breaker("here", 2, 30.0, Clock())
    with breaker.watching() as first, breaker.watching() as second:
        first("ill", "one of a burst")
        second("ill", "one of a burst")
    assert not is_refused(breaker)
    call(breaker, "ill")
    assert is_refused(breaker)


@given(st.lists(st.sampled_from(["well", "ill", "unknown", "time"]), max_size=40))
def test_it_refuses_exactly_while_it_rests(events: list[str]) -> None:
    """Against the rule in one line: the failures since the last success, and the time of the last
    one."""
    clock, history, last_s = Clock(), list[str](), 0.0
    breaker = Breaker("here", 3, 30.0, clock)
    for event in events:
        if event == "time":
            clock.now_s += 11.0
            continue
        failures = "".join(e[0] for e in history if e != "unknown").rpartition("w")[2].count("i")
        must_rest = failures >= 3 and clock.now_s - last_s < 30.0
        assert is_refused(breaker) == must_rest
        if must_rest:
            continue
        call(breaker, event)  # type: ignore[arg-type]
        history.append(event)
        last_s = clock.now_s if event == "ill" else last_s
