"""The real client against a real server: replies, what they cost, faults, and the key."""

from __future__ import annotations

import json
import logging
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from scenemind.config import ChatModelConfig
from scenemind.models import Allowance, ChatMessage, ModelError, OpenAIChat, Usage
from tests.chat_server import (
    ChatServer,
    Exchange,
    Step,
    completion,
    cut,
    fail,
    refuse,
    run_out_of_tokens,
    say,
    send_raw,
    stay_silent,
)
from tests.unit.models.asking import HELLO, KEY, KEY_VARIABLE, LONG_S, SOON_S, chat_with


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def with_key(server: ChatServer | str) -> OpenAIChat:
    return chat_with(server, key_variable=KEY_VARIABLE)


def test_a_reply_comes_with_what_it_used() -> None:
    allowance = Allowance(SOON_S)
    with ChatServer(say("good day")) as server, chat_with(server) as chat:
        reply = chat.ask(HELLO, allowance)
    assert (reply.text, reply.model) == ("good day", "scripted")
    assert reply.usage == allowance.used == Usage(1, prompt_tokens=3, reply_tokens=2)
    assert 0.0 < reply.seconds < SOON_S


def test_what_was_read_before_is_cheaper() -> None:
    text = "the same beginning " * 20
    prices = {"prompt_price": 2.0, "cached_prompt_price": 0.5, "reply_price": 8.0}
    with ChatServer(say("good day")) as server, chat_with(server, **prices) as chat:
        first, second = (
            chat.ask([ChatMessage("user", text + end)], Allowance(SOON_S)).usage
            for end in ("and one end", "and another")
        )
    assert first.cost == pytest.approx((first.prompt_tokens * 2.0 + 2 * 8.0) / 1e6)
    assert 0.9 < second.cached_tokens / second.prompt_tokens < 1.0
    fresh = second.prompt_tokens - second.cached_tokens
    assert second.cost == pytest.approx((fresh * 2.0 + second.cached_tokens * 0.5 + 16.0) / 1e6)


def test_without_a_price_of_its_own_a_cached_token_costs_as_any_other() -> None:
    with ChatServer(say("good day")) as server, chat_with(server, prompt_price=2.0) as chat:
        costs = {chat.ask(HELLO, Allowance(SOON_S)).usage.cost for _ in range(2)}
    assert costs == {6e-6}


@pytest.mark.parametrize("usage", ["null", "{}", '{"prompt_tokens": null}'])
def test_a_server_that_does_not_count_is_understood_and_named(
    usage: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = f'{{"choices": [{{"message": {{"content": "hello"}}}}], "usage": {usage}}}'
    with ChatServer(send_raw(body.encode())) as server, chat_with(server) as chat:
        for _ in range(3):
            reply = chat.ask(HELLO, Allowance(SOON_S))
            assert (reply.text, reply.model, reply.usage) == ("hello", "seer", Usage(calls=1))
    assert caplog.text.count("budgets do not hold it back") == 1


@pytest.mark.parametrize(
    ("step", "kind", "words"),
    [
        (fail(500), "server_failed", "answered 500: it broke"),
        (fail(503), "server_failed", "answered 503"),
        (fail(408), "server_failed", "answered 408"),
        (fail(429), "overloaded", "answered 429"),
        (fail(429, "pay first", code="insufficient_quota"), "rejected", "pay first"),
        (fail(401, f"no such key {KEY}"), "rejected", r"answered 401: no such key \*\*\*"),
        (fail(404, "no model seer"), "rejected", "no model seer"),
        (fail(400, "a filter", code="content_filter"), "refused", "a filter"),
        (fail(400, "no response_format here"), "rejected", "set json_schema to false"),
        (fail(500, "no response_format here"), "rejected", "set json_schema to false"),
        (fail(500, "image input is not supported"), "rejected", "a model that sees pictures"),
        (refuse("I will not"), "refused", "seer refused: I will not"),
        (say("So", finish_reason="content_filter"), "refused", "a filter of its server"),
        (run_out_of_tokens('{"a":'), "bad_reply", "limit of tokens: raise max_reply_tokens"),
        (say(""), "bad_reply", "empty reply"),
        (say("", reasoning_content="hm"), "bad_reply", "empty reply"),
        (send_raw(b'{"choices": []}'), "bad_reply", r'no chat reply, but {"choices": \[\]}'),
        (send_raw(b'{"error": {"message": "no credit"}}'), "bad_reply", "but .*no credit"),
        (send_raw(b'{"choices": [{"message": {"content": 7}}]}'), "bad_reply", "no chat reply"),
        (send_raw(b"[1, 2]"), "bad_reply", "no chat reply"),
        (send_raw(b'{"choices": [{"mess'), "bad_reply", "no JSON"),
        (send_raw(b'{"choices": [{"message": {"content": "\xff"}}]}'), "bad_reply", "no JSON"),
        (send_raw(b"[" * 100_000), "bad_reply", "no JSON"),
        (send_raw(b"plain", Content_Encoding="gzip"), "unreachable", "decompress"),
        (cut("good day"), "unreachable", "hung up: peer closed"),
    ],
)
def test_each_fault_is_told_by_its_kind(step: Step, kind: str, words: str) -> None:
    with ChatServer(step) as server, with_key(server) as chat:
        with pytest.raises(ModelError, match=words) as raised:
            chat.ask(HELLO, Allowance(SOON_S))
        assert raised.value.kind == kind
        assert KEY not in "".join(traceback.format_exception(raised.value))
        assert len(server.requests) == 1, "trying again is for the caller to decide"


def test_a_reply_that_is_of_no_use_is_paid_for_as_well() -> None:
    allowance = Allowance(SOON_S)
    with (
        ChatServer(run_out_of_tokens("so many words")) as server,
        chat_with(server) as chat,
        pytest.raises(ModelError) as raised,
    ):
        chat.ask(HELLO, allowance)
    assert raised.value.usage == allowance.used == Usage(1, prompt_tokens=3, reply_tokens=4)


def test_no_count_gives_tokens_back_or_is_beyond_belief() -> None:
    allowance = Allowance(SOON_S)
    counts = '{"prompt_tokens": -9, "completion_tokens": 1%s}' % ("0" * 30)
    body = f'{{"choices": [{{"message": {{"content": "hello"}}}}], "usage": {counts}}}'
    with ChatServer(send_raw(body.encode())) as server, chat_with(server) as chat:
        chat.ask(HELLO, allowance)
    assert allowance.used == Usage(1, prompt_tokens=0, reply_tokens=1_000_000_000)


def test_the_first_of_several_replies_is_the_one() -> None:
    replies = [{"message": {"content": text}} for text in ("hello", "good day")]
    body = json.dumps(completion(replies)).encode()
    with ChatServer(send_raw(body)) as server, chat_with(server) as chat:
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "hello"


def test_what_a_server_says_gives_no_orders_to_a_terminal() -> None:
    with (
        ChatServer(fail(500, "it \x1b[2J broke\n\u202etwice")) as server,
        chat_with(server) as chat,
        pytest.raises(ModelError, match=r"it \[2J broke twice$"),
    ):
        chat.ask(HELLO, Allowance(SOON_S))


def test_half_a_character_does_no_harm() -> None:
    with ChatServer(say("a half: \ud83d")) as server, chat_with(server) as chat:
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "a half: ?"


def test_a_server_says_when_to_come_back() -> None:
    steps = fail(429, Retry_After="7"), fail(503, Retry_After_Ms="20"), fail(429)
    waits = []
    with ChatServer(*steps) as server, chat_with(server) as chat:
        for _ in steps:
            with pytest.raises(ModelError) as raised:
                chat.ask(HELLO, Allowance(SOON_S))
            waits.append(raised.value.retry_after_s)
    assert waits == [7.0, 0.02, None]


def test_nothing_is_asked_that_the_question_cannot_afford() -> None:
    allowance = Allowance(SOON_S, tokens=5)
    with ChatServer(say("good day")) as server, chat_with(server) as chat:
        chat.ask(HELLO, allowance)
        with pytest.raises(ModelError, match="used 5 of its 5 tokens") as raised:
            chat.ask(HELLO, allowance)
        assert raised.value.kind == "over_budget"
        assert len(server.requests) == 1


def test_closing_ends_what_is_being_asked() -> None:
    asked = threading.Event()

    def hold(exchange: Exchange) -> None:
        asked.set()
        stay_silent(exchange)

    with ChatServer(hold) as server, ThreadPoolExecutor(1) as pool:
        chat = chat_with(server)
        asking = pool.submit(chat.ask, HELLO, Allowance(LONG_S))
        assert asked.wait(SOON_S)
        chat.close()
        with pytest.raises(ModelError, match="seer is closed") as raised:
            asking.result(SOON_S)
        chat.close()
    assert raised.value.kind == "closed"


def test_a_closed_model_says_so() -> None:
    chat = chat_with("http://127.0.0.1:1/v1")
    chat.close()
    with pytest.raises(ModelError, match="seer is closed") as raised:
        chat.ask(HELLO, Allowance(SOON_S))
    assert raised.value.kind == "closed"


def test_several_callers_are_served_at_once() -> None:
    both = threading.Barrier(2)

    def together(_request: object) -> str:
        both.wait(SOON_S)
        return "hello"

    with ChatServer(say(together)) as server, chat_with(server) as chat:
        with ThreadPoolExecutor(2) as pool:
            replies = [pool.submit(chat.ask, HELLO, Allowance(SOON_S)) for _ in range(2)]
            assert [reply.result(SOON_S).text for reply in replies] == ["hello", "hello"]
        assert server.most_at_once == 2


def test_the_key_is_nowhere_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    steps = say("hello"), fail(500), fail(400, f"no temperature for {KEY}"), say("hello")
    with ChatServer(*steps) as server, with_key(server) as chat:
        chat.ask(HELLO, Allowance(SOON_S))
        with pytest.raises(ModelError, match="500"):
            chat.ask(HELLO, Allowance(SOON_S))
        chat.ask(HELLO, Allowance(SOON_S))
        assert KEY not in repr(chat)
    assert "does not take temperature" in caplog.text
    assert KEY not in caplog.text


def test_what_a_file_leaves_around_the_key_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, f" {KEY}\r\n")
    with ChatServer(say("hello")) as server, with_key(server) as chat:
        chat.ask(HELLO, Allowance(SOON_S))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("inside", ["\n", " ", "\N{HORIZONTAL ELLIPSIS}", "\x7f"])
def test_a_key_that_no_header_can_carry_is_refused_untold(
    inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, f"sk-first{inside}second")
    with pytest.raises(ModelError, match="SEER_API_KEY holds no key") as raised:
        with_key("http://127.0.0.1:1/v1")
    assert raised.value.kind == "no_key"
    assert "first" not in str(raised.value)
    assert "second" not in str(raised.value)


def test_a_server_of_ones_own_gets_no_key_that_is_not_named_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    with ChatServer(say("hello")) as server, chat_with(server) as chat:
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "hello"
    (request,) = server.requests
    assert not any("sk-" in value for value in request.headers.values())


def test_a_key_that_is_named_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(ModelError, match="SEER_API_KEY: set it") as raised:
        with_key("http://127.0.0.1:1/v1")
    assert raised.value.kind == "no_key"


def test_openai_itself_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for endpoint in ("", "https://api.openai.com/v1"):
        with pytest.raises(ModelError, match="OPENAI_API_KEY: set it") as raised:
            OpenAIChat(ChatModelConfig(model="seer", endpoint=endpoint))
        assert raised.value.kind == "no_key"


def test_a_model_must_be_named() -> None:
    with pytest.raises(ModelError, match="no model is named"):
        OpenAIChat(ChatModelConfig(endpoint="http://127.0.0.1:1/v1"))
