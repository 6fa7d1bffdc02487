"""Retries, budgets and limits around a chat model."""

from __future__ import annotations

import logging
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import ChatModelConfig, ModelsConfig
from scenemind.models import Allowance, ChatMessage, ChatReply, ModelError
from scenemind.models.endpoint import Endpoint
from scenemind.models.ledger import UsageLedger
from scenemind.models.openai_chat import OpenAIChat
from scenemind.models.resilient_chat import Backoff, ResilientChat
from tests.chat_exchange import Exchange
from tests.chat_server import (
    FAULTS,
    ChatServer,
    Step,
    choose,
    fail,
    refuse,
    run_out_of_tokens,
    say,
    stay_silent,
)
from tests.waiting import wait_until


def pauses(backoff: Backoff, count: int) -> list[float]:
    made: list[float] = []
    for _ in range(count):
        made.append(backoff.next_s(made[-1] if made else None))
    return made


@given(st.integers(0, 1000), st.floats(0.01, 5.0))
def test_pauses_keep_within_their_bounds(seed: int, first_s: float) -> None:
    made = pauses(Backoff(first_s, seed), 12)
    assert 0.5 * first_s <= made[0] <= 1.5 * first_s
    for before, after in pairwise(made):
        assert 0.5 * first_s <= after <= min(30.0, 3.0 * before)


def test_pauses_grow_and_differ_between_callers() -> None:
    every = [pauses(Backoff(0.5, seed), 6) for seed in range(200)]
    means = [sum(made[i] for made in every) / len(every) for i in range(6)]
    assert means == sorted(means)
    assert 0.45 < means[0] < 0.55  # half of (0.25 + 0.75)
    assert len({made[0] for made in every}) == len(every)
    assert pauses(Backoff(0.5, 3), 6) == every[3]


HELLO = [ChatMessage("user", "hello")]


@pytest.fixture
def ledger(tmp_path: Path) -> UsageLedger:
    return UsageLedger(tmp_path / "usage.sqlite")


@contextmanager
def careful(
    where: str, ledger: UsageLedger, call_deadline_s: float = 30.0, **settings: Any
) -> Iterator[ResilientChat]:
    """A resilient model with pauses of nearly zero."""
    config = ModelsConfig(**settings)
    model = ChatModelConfig(
        model="seer", endpoint=where, call_deadline_s=call_deadline_s, prompt_price=1.0
    )
    with OpenAIChat(model) as chat:
        endpoint = Endpoint.at(where, config)
        yield ResilientChat(
            chat, endpoint, ledger, Backoff(0.001, seed=1), config.retries, call_deadline_s
        )
        endpoint.limiter.close()


def ask(chat: ResilientChat, seconds: float = 20.0) -> ChatReply:
    return chat.ask(HELLO, Allowance(seconds))


def failure(chat: ResilientChat, seconds: float = 20.0) -> ModelError:
    with pytest.raises(ModelError) as raised:
        ask(chat, seconds)
    return raised.value


def test_temporary_failure_is_tried_again(ledger: UsageLedger) -> None:
    steps = fail(500), fail(429), FAULTS["cut"], say("good day")
    with ChatServer(*steps) as server, careful(server.endpoint, ledger, retries=3) as chat:
        assert ask(chat).text == "good day"
    assert len(server.requests) == 4
    assert chat.calls == 4
    assert chat.failures == {"server_failed": 1, "overloaded": 1, "unreachable": 1}


def test_error_is_that_of_the_last_try(ledger: UsageLedger) -> None:
    with ChatServer(fail(500)) as server, careful(server.endpoint, ledger, retries=2) as chat:
        error = failure(chat)
    assert error.kind == "server_failed"
    assert str(error).endswith("it broke; asked 3 times")
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (refuse("no"), "refused"),
        (fail(401), "rejected"),
        (fail(404), "rejected"),
        (say(""), "bad_reply"),
        (FAULTS["no_json"], "bad_reply"),
    ],
)
def test_permanent_failure_is_not_tried_again(step: Step, kind: str, ledger: UsageLedger) -> None:
    with ChatServer(step) as server, careful(server.endpoint, ledger) as chat:
        assert failure(chat).kind == kind
        assert len(server.requests) == 1


def test_a_slow_call_is_given_up_and_tried_again_while_there_is_time(ledger: UsageLedger) -> None:
    steps = stay_silent, say("good day")
    with ChatServer(*steps) as server, careful(server.endpoint, ledger, 0.2) as chat:
        assert ask(chat).text == "good day"
    assert chat.failures == {"too_late": 1}


def test_no_call_outlasts_the_question(ledger: UsageLedger) -> None:
    with ChatServer(stay_silent) as server, careful(server.endpoint, ledger) as chat:
        assert failure(chat, 0.2).kind == "too_late"
        assert len(server.requests) == 1


def test_no_pause_outlasts_the_question(ledger: UsageLedger) -> None:
    with (
        ChatServer(fail(500)) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as transport,
    ):
        endpoint = Endpoint.at(server.endpoint, ModelsConfig())
        chat = ResilientChat(transport, endpoint, ledger, Backoff(600.0), 3, 30.0)
        error = failure(chat)
        assert len(server.requests) == 1
    assert error.kind == "server_failed"
    assert "asked again in 30 s, and the question has" in str(error)


def test_retry_waits_for_the_time_that_the_server_named(ledger: UsageLedger) -> None:
    steps = fail(429, Retry_After="0.05"), say("good day")
    with ChatServer(*steps) as server, careful(server.endpoint, ledger) as chat:
        assert ask(chat).text == "good day"
    assert len(server.requests) == 2


def test_a_wait_longer_than_the_question_fails_at_once_for_all(ledger: UsageLedger) -> None:
    steps = fail(429, Retry_After="600"), say("good day")
    with ChatServer(*steps) as server, careful(server.endpoint, ledger) as chat:
        first, second = failure(chat), failure(chat)
        assert len(server.requests) == 1, "the second caller leaves the server alone as well"
    assert (first.kind, second.kind) == ("overloaded", "overloaded")
    assert "answered 429" in str(first)
    assert re.search(r"asked again in 600 s, and the question has [\d.]+ s left", str(first))
    assert re.search(r"wants to be left alone for another \d+ s", str(second))
    assert second.retry_after_s == pytest.approx(600.0, abs=20.0)


def test_hold_of_a_server_delays_all_callers(ledger: UsageLedger) -> None:
    """The server tells one of two calls to wait: no request is sent before that time is over."""
    arrivals: list[float] = []

    def note_time(exchange: Exchange) -> None:
        arrivals.append(endpoint.limiter.held_s)
        (fail(429, Retry_After="0.1") if len(arrivals) == 1 else say("good day"))(exchange)

    with (
        ChatServer(note_time) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as transport,
    ):
        endpoint = Endpoint.at(server.endpoint, ModelsConfig(parallel_calls=1))
        chat = ResilientChat(transport, endpoint, ledger, Backoff(0.001), 3, 30.0)
        threads = [threading.Thread(target=ask, args=(chat,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20.0)
    assert arrivals == [0.0] * 5
    assert server.most_at_once == 1


def test_no_more_calls_at_a_time_than_allowed(ledger: UsageLedger) -> None:
    full = threading.Barrier(3)

    def together(_request: object) -> str:
        full.wait(20.0)
        return "good day"

    with (
        ChatServer(say(together)) as server,
        careful(server.endpoint, ledger, parallel_calls=3) as chat,
    ):
        threads = [threading.Thread(target=ask, args=(chat,)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20.0)
    assert len(server.requests) == 12
    assert server.most_at_once == 3


def test_failing_server_gets_no_requests_and_the_error_names_its_failure(
    ledger: UsageLedger,
) -> None:
    with (
        ChatServer(fail(500)) as server,
        careful(server.endpoint, ledger, retries=3, rest_after=3, rest_s=600.0) as chat,
    ):
        assert failure(chat).kind == "server_failed", "the rest begins within the question"
        assert len(server.requests) == 3
        resting = failure(chat)
        assert len(server.requests) == 3
    assert resting.kind == "resting"
    assert re.search(r"failed 3 times in a row and is left alone for \d+ s", str(resting))
    assert "it broke" in str(resting)


def test_failing_server_is_tried_again_after_the_rest(ledger: UsageLedger) -> None:
    steps = fail(500), say("good day")
    with (
        ChatServer(*steps) as server,
        careful(server.endpoint, ledger, retries=0, rest_after=1, rest_s=0.05) as chat,
    ):
        assert failure(chat).kind == "server_failed"
        wait_until(lambda: not refused(chat))
    assert chat.failures == {"server_failed": 1}


def refused(chat: ResilientChat) -> bool:
    try:
        ask(chat)
    except ModelError as error:
        return error.kind == "resting"
    return False


def test_unusable_replies_do_not_count_as_failures_of_the_server(ledger: UsageLedger) -> None:
    steps = fail(500), refuse("no"), fail(500), say(""), fail(500), fail(404)
    with (
        ChatServer(*steps) as server,
        careful(server.endpoint, ledger, retries=0, rest_after=2) as chat,
    ):
        kinds = [failure(chat).kind for _ in range(12)]
    assert "resting" not in kinds


def test_server_that_names_a_retry_time_is_not_failing(ledger: UsageLedger) -> None:
    busy = fail(429, Retry_After="0.01")
    with (
        ChatServer(busy, busy, say("good day")) as server,
        careful(server.endpoint, ledger, rest_after=1) as chat,
    ):
        assert ask(chat).text == "good day"


def test_callers_of_a_resting_server_fail_at_once(ledger: UsageLedger) -> None:
    model = ChatModelConfig(model="seer", endpoint="http://127.0.0.1:9/v1")
    endpoint = Endpoint.at("http://127.0.0.1:9/v1", ModelsConfig(rest_after=1, parallel_calls=1))
    with endpoint.breaker.watching() as note:
        note("ill", "it broke")
    with OpenAIChat(model) as transport, endpoint.limiter.turn(Allowance(20.0)):
        chat = ResilientChat(transport, endpoint, ledger, Backoff(0.001), 3, 30.0)
        assert failure(chat, 0.5).kind == "resting"


def test_short_deadlines_do_not_count_as_failures_of_a_slow_server(ledger: UsageLedger) -> None:
    with (
        ChatServer(stay_silent) as server,
        careful(server.endpoint, ledger, 0.4, retries=0, rest_after=1) as chat,
    ):
        assert failure(chat, 0.05).kind == "too_late"
        assert failure(chat).kind == "too_late"
        assert failure(chat).kind == "resting"


def test_missing_server_soon_gets_no_requests(ledger: UsageLedger) -> None:
    with socket.socket() as taken:  # bound and not listening: no server answers there
        taken.bind(("127.0.0.1", 0))
        where = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with careful(where, ledger, retries=1, rest_after=4) as chat:
            kinds = [failure(chat).kind for _ in range(3)]
    assert kinds == ["unreachable", "unreachable", "resting"]


@pytest.mark.parametrize("when", ["before", "in a call", "in a pause", "in the queue"])
def test_cancelling_ends_a_call_at_once(when: str, ledger: UsageLedger) -> None:
    asked, allowance = threading.Event(), Allowance(600.0)

    def answer(exchange: Exchange) -> None:
        asked.set()
        (fail(500) if when == "in a pause" else stay_silent)(exchange)

    kinds: list[str] = []

    def asking(chat: ResilientChat) -> None:
        with pytest.raises(ModelError) as raised:
            chat.ask(HELLO, allowance)
        kinds.append(raised.value.kind)

    with (
        ChatServer(answer) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as transport,
    ):
        endpoint = Endpoint.at(server.endpoint, ModelsConfig())
        chat = ResilientChat(transport, endpoint, ledger, Backoff(60.0), 3, 600.0)
        if when == "in the queue":
            endpoint.limiter.hold(500.0)
        if when == "before":
            allowance.cancel()
        thread = threading.Thread(target=asking, args=(chat,))
        thread.start()
        if when == "in the queue":
            wait_until(lambda: endpoint.limiter.waiting)
        elif when != "before":
            assert asked.wait(20.0)
        allowance.cancel()
        thread.join(20.0)
        assert endpoint.limiter.in_flight == endpoint.limiter.waiting == 0
    assert kinds == ["cancelled"]


def test_usage_of_all_replies_is_counted(ledger: UsageLedger) -> None:
    """Unusable replies count, too; tries without a reply do not."""
    steps = fail(500), say("good day"), refuse("I will not"), run_out_of_tokens("it is the")
    allowance = Allowance(20.0)
    with ChatServer(*steps) as server, careful(server.endpoint, ledger) as chat:
        chat.ask(HELLO, allowance)
        for _ in range(2):
            with pytest.raises(ModelError):
                chat.ask(HELLO, allowance)
    assert allowance.used.calls == 3
    assert allowance.used.cost > 0.0
    assert ledger.used_today("seer") == allowance.used


def test_spent_budget_of_a_day_sends_no_request(tmp_path: Path) -> None:
    ledger = UsageLedger(tmp_path / "usage.sqlite", day_tokens=4)
    with ChatServer(say("good day")) as server, careful(server.endpoint, ledger) as chat:
        ask(chat)
        error = failure(chat)
        assert len(server.requests) == 1
    assert error.kind == "over_budget"
    assert "models.day_tokens" in str(error)


def test_waiting_callers_cannot_overspend_the_day(tmp_path: Path) -> None:
    """Eight come while there is money left; the first of them spends it."""
    ledger = UsageLedger(tmp_path / "usage.sqlite", day_tokens=4)
    ends: list[str] = []

    def answer_when_all_wait(exchange: Exchange) -> None:
        wait_until(lambda: endpoint.limiter.waiting == 7)
        say("good day")(exchange)

    def asking() -> None:
        try:
            ends.append(ask(chat).text)
        except ModelError as error:
            ends.append(error.kind)

    with (
        ChatServer(answer_when_all_wait) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as transport,
    ):
        endpoint = Endpoint.at(server.endpoint, ModelsConfig(parallel_calls=1))
        chat = ResilientChat(transport, endpoint, ledger, Backoff(0.001), 3, 30.0)
        threads = [threading.Thread(target=asking) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20.0)
        assert len(server.requests) == 1
    assert sorted(ends) == ["good day", *["over_budget"] * 7]


def test_a_question_stops_between_tries_when_its_tokens_are_spent(ledger: UsageLedger) -> None:
    with ChatServer(say("good day")) as server, careful(server.endpoint, ledger) as chat:
        allowance = Allowance(20.0, tokens=4)
        chat.ask(HELLO, allowance)
        with pytest.raises(ModelError, match=r"models\.question_tokens") as raised:
            chat.ask(HELLO, allowance)
    assert raised.value.kind == "over_budget"
    assert len(server.requests) == 1


def test_stream_begins_anew_with_each_try(ledger: UsageLedger) -> None:
    heard: list[str] = []
    steps = FAULTS["cut"], say("good day to you")
    with ChatServer(*steps) as server, careful(server.endpoint, ledger) as chat:
        chat.ask(HELLO, Allowance(20.0), on_text=heard.append)
    assert heard[-1] == "good day to you"
    assert len(server.requests) == 2


def test_a_retry_is_logged_without_a_warning(
    ledger: UsageLedger, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "scenemind")
    with ChatServer(fail(500), say("hi")) as server, careful(server.endpoint, ledger) as chat:
        ask(chat)
    (record,) = [r for r in caplog.records if r.name == "scenemind.models.resilient_chat"]
    assert record.levelno == logging.INFO
    assert "again in" in record.message


def test_every_call_ends_under_many_callers_and_faults(ledger: UsageLedger) -> None:
    """A server with all faults, many callers with short and long deadlines, some cancelled."""
    lock, count = threading.Lock(), [0]

    def mood(_request: object) -> Step:
        with lock:
            count[0] += 1
            number = count[0]
        moods = (
            say("good day"),
            fail(500),
            fail(429, Retry_After="0.01"),
            say("good day"),
            refuse(""),
        )
        return moods[number % len(moods)]

    ends: list[str] = []

    def asking(chat: ResilientChat, allowance: Allowance) -> None:
        try:
            ends.append(chat.ask(HELLO, allowance).text)
        except ModelError as error:
            ends.append(error.kind)

    with (
        ChatServer(choose(mood)) as server,
        careful(server.endpoint, ledger, parallel_calls=4) as chat,
    ):
        allowances = [Allowance(20.0 if i % 4 else 0.05) for i in range(40)]
        threads = [threading.Thread(target=asking, args=(chat, a)) for a in allowances]
        for thread in threads:
            thread.start()
        for allowance in allowances[::5]:
            allowance.cancel()
        for thread in threads:
            thread.join(30.0)
    assert len(ends) == 40
    assert ends.count("good day") > 10
    assert server.most_at_once <= 4
    assert ledger.used_today().calls >= ends.count("good day")
