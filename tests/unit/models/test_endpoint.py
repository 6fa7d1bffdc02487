"""Circuit breaker and rate limit of an endpoint."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.models import Allowance, ModelError
from scenemind.models.endpoint import CircuitBreaker, Outcome, RateLimiter
from tests.waiting import wait_until


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def call(breaker: CircuitBreaker, outcome: Outcome, said: str = "it broke") -> None:
    with breaker.watching() as note:
        note(outcome, said)


def is_refused(breaker: CircuitBreaker) -> bool:
    try:
        breaker.check()
    except ModelError as error:
        return error.kind == "resting"
    return False


def test_consecutive_failures_open_the_circuit_breaker() -> None:
    breaker = CircuitBreaker("here", 3, 30.0, Clock())
    for outcome in ("ill", "ill", "well", "ill", "ill"):
        call(breaker, outcome)
        assert not is_refused(breaker)
    call(breaker, "ill")
    assert is_refused(breaker)


def test_refusal_names_remaining_time_and_last_failure() -> None:
    clock = Clock()
    breaker = CircuitBreaker("http://here/v1", 1, 30.0, clock)
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


def test_after_the_rest_one_call_probes_and_others_wait_for_its_result() -> None:
    clock = Clock()
    breaker = CircuitBreaker("here", 1, 30.0, clock)
    call(breaker, "ill")
    clock.now_s += 30.0
    with breaker.watching() as note:
        assert is_refused(breaker)
        note("well", "")
    assert not is_refused(breaker)
    assert breaker.state == ""


def test_a_probe_that_fails_begins_another_rest() -> None:
    clock = Clock()
    breaker = CircuitBreaker("here", 2, 30.0, clock)
    call(breaker, "ill")
    call(breaker, "ill")
    clock.now_s += 30.0
    call(breaker, "ill")
    clock.now_s += 29.0
    assert is_refused(breaker)
    clock.now_s += 1.0
    assert not is_refused(breaker)


def test_probe_without_a_result_leaves_probing_to_the_next_call() -> None:
    clock = Clock()
    breaker = CircuitBreaker("here", 1, 30.0, clock)
    call(breaker, "ill")
    clock.now_s += 30.0
    call(breaker, "unknown")
    with pytest.raises(RuntimeError, match="a bug"), breaker.watching():
        raise RuntimeError("a bug")
    call(breaker, "well")
    assert breaker.state == ""


def test_calls_that_ran_and_failed_together_are_one_failure() -> None:
    breaker = CircuitBreaker("here", 2, 30.0, Clock())
    with breaker.watching() as first, breaker.watching() as second:
        first("ill", "one of a burst")
        second("ill", "one of a burst")
    assert not is_refused(breaker)
    call(breaker, "ill")
    assert is_refused(breaker)


@given(st.lists(st.sampled_from(["well", "ill", "unknown", "time"]), max_size=40))
def test_circuit_breaker_refuses_exactly_while_it_rests(events: list[str]) -> None:
    """Against the rule in one line: the failures since the last success, and the time of the last
    one."""
    clock, history, last_s = Clock(), list[str](), 0.0
    breaker = CircuitBreaker("here", 3, 30.0, clock)
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


def in_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def kind_of_failure(gate: RateLimiter, allowance: Allowance) -> str:
    with pytest.raises(ModelError) as raised, gate.turn(allowance):
        pass
    return raised.value.kind


def test_concurrent_calls_are_limited() -> None:
    gate, places, callers = RateLimiter("here", 3), 3, 24
    full = threading.Barrier(places)  # opens only when so many are inside together
    inside: list[int] = []

    def call() -> None:
        with gate.turn(Allowance(20.0)):
            inside.append(gate.in_flight)
            full.wait(20.0)

    threads = [in_thread(call) for _ in range(callers)]
    for thread in threads:
        thread.join(20.0)
    assert len(inside) == callers
    assert max(inside) == places
    assert (gate.in_flight, gate.waiting) == (0, 0)


def test_callers_are_served_in_the_order_of_arrival() -> None:
    gate, order = RateLimiter("here", 1), list[int]()

    def call(number: int) -> None:
        with gate.turn(Allowance(20.0)):
            order.append(number)

    with gate.turn(Allowance(20.0)):
        threads = []
        for number in range(8):
            threads.append(in_thread(lambda number=number: call(number)))
            wait_until(lambda: gate.waiting == len(threads))
    for thread in threads:
        thread.join(20.0)
    assert order == list(range(8))


def test_calls_a_minute_are_limited() -> None:
    gate = RateLimiter("here", 9, per_minute=1)
    with gate.turn(Allowance(20.0)):
        pass
    assert kind_of_failure(gate, Allowance(0.02)) == "too_late"
    assert (gate.in_flight, gate.waiting) == (0, 0)
    quick = RateLimiter("here", 9, per_minute=60_000)
    for _ in range(3):
        with quick.turn(Allowance(20.0)):
            pass


def test_turns_are_never_lost_however_callers_end() -> None:
    """Callers that come, give up, are cancelled or fail inside leave the gate as they found it."""
    gate, chance = RateLimiter("here", 2), random.Random(7)
    allowances = [Allowance(chance.choice((0.0, 0.002, 20.0))) for _ in range(60)]

    def call(number: int) -> None:
        try:
            with gate.turn(allowances[number]):
                if number % 5 == 0:
                    raise ModelError("server_failed", "inside")
        except ModelError:
            pass

    threads = [in_thread(lambda number=number: call(number)) for number in range(60)]
    for number in range(0, 60, 3):
        allowances[number].cancel()
    for thread in threads:
        thread.join(20.0)
    assert (gate.in_flight, gate.waiting) == (0, 0)
    with gate.turn(Allowance(1.0)), gate.turn(Allowance(1.0)):
        assert gate.in_flight == 2


def test_error_of_a_caller_without_a_turn_gives_the_reason() -> None:
    gate = RateLimiter("http://here/v1", 1)
    with (
        gate.turn(Allowance(20.0)),
        pytest.raises(ModelError) as raised,
        gate.turn(Allowance(0.01)),
    ):
        pass
    assert raised.value.kind == "too_late"
    assert "http://here/v1: no turn within the 0.01 s of the question" in str(raised.value)
    assert "1 calls running" in str(raised.value)


def test_cancelled_caller_stops_waiting_at_once() -> None:
    gate, allowance = RateLimiter("here", 1), Allowance(600.0)
    kinds: list[str] = []
    with gate.turn(Allowance(20.0)):
        thread = in_thread(lambda: kinds.append(kind_of_failure(gate, allowance)))
        wait_until(lambda: gate.waiting == 1)
        allowance.cancel()
        thread.join(20.0)
    assert kinds == ["cancelled"]


def test_no_call_starts_during_a_hold_and_all_start_afterwards() -> None:
    gate, callers = RateLimiter("here", 16), 16
    gate.hold(0.1)
    together = threading.Barrier(callers)  # all of them, since the gate has as many places
    held_s: list[float] = []

    def call() -> None:
        with gate.turn(Allowance(20.0)):
            held_s.append(gate.held_s)
            together.wait(10.0)

    threads = [in_thread(call) for _ in range(callers)]
    for thread in threads:
        thread.join(20.0)
    assert held_s == [0.0] * callers
    assert not together.broken


def test_shorter_hold_does_not_end_a_longer_one() -> None:
    gate = RateLimiter("here", 1)
    gate.hold(600.0)
    gate.hold(0.01)
    assert gate.held_s > 300.0


def test_caller_whose_time_is_shorter_than_the_hold_fails_at_once() -> None:
    gate = RateLimiter("http://here/v1", 1)
    gate.hold(600.0)
    words = r"left alone for another \d+ s, and the question has [\d.]+ s left"
    with pytest.raises(ModelError, match=words) as raised, gate.turn(Allowance(20.0)):
        pass
    assert raised.value.kind == "overloaded"
    assert raised.value.retry_after_s == pytest.approx(600.0, abs=60.0)
    assert gate.waiting == 0


def test_new_hold_fails_a_waiting_caller_with_too_little_time() -> None:
    gate, kinds = RateLimiter("here", 1), list[str]()
    with gate.turn(Allowance(20.0)):
        thread = in_thread(lambda: kinds.append(kind_of_failure(gate, Allowance(300.0))))
        wait_until(lambda: gate.waiting == 1)
        gate.hold(600.0)
        thread.join(20.0)
    assert kinds == ["overloaded"]


def test_hold_lasts_an_hour_at_most() -> None:
    gate = RateLimiter("here", 1)
    gate.hold(1e9)
    assert gate.held_s <= 3600.0


@pytest.mark.parametrize("wait", ["turn", "pause"])
def test_closing_fails_waiting_callers(wait: str) -> None:
    gate, kinds = RateLimiter("here", 1), list[str]()

    def pause() -> None:
        with pytest.raises(ModelError) as raised:
            gate.pause(600.0, Allowance(900.0))
        kinds.append(raised.value.kind)

    def turn() -> None:
        kinds.append(kind_of_failure(gate, Allowance(900.0)))

    with gate.turn(Allowance(20.0)):
        thread = in_thread(turn if wait == "turn" else pause)
        gate.close()
        thread.join(20.0)
    assert kinds == ["closed"]
    assert kind_of_failure(gate, Allowance(1.0)) == "closed"
