"""Streamed replies."""

from __future__ import annotations

import json
import threading
from itertools import pairwise

import pytest

from scenemind.models import Allowance, ModelError, Usage
from tests.chat_exchange import Exchange, completion
from tests.chat_server import ChatServer, Step, cut, fail, refuse, run_out_of_tokens, say, send_raw
from tests.unit.models.asking import HELLO, LONG_S, SOON_S, chat_with

TEXT = "The sofa stands at the wall: ein schönes Möbel, 很好."


def stream_of(*events: object) -> Step:
    """A stream of the given lines; values that are neither text nor bytes are sent as JSON."""

    def step(exchange: Exchange) -> None:
        exchange.begin_stream()
        for event in events:
            is_raw = isinstance(event, str | bytes)
            exchange.send_event(event if is_raw else json.dumps(event))
        exchange.end_stream()

    return step


def piece(text: str = "", finish: str | None = None, **delta: str) -> dict[str, object]:
    return completion([{"delta": {"content": text, **delta}, "finish_reason": finish}])


def hear(step: Step) -> tuple[list[str], str]:
    heard: list[str] = []
    with ChatServer(step) as server, chat_with(server) as chat:
        reply = chat.ask(HELLO, Allowance(SOON_S), on_text=heard.append)
    return heard, reply.text


def test_listener_gets_the_whole_text_so_far() -> None:
    heard, text = hear(say(TEXT))
    assert text == heard[-1] == TEXT
    assert len(heard) > 5
    assert all(after.startswith(before) for before, after in pairwise(heard))


def test_stream_has_its_usage() -> None:
    allowance = Allowance(SOON_S)
    with ChatServer(say("good day")) as server, chat_with(server) as chat:
        reply = chat.ask(HELLO, allowance, on_text=lambda _: None)
    assert (reply.model, reply.usage) == ("scripted", Usage(1, prompt_tokens=3, reply_tokens=2))
    assert allowance.used == reply.usage


def test_server_without_usage_is_accepted() -> None:
    step = stream_of(piece("hello"), piece(finish="stop"))
    with ChatServer(step) as server, chat_with(server) as chat:
        reply = chat.ask(HELLO, Allowance(SOON_S), on_text=lambda _: None)
    assert (reply.text, reply.usage) == ("hello", Usage(calls=1))


def test_server_without_streams_is_accepted() -> None:
    whole = completion([{"message": {"content": "hello"}, "finish_reason": "stop"}])
    assert hear(send_raw(json.dumps(whole).encode())) == (["hello"], "hello")


def test_first_of_several_replies_is_used() -> None:
    texts = "hello", "good day"
    both = {"choices": [{"index": i, "delta": {"content": t}} for i, t in enumerate(texts)]}
    other = {"choices": [{"index": 1, "delta": {"content": ", and more"}}]}
    assert hear(stream_of(both, other, piece(finish="stop"))) == (["hello"], "hello")


def test_thoughts_are_not_passed_to_the_listener() -> None:
    steps = piece(reasoning_content="hm"), piece("yes"), piece(finish="stop")
    assert hear(stream_of(*steps, "[DONE]")) == (["yes"], "yes")


def test_pieces_without_words_are_passed_over() -> None:
    filters = completion([])  # the first piece of Azure
    assert hear(stream_of(filters, piece("yes"), {}, piece(finish="stop"))) == (["yes"], "yes")


@pytest.mark.parametrize(
    ("step", "kind", "words"),
    [
        (fail(500), "server_failed", "answered 500: it broke"),
        (cut("The sofa"), "unreachable", "hung up"),
        (stream_of(piece("The sofa")), "unreachable", "cut after 'The sofa'"),
        (stream_of(piece("The sofa"), "[DONE]"), "unreachable", "cut after 'The sofa'"),
        (stream_of(), "unreachable", "cut"),
        (stream_of(piece("The"), '{"choices": ['), "bad_reply", "no JSON"),
        (stream_of(piece("The"), [1, 2]), "bad_reply", "no chat reply"),
        (stream_of({"error": {"message": "out of memory"}}), "server_failed", "out of memory"),
        (stream_of(b'{"choices": [{"delta": {"content": "\xff"}}]}'), "bad_reply", "no JSON"),
        (stream_of("[" * 100_000), "bad_reply", "no JSON"),
        (send_raw(b"{", promised=99), "unreachable", "hung up"),
        (send_raw(b"plain", Content_Encoding="gzip"), "bad_reply", "compressed"),
        (send_raw(b"<html>"), "bad_reply", "no JSON"),
        (refuse("I will not"), "refused", "seer refused: I will not"),
        (stream_of(piece("So", "content_filter")), "refused", "a filter of its server"),
        (run_out_of_tokens("The"), "bad_reply", "limit of tokens"),
        (say(""), "bad_reply", "empty reply"),
    ],
)
def test_error_names_the_kind_of_fault(step: Step, kind: str, words: str) -> None:
    with ChatServer(step) as server, chat_with(server) as chat:
        with pytest.raises(ModelError, match=words) as raised:
            chat.ask(HELLO, Allowance(SOON_S), on_text=lambda _: None)
        assert raised.value.kind == kind
        assert len(server.requests) == 1


def test_error_of_the_listener_is_raised() -> None:
    def stumble(text: str) -> None:
        raise KeyError(text)

    with ChatServer(say("hello")) as server, chat_with(server) as chat:
        with pytest.raises(KeyError, match="hello"):
            chat.ask(HELLO, Allowance(SOON_S), on_text=stumble)
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "hello"


def test_listener_gets_nothing_after_cancelling() -> None:
    heard: list[str] = []
    allowance, may_go_on = Allowance(LONG_S), threading.Event()

    def cancel_at_once(text: str) -> None:
        heard.append(text)
        allowance.cancel()
        may_go_on.wait(SOON_S)

    with ChatServer(say(TEXT)) as server, chat_with(server) as chat:
        with pytest.raises(ModelError, match="question was cancelled") as raised:
            chat.ask(HELLO, allowance, on_text=cancel_at_once)
        may_go_on.set()
        chat.ask(HELLO, Allowance(SOON_S))  # by then the rest has come
    assert raised.value.kind == "cancelled"
    assert len(heard) == 1
