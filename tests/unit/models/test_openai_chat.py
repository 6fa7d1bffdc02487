"""The real client against a real server: what it sends, what it makes of each fault, and when."""

from __future__ import annotations

import base64
import logging
import socket
import threading

import cv2
import numpy as np
import pytest

from scenemind.config import ChatModelConfig
from scenemind.models import Allowance, ChatMessage, ModelError, OpenAIChat
from tests.chat_server import (
    ChatServer,
    Exchange,
    Step,
    fail,
    refuse,
    run_out_of_tokens,
    say,
    send_raw,
    stay_silent,
    trickle,
)

KEY = "sk-test-0123456789"
ONE, TWO = (
    cv2.imencode(".jpg", np.full((8, 8, 3), grey, np.uint8))[1].tobytes() for grey in (50, 200)
)
HELLO = [ChatMessage("user", "hello")]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def test_a_reply_comes_with_its_cost() -> None:
    with (
        ChatServer(say("good day")) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as chat,
    ):
        reply = chat.ask(HELLO, Allowance(5.0))
    assert (reply.text, reply.model) == ("good day", "scripted")
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.reply_tokens) == (1, 3, 2)
    assert 0.0 < reply.seconds < 5.0


def test_turns_pictures_and_schema_go_as_the_protocol_wants_them() -> None:
    messages = [ChatMessage("system", "look"), ChatMessage("user", "what?", (ONE, TWO))]
    schema = {"title": "Answer", "type": "object"}
    with (
        ChatServer(say("{}")) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as chat,
    ):
        chat.ask(messages, Allowance(5.0), schema)
    (request,) = server.requests
    assert request.body["model"] == "seer"
    assert request.body["messages"][0] == {"role": "system", "content": "look"}
    text, *pictures = request.body["messages"][1]["content"]
    assert text == {"type": "text", "text": "what?"}
    sent = [base64.b64decode(p["image_url"]["url"].partition(",")[2]) for p in pictures]
    assert sent == [ONE, TWO]
    form = request.body["response_format"]["json_schema"]
    assert (form["name"], form["schema"], form["strict"]) == ("Answer", schema, True)
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("step", "kind", "words"),
    [
        (fail(500), "server_failed", "answered 500.*it broke"),
        (fail(429, Retry_After="1"), "overloaded", "answered 429"),
        (fail(401, f"no such key {KEY}"), "rejected", r"answered 401.*no such key \*\*\*"),
        (fail(404, "no model seer"), "rejected", "no model seer"),
        (refuse("I will not"), "refused", "seer refused: I will not"),
        (run_out_of_tokens('{"a":'), "bad_reply", "limit of tokens"),
        (say(""), "bad_reply", "empty reply"),
        (send_raw(b'{"choices": []}'), "bad_reply", "no chat reply"),
        (send_raw(b"[1, 2]"), "bad_reply", "no chat reply"),
        (send_raw(b'{"choices": [{"mess'), "bad_reply", "no JSON"),
        (send_raw(b'{"choices"', promised=99), "unreachable", "cannot be reached"),
    ],
)
def test_each_fault_is_told_by_its_kind(step: Step, kind: str, words: str) -> None:
    with (
        ChatServer(step) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as chat,
    ):
        with pytest.raises(ModelError, match=words) as raised:
            chat.ask(HELLO, Allowance(5.0))
        assert raised.value.kind == kind
        assert KEY not in str(raised.value)
        assert len(server.requests) == 1, "trying again is for the caller to decide"


@pytest.mark.parametrize("step", [stay_silent, trickle])
def test_the_deadline_holds_whatever_the_server_does(step: Step) -> None:
    with (
        ChatServer(step) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as chat,
        pytest.raises(ModelError, match=r"did not answer within 0\.2 s") as raised,
    ):
        chat.ask(
            HELLO, Allowance(0.2)
        )  # that it ends at all shows it: the server would go on for ever
    assert raised.value.kind == "too_late"


def test_no_server_is_told_with_its_address() -> None:
    with socket.socket() as taken:  # bound and not listening: nobody answers there
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with (
            OpenAIChat(ChatModelConfig(model="seer", endpoint=endpoint)) as chat,
            pytest.raises(ModelError) as raised,
        ):
            chat.ask(HELLO, Allowance(5.0))
    assert raised.value.kind == "unreachable"
    assert endpoint in str(raised.value)


def test_closing_ends_what_is_being_asked() -> None:
    raised: list[ModelError] = []

    def ask(chat: OpenAIChat) -> None:
        with pytest.raises(ModelError) as info:
            chat.ask(HELLO, Allowance(60.0))
        raised.append(info.value)

    asked = threading.Event()

    def hold(exchange: Exchange) -> None:
        asked.set()
        stay_silent(exchange)

    with ChatServer(hold) as server:
        chat = OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint))
        thread = threading.Thread(target=ask, args=(chat,))
        thread.start()
        assert asked.wait(5.0)
        chat.close()
        thread.join(5.0)
        chat.close()
    assert [error.kind for error in raised] == ["closed"]


def test_a_closed_model_says_so() -> None:
    chat = OpenAIChat(ChatModelConfig(model="seer", endpoint="http://127.0.0.1:1/v1"))
    chat.close()
    with pytest.raises(ModelError, match="seer is closed") as raised:
        chat.ask(HELLO, Allowance(5.0))
    assert raised.value.kind == "closed"


def test_several_callers_are_served_at_once() -> None:
    both = threading.Barrier(2)

    def together(_request: object) -> str:
        both.wait(5.0)
        return "hello"

    replies: list[str] = []
    with (
        ChatServer(say(together)) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as chat,
    ):
        threads = [
            threading.Thread(target=lambda: replies.append(chat.ask(HELLO, Allowance(5.0)).text))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert replies == ["hello", "hello"]


def test_the_key_is_nowhere_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    steps = say("hello"), fail(500)
    with (
        ChatServer(*steps) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as chat,
    ):
        chat.ask(HELLO, Allowance(5.0))
        with pytest.raises(ModelError, match="500"):
            chat.ask(HELLO, Allowance(5.0))
        assert KEY not in repr(chat)
    assert caplog.text
    assert KEY not in caplog.text


def test_what_a_file_leaves_around_the_key_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\r\n")
    with (
        ChatServer(say("hello")) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as chat,
    ):
        chat.ask(HELLO, Allowance(5.0))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("inside", ["\n", " ", "\N{HORIZONTAL ELLIPSIS}", "\x7f"])
def test_a_key_that_no_header_can_carry_is_refused_untold(
    inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"sk-first{inside}second")
    with pytest.raises(ModelError, match="OPENAI_API_KEY holds no key") as raised:
        OpenAIChat(ChatModelConfig(model="seer", endpoint="http://127.0.0.1:1/v1"))
    assert raised.value.kind == "no_key"
    assert "first" not in str(raised.value)
    assert "second" not in str(raised.value)


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with (
        ChatServer(say("hello")) as server,
        OpenAIChat(ChatModelConfig(model="seer", endpoint=server.endpoint)) as chat,
    ):
        assert chat.ask(HELLO, Allowance(5.0)).text == "hello"


def test_openai_itself_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelError, match="OPENAI_API_KEY: set it") as raised:
        OpenAIChat(ChatModelConfig(model="seer"))
    assert raised.value.kind == "no_key"


def test_a_model_must_be_named() -> None:
    with pytest.raises(ModelError, match="no model is named"):
        OpenAIChat(ChatModelConfig(model="", endpoint="http://127.0.0.1:1/v1"))
