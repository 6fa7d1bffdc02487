"""OpenAI's chat protocol against a local server."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.utils import formatdate

import pytest

from scenemind.config import ChatModelConfig
from scenemind.models import Allowance, ChatMessage, ModelError, Usage
from scenemind.models.openai_chat import OpenAIChat
from scenemind.models.openai_sdk import retry_after_s
from tests.chat_exchange import Exchange, completion
from tests.chat_server import (
    ChatServer,
    Step,
    cut,
    fail,
    refuse,
    run_out_of_tokens,
    say,
    send_raw,
    slowly,
    stay_silent,
    trickle,
)
from tests.unit.models.asking import HELLO, KEY, KEY_VARIABLE, LONG_S, SOON_S, chat_with

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
LATER = "Sun, 06 Nov 1994 08:50:07 GMT"  # 30 s


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        ({"retry-after": LATER, "date": DATE}, 30.0),
        ({"retry-after": DATE, "date": LATER}, 0.0),
        ({"retry-after": DATE}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Sun, 99 Nov 1994 08:49:37 GMT", "date": DATE}, None),
    ],
)
def test_seconds_milliseconds_and_dates(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def test_local_clock_counts_where_the_server_sends_no_date() -> None:
    wait_s = retry_after_s({"retry-after": formatdate(time.time() + 1000.0, usegmt=True)})
    assert wait_s is not None
    assert 900.0 < wait_s <= 1000.0


def test_error_of_a_missing_server_has_its_address() -> None:
    with socket.socket() as taken:  # bound and not listening: no server answers there
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with chat_with(endpoint) as chat, pytest.raises(ModelError) as raised:
            chat.ask(HELLO, Allowance(SOON_S))
    assert raised.value.kind == "unreachable"
    assert endpoint in str(raised.value)


def test_error_names_a_forgotten_end_of_the_address() -> None:
    with (
        ChatServer(say("hello")) as server,
        chat_with(server.endpoint.removesuffix("/v1")) as chat,
        pytest.raises(ModelError, match=r"answered 404.*ends in /v1"),
    ):
        chat.ask(HELLO, Allowance(SOON_S))


def test_error_names_an_address_that_includes_the_method() -> None:
    with (
        ChatServer(say("hello")) as server,
        chat_with(f"{server.endpoint}/chat/completions") as chat,
        pytest.raises(ModelError, match="leave /chat/completions out of the endpoint"),
    ):
        chat.ask(HELLO, Allowance(SOON_S))


def test_error_names_a_server_without_tls() -> None:
    with (
        ChatServer(say("hello")) as server,
        chat_with(server.endpoint.replace("http", "https")) as chat,
        pytest.raises(ModelError, match="it speaks http, not https") as raised,
    ):
        chat.ask(HELLO, Allowance(SOON_S))
    assert raised.value.kind == "unreachable"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_to_other_servers_are_not_followed(status: int) -> None:
    with ChatServer(say("hello")) as other:
        elsewhere = f"{other.endpoint}/chat/completions"
        with (
            ChatServer(fail(status, "moved", Location=elsewhere)) as server,
            chat_with(server) as chat,
            pytest.raises(ModelError) as raised,
        ):
            chat.ask(HELLO, Allowance(SOON_S))
    assert raised.value.kind == "rejected"
    assert f"it points to '{elsewhere}': name the endpoint that is there" in str(raised.value)
    assert not other.requests


@pytest.mark.parametrize(
    "endpoint",
    [
        "localhost:11434/v1",
        "ftp://here/v1",
        "http://",
        "http://[::",
        "http://a:b/v1",
        "http://here/v1\n",
        "http://he re/v1",
        "http://\N{SNOWMAN}.invalid/v1",
    ],
)
def test_invalid_address_is_refused(endpoint: str) -> None:
    with pytest.raises(ModelError, match="is no address: ") as raised:
        chat_with(endpoint)
    assert raised.value.kind == "rejected"
    assert repr(endpoint) in str(raised.value)


@pytest.mark.parametrize(
    "endpoint", ["http://me:secret@here/v1", "http://here/v1?key=secret", "ftp://secret@here"]
)
def test_secrets_in_an_address_are_refused_and_not_shown(endpoint: str) -> None:
    with pytest.raises(ModelError, match="a key belongs into the environment") as raised:
        chat_with(endpoint)
    assert raised.value.kind == "rejected"
    assert "secret" not in str(raised.value)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def with_key(server: ChatServer | str) -> OpenAIChat:
    return chat_with(server, key_variable=KEY_VARIABLE)


def test_reply_has_its_usage() -> None:
    allowance = Allowance(SOON_S)
    with ChatServer(say("good day")) as server, chat_with(server) as chat:
        reply = chat.ask(HELLO, allowance)
    assert (reply.text, reply.model) == ("good day", "scripted")
    assert reply.usage == allowance.used == Usage(1, prompt_tokens=3, reply_tokens=2)
    assert 0.0 < reply.seconds < SOON_S


def test_cached_tokens_are_cheaper() -> None:
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
def test_server_without_usage_is_accepted_and_logged(
    usage: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = f'{{"choices": [{{"message": {{"content": "hello"}}}}], "usage": {usage}}}'
    with ChatServer(send_raw(body.encode())) as server, chat_with(server) as chat:
        for _ in range(3):
            reply = chat.ask(HELLO, Allowance(SOON_S))
            assert (reply.text, reply.model, reply.usage) == ("hello", "seer", Usage(calls=1))
    assert caplog.text.count("budgets do not limit it") == 1


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
        (send_raw(b"plain", Content_Encoding="gzip"), "bad_reply", "compressed"),
        (cut("good day"), "unreachable", "hung up: peer closed"),
    ],
)
def test_error_names_the_kind_of_fault(step: Step, kind: str, words: str) -> None:
    with ChatServer(step) as server, with_key(server) as chat:
        with pytest.raises(ModelError, match=words) as raised:
            chat.ask(HELLO, Allowance(SOON_S))
        assert raised.value.kind == kind
        assert KEY not in "".join(traceback.format_exception(raised.value))
        assert len(server.requests) == 1, "trying again is for the caller to decide"


def test_usage_of_an_unusable_reply_counts() -> None:
    allowance = Allowance(SOON_S)
    with (
        ChatServer(run_out_of_tokens("so many words")) as server,
        chat_with(server) as chat,
        pytest.raises(ModelError) as raised,
    ):
        chat.ask(HELLO, allowance)
    assert raised.value.usage == allowance.used == Usage(1, prompt_tokens=3, reply_tokens=4)


def test_impossible_counts_of_tokens_are_corrected() -> None:
    allowance = Allowance(SOON_S)
    counts = '{"prompt_tokens": -9, "completion_tokens": 1%s}' % ("0" * 30)
    body = f'{{"choices": [{{"message": {{"content": "hello"}}}}], "usage": {counts}}}'
    with ChatServer(send_raw(body.encode())) as server, chat_with(server) as chat:
        chat.ask(HELLO, allowance)
    assert allowance.used == Usage(1, prompt_tokens=0, reply_tokens=1_000_000_000)


def test_first_of_several_replies_is_used() -> None:
    replies = [{"message": {"content": text}} for text in ("hello", "good day")]
    body = json.dumps(completion(replies)).encode()
    with ChatServer(send_raw(body)) as server, chat_with(server) as chat:
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "hello"


def test_terminal_codes_in_server_messages_are_removed() -> None:
    with (
        ChatServer(fail(500, "it \x1b[2J broke\n\u202etwice")) as server,
        chat_with(server) as chat,
        pytest.raises(ModelError, match=r"it \[2J broke twice$"),
    ):
        chat.ask(HELLO, Allowance(SOON_S))


def test_half_a_character_does_no_harm() -> None:
    with ChatServer(say("a half: \ud83d")) as server, chat_with(server) as chat:
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "a half: ?"


def test_retry_time_of_a_server() -> None:
    steps = fail(429, Retry_After="7"), fail(503, Retry_After_Ms="20"), fail(429)
    waits = []
    with ChatServer(*steps) as server, chat_with(server) as chat:
        for _ in steps:
            with pytest.raises(ModelError) as raised:
                chat.ask(HELLO, Allowance(SOON_S))
            waits.append(raised.value.retry_after_s)
    assert waits == [7.0, 0.02, None]


def test_request_beyond_the_allowance_is_not_sent() -> None:
    allowance = Allowance(SOON_S, tokens=5)
    with ChatServer(say("good day")) as server, chat_with(server) as chat:
        chat.ask(HELLO, allowance)
        with pytest.raises(ModelError, match="used 5 of its 5 tokens") as raised:
            chat.ask(HELLO, allowance)
        assert raised.value.kind == "over_budget"
        assert len(server.requests) == 1


def test_closing_ends_running_requests() -> None:
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


def test_closed_model_is_an_error() -> None:
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


def test_white_space_around_a_key_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, f" {KEY}\r\n")
    with ChatServer(say("hello")) as server, with_key(server) as chat:
        chat.ask(HELLO, Allowance(SOON_S))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("inside", ["\n", " ", "\N{HORIZONTAL ELLIPSIS}", "\x7f"])
def test_key_that_no_header_can_hold_is_refused_and_not_shown(
    inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, f"sk-first{inside}second")
    with pytest.raises(ModelError, match="SEER_API_KEY holds no key") as raised:
        with_key("http://127.0.0.1:1/v1")
    assert raised.value.kind == "no_key"
    assert "first" not in str(raised.value)
    assert "second" not in str(raised.value)


def test_other_servers_get_no_key_unless_configured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    with ChatServer(say("hello")) as server, chat_with(server) as chat:
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "hello"
    (request,) = server.requests
    assert not any("sk-" in value for value in request.headers.values())


def test_configured_key_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(ModelError, match="SEER_API_KEY: set it") as raised:
        with_key("http://127.0.0.1:1/v1")
    assert raised.value.kind == "no_key"


def test_openai_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for endpoint in ("", "https://api.openai.com/v1"):
        with pytest.raises(ModelError, match="OPENAI_API_KEY: set it") as raised:
            OpenAIChat(ChatModelConfig(model="seer", endpoint=endpoint))
        assert raised.value.kind == "no_key"


def test_name_of_a_model_is_required() -> None:
    with pytest.raises(ModelError, match="no model is named"):
        OpenAIChat(ChatModelConfig(endpoint="http://127.0.0.1:1/v1"))


LISTENERS = pytest.mark.parametrize("on_text", [None, lambda _: None], ids=["whole", "streamed"])


def trickle_headers(exchange: Exchange) -> None:
    """Send headers slowly and never end."""
    exchange.handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not exchange.released.wait(0.02):
        exchange.handler.wfile.write(b"X-Header: value\r\n")
    exchange.hang_up()


@contextmanager
def deaf_server(backlog: int) -> Iterator[int]:
    """A port where connections are at most queued; without a queue not even that."""
    with socket.socket() as server, socket.socket() as first, socket.socket() as second:
        server.bind(("127.0.0.1", 0))
        server.listen(backlog)
        port = server.getsockname()[1]
        for client in (first, second) if backlog == 0 else ():
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        yield port


def told(asked: threading.Event, step: Step) -> Step:
    """The step, preceded by an event for the test."""

    def tell(exchange: Exchange) -> None:
        asked.set()
        step(exchange)

    return tell


def too_late(chat: OpenAIChat, allowance: Allowance, **more: object) -> str:
    with pytest.raises(ModelError) as raised:
        chat.ask(HELLO, allowance, **more)
    assert raised.value.kind == "too_late"
    return str(raised.value)


@LISTENERS
@pytest.mark.parametrize("step", [stay_silent, trickle_headers, trickle, slowly(LONG_S, say("x"))])
def test_a_call_ends_in_time(step: Step, on_text: Callable[[str], None] | None) -> None:
    with ChatServer(step) as server, chat_with(server, call_deadline_s=0.1) as chat:
        said = too_late(chat, Allowance(LONG_S), on_text=on_text)
    assert "did not answer within 0.1 s" in said


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("backlog", [0, 5])
def test_connecting_takes_no_longer(scheme: str, backlog: int) -> None:
    with (
        deaf_server(backlog) as port,
        chat_with(f"{scheme}://127.0.0.1:{port}/v1", call_deadline_s=0.1) as chat,
    ):
        too_late(chat, Allowance(LONG_S))


def test_deadline_of_the_question_counts() -> None:
    with ChatServer(stay_silent) as server, chat_with(server) as chat:
        too_late(chat, Allowance(0.1))
        assert "are over" in too_late(chat, Allowance(0.0))
        assert len(server.requests) == 1


def test_late_server_delays_no_other_call() -> None:
    slow, asked = Allowance(LONG_S), threading.Event()
    with (
        ChatServer(told(asked, stay_silent), say("hello")) as server,
        chat_with(server) as chat,
        ThreadPoolExecutor(1) as pool,
    ):
        asking = pool.submit(chat.ask, HELLO, slow)
        assert asked.wait(SOON_S)
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "hello"
        slow.cancel()
        with pytest.raises(ModelError, match="question was cancelled"):
            asking.result(SOON_S)


@LISTENERS
@pytest.mark.parametrize("step", [stay_silent, trickle_headers, trickle])
def test_question_can_be_cancelled_at_any_moment(
    step: Step, on_text: Callable[[str], None] | None
) -> None:
    allowance, asked = Allowance(LONG_S), threading.Event()
    with (
        ChatServer(told(asked, step)) as server,
        chat_with(server, call_deadline_s=LONG_S) as chat,
        ThreadPoolExecutor(1) as pool,
    ):
        asking = pool.submit(chat.ask, HELLO, allowance, on_text=on_text)
        assert asked.wait(SOON_S)
        allowance.cancel()
        with pytest.raises(ModelError, match="question was cancelled") as raised:
            asking.result(SOON_S)
        assert raised.value.kind == "cancelled"
        with pytest.raises(ModelError, match="question was cancelled"):
            chat.ask(HELLO, allowance)
        assert len(server.requests) == 1


def test_connection_of_a_cancelled_question_is_closed() -> None:
    has_heard, begun = threading.Event(), threading.Event()

    def write(exchange: Exchange) -> None:
        exchange.begin_stream()
        try:
            while not exchange.released.wait(0.01):
                exchange.stream({"content": "x"})
        except OSError:
            has_heard.set()
            raise

    allowance = Allowance(LONG_S)
    with (
        ChatServer(write) as server,
        chat_with(server) as chat,
        ThreadPoolExecutor(1) as pool,
    ):
        asking = pool.submit(chat.ask, HELLO, allowance, on_text=lambda _: begun.set())
        assert begun.wait(SOON_S)
        allowance.cancel()
        assert has_heard.wait(SOON_S), "a model that writes on for nobody costs money"
        with pytest.raises(ModelError, match="question was cancelled"):
            asking.result(SOON_S)
