"""Turns: how many at a time, in which order, and who is sent away."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest

from scenemind.models import Allowance, ModelError
from scenemind.models.gate import Gate
from tests.waiting import wait_until


def in_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def kind_of_failure(gate: Gate, allowance: Allowance) -> str:
    with pytest.raises(ModelError) as raised, gate.turn(allowance):
        pass
    return raised.value.kind


def test_no_more_than_the_places_are_inside_at_once() -> None:
    gate, places, callers = Gate("here", 3), 3, 24
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


def test_who_came_first_goes_first() -> None:
    gate, order = Gate("here", 1), list[int]()

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


def test_no_more_turns_a_minute_than_there_may_be() -> None:
    gate = Gate("here", 9, per_minute=1)
    with gate.turn(Allowance(20.0)):
        pass
    assert kind_of_failure(gate, Allowance(0.02)) == "too_late"
    assert (gate.in_flight, gate.waiting) == (0, 0)
    quick = Gate("here", 9, per_minute=60_000)
    for _ in range(3):
        with quick.turn(Allowance(20.0)):
            pass


def test_turns_are_never_lost_however_callers_end() -> None:
    """Callers that come, give up, are cancelled or fail inside leave the gate as they found it."""
    gate, chance = Gate("here", 2), random.Random(7)
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


def test_who_gets_no_turn_in_time_is_told_why() -> None:
    gate = Gate("http://here/v1", 1)
    with (
        gate.turn(Allowance(20.0)),
        pytest.raises(ModelError) as raised,
        gate.turn(Allowance(0.01)),
    ):
        pass
    assert raised.value.kind == "too_late"
    assert "http://here/v1: no turn within the 0.01 s of the question" in str(raised.value)
    assert "1 calls running" in str(raised.value)


def test_who_is_cancelled_while_waiting_leaves_at_once() -> None:
    gate, allowance = Gate("here", 1), Allowance(600.0)
    kinds: list[str] = []
    with gate.turn(Allowance(20.0)):
        thread = in_thread(lambda: kinds.append(kind_of_failure(gate, allowance)))
        wait_until(lambda: gate.waiting == 1)
        allowance.cancel()
        thread.join(20.0)
    assert kinds == ["cancelled"]


def test_nobody_goes_while_it_is_held_and_all_go_afterwards() -> None:
    gate, callers = Gate("here", 16), 16
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


def test_a_shorter_word_does_not_end_a_longer_one() -> None:
    gate = Gate("here", 1)
    gate.hold(600.0)
    gate.hold(0.01)
    assert gate.held_s > 300.0


def test_who_cannot_wait_so_long_is_sent_away_at_once() -> None:
    gate = Gate("http://here/v1", 1)
    gate.hold(600.0)
    words = r"left alone for another \d+ s, and the question has [\d.]+ s left"
    with pytest.raises(ModelError, match=words) as raised, gate.turn(Allowance(20.0)):
        pass
    assert raised.value.kind == "overloaded"
    assert raised.value.retry_after_s == pytest.approx(600.0, abs=60.0)
    assert gate.waiting == 0


def test_a_hold_that_comes_while_one_waits_sends_him_away() -> None:
    gate, kinds = Gate("here", 1), list[str]()
    with gate.turn(Allowance(20.0)):
        thread = in_thread(lambda: kinds.append(kind_of_failure(gate, Allowance(300.0))))
        wait_until(lambda: gate.waiting == 1)
        gate.hold(600.0)
        thread.join(20.0)
    assert kinds == ["overloaded"]


def test_no_server_is_obeyed_for_more_than_an_hour() -> None:
    gate = Gate("here", 1)
    gate.hold(1e9)
    assert gate.held_s <= 3600.0


@pytest.mark.parametrize("wait", ["turn", "pause"])
def test_closing_sends_away_who_waits(wait: str) -> None:
    gate, kinds = Gate("here", 1), list[str]()

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
