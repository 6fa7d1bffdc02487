"""Servers that send without end, nest without end, or repeat the key."""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import Callable
from urllib.parse import quote

import pytest

from scenemind.models import Allowance, ChatMessage, ChatReply, ModelError, Tool
from scenemind.models.chat import Usage
from scenemind.models.openai_protocol import parse_tool_calls, with_tools_in_text
from tests.chat_exchange import Exchange, completion
from tests.chat_server import ChatServer, Step, fail, say, send_raw
from tests.unit.models.asking import HELLO, KEY, KEY_VARIABLE, LONG_S, SOON_S, chat_with

DEEP = 100_000
LISTENERS = pytest.mark.parametrize("on_text", [None, lambda _: None], ids=["whole", "streamed"])


def flood(kind: str, part: bytes, status: int = 200) -> Step:
    """The same bytes until the client hangs up."""

    def step(exchange: Exchange) -> None:
        handler = exchange.handler
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(1 << 40))
        handler.end_headers()
        block = part * (1 + 65_536 // len(part))
        while not exchange.released.is_set():
            handler.wfile.write(block)

    return step


def events(*bodies: bytes) -> Step:
    """A stream, whether one was asked for or not."""

    def step(exchange: Exchange) -> None:
        exchange.begin_stream()
        for body in bodies:
            exchange.send_event(body)
        exchange.end_stream()

    return step


def piece(text: str, **more: object) -> bytes:
    return json.dumps(completion([{"delta": {"content": text}, **more}])).encode()


@LISTENERS
@pytest.mark.parametrize(
    "step",
    [
        flood("application/json", b" "),
        flood("application/json", b'{"choices": [[], {}, '),
        flood("text/event-stream", b"data: " + piece("x") + b"\n\n"),
        flood("text/event-stream", b"data: x"),
        flood("text/event-stream", b"a\n"),
        flood("text/html", b"busy ", status=503),
        flood("application/json", b" ", status=400),
    ],
    ids=["blanks", "lists", "pieces", "line", "lines", "503", "400"],
)
def test_a_reply_without_end_ends_in_an_error(
    step: Step, on_text: Callable[[str], None] | None
) -> None:
    with ChatServer(step) as server, chat_with(server, max_reply_mb=2.0) as chat:
        start = time.monotonic()
        with pytest.raises(ModelError, match=r"sent more than 2 MB \(max_reply_mb") as raised:
            chat.ask(HELLO, Allowance(LONG_S), on_text=on_text)
        assert time.monotonic() - start < SOON_S
    assert raised.value.kind == "bad_reply"


def test_a_slow_stream_that_nobody_asked_for_ends_in_time() -> None:
    def drip(exchange: Exchange) -> None:
        exchange.begin_stream()
        while not exchange.released.wait(0.02):
            exchange.stream({"content": "x"})
        exchange.hang_up()

    with ChatServer(drip) as server, chat_with(server, call_deadline_s=0.3) as chat:
        start = time.monotonic()
        with pytest.raises(ModelError, match="did not answer within") as raised:
            chat.ask(HELLO, Allowance(LONG_S))
        assert time.monotonic() - start < 2.0
    assert raised.value.kind == "too_late"


def test_a_stream_that_nobody_asked_for_is_read() -> None:
    step = events(piece("good "), piece("day", finish_reason="stop"), b"[DONE]")
    with ChatServer(step) as server, chat_with(server) as chat:
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "good day"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_json_is_an_error_of_the_reply(opening: str) -> None:
    deep = opening * DEEP
    body = f'{{"choices": [{{"message": {{"content": "x"}}}}], "more": {deep}'.encode()
    for step, listener in ((send_raw(body), None), (events(body), lambda _: None)):
        with ChatServer(step) as server, chat_with(server) as chat:
            with pytest.raises(ModelError, match="no JSON of a reply") as raised:
                chat.ask(HELLO, Allowance(SOON_S), on_text=listener)
            assert raised.value.kind == "bad_reply"


@pytest.mark.parametrize(
    ("entry", "words"), [(b"{},", "more than 50000 lists and objects"), (b"7,", "no chat reply")]
)
def test_lists_without_end_are_an_error_of_the_reply(entry: bytes, words: str) -> None:
    body = b'{"choices": [' + entry * 5_000_000 + b"{}]}"
    with (
        ChatServer(send_raw(body)) as server,
        chat_with(server) as chat,
        pytest.raises(ModelError, match=words),
    ):
        chat.ask(HELLO, Allowance(SOON_S))


def test_deep_json_in_an_action_is_words() -> None:
    for depth in (500, 900, 2_000, DEEP):
        text = '{"action": "look", "action_input": ' + "[" * depth + "]" * depth + "}"
        reply = parse_tool_calls(ChatReply(text, "seer", Usage(), 0.0))
        assert reply.text == text or reply.calls[0].name == "look"
    many = '{"action": ' * DEEP
    assert parse_tool_calls(ChatReply(many, "seer", Usage(), 0.0)).text == many


def test_deep_arguments_of_a_call_can_be_shown_again() -> None:
    deep = "[" * 20_000
    calls = [{"id": "1", "type": "function", "function": {"name": "look", "arguments": deep}}]
    body = completion([{"message": {"content": "", "tool_calls": calls}}])
    with ChatServer(send_raw(json.dumps(body).encode())) as server, chat_with(server) as chat:
        reply = chat.ask(HELLO, Allowance(SOON_S), tools=[Tool("look", "looks", {})])
    turns = [*HELLO, ChatMessage("assistant", "", calls=reply.calls)]
    assert deep in with_tools_in_text(turns, [])[-1].text


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key with signs that addresses spell otherwise."""
    value = f"{KEY}+/="
    monkeypatch.setenv(KEY_VARIABLE, value)
    return value


ECHOES: dict[str, Callable[[str], Step]] = {
    "redirect": lambda key: fail(302, "moved", Location=f"http://127.0.0.1:9/{key}"),
    "quoted": lambda key: fail(307, "moved", Location=f"http://127.0.0.1:9/?k={quote(key, '')}"),
    "error": lambda key: fail(401, f"no such key {key}"),
    "request id": lambda key: fail(500, "it broke", X_Request_Id=key),
    "encoding": lambda key: send_raw(b"x", Content_Encoding=key),
    "other JSON": lambda key: send_raw(json.dumps({"you sent": key}).encode()),
    "refusal": lambda key: say("", refusal=f"not for {key}"),
    "stream error": lambda key: events(json.dumps({"error": {"message": key}}).encode()),
    "cut stream": lambda key: events(piece(f"you sent {key}")),
}


@LISTENERS
@pytest.mark.parametrize("name", ECHOES)
def test_a_key_that_the_server_repeats_is_not_shown(
    name: str, on_text: object, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        ChatServer(ECHOES[name](key)) as server,
        chat_with(server, key_variable=KEY_VARIABLE) as chat,
        pytest.raises(ModelError) as raised,
    ):
        chat.ask(HELLO, Allowance(SOON_S), on_text=on_text)
    shown = "".join(traceback.format_exception(raised.value)) + caplog.text
    for spelled in (key, quote(key, ""), KEY):
        assert spelled not in shown


@LISTENERS
def test_a_key_in_a_reply_is_hidden(key: str, on_text: object) -> None:
    heard: list[str] = []
    listener = heard.append if on_text else None
    with (
        ChatServer(say(f"your key is {key}.")) as server,
        chat_with(server, key_variable=KEY_VARIABLE) as chat,
    ):
        reply = chat.ask(HELLO, Allowance(SOON_S), on_text=listener)
    assert reply.text == "your key is ***."
    assert not any(key in text for text in heard)
