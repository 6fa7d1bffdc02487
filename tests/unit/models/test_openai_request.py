"""What a server is sent, and what of it is left out for one that does not take it."""

from __future__ import annotations

import base64
import json
from typing import Any

import cv2
import numpy as np
import pytest

from scenemind.models import Allowance, ChatMessage, ModelError
from tests.chat_server import ChatServer, Request, Step, choose, fail, say
from tests.unit.models.asking import HELLO, KEY, KEY_VARIABLE, SOON_S, chat_with

SCHEMA = {"title": "Answer", "type": "object", "properties": {"name": {"type": "string"}}}


def picture(width: int, grey: int) -> bytes:
    return cv2.imencode(".jpg", np.full((8, width, 3), grey, np.uint8))[1].tobytes()


def sent(messages: list[ChatMessage], schema: Any = None, **settings: Any) -> Request:
    """What reaches a server that takes everything."""
    with ChatServer(say("{}")) as server, chat_with(server, **settings) as chat:
        chat.ask(messages, Allowance(SOON_S), schema)
    (request,) = server.requests
    return request


def taking(*options: str) -> Step:
    """A server that refuses each other of the options which servers differ in, one at a time."""

    def answer(request: Request) -> Step:
        doubtful = ("max_tokens", "max_completion_tokens", "temperature", "stream_options")
        strange = [o for o in doubtful if o in request.body and o not in options]
        return fail(400, f"Unsupported parameter: '{strange[0]}'.") if strange else say("hello")

    return choose(answer)


def test_turns_go_as_the_protocol_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    turns = [ChatMessage("system", "look"), ChatMessage("user", "what?")]
    request = sent(turns, key_variable=KEY_VARIABLE)
    assert request.body["messages"] == [
        {"role": "system", "content": "look"},
        {"role": "user", "content": "what?"},
    ]
    assert request.body["model"] == "seer"
    assert "stream" not in request.body
    assert "response_format" not in request.body
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_pictures_follow_their_text_in_order_and_no_larger_than_wanted() -> None:
    small, large = picture(64, 50), picture(400, 200)
    request = sent([ChatMessage("user", "what?", (small, large))], image_px=100)
    text, *_ = request.body["messages"][0]["content"]
    assert text == {"type": "text", "text": "what?"}
    first, second = (base64.b64decode(url.partition(",")[2]) for url in request.pictures)
    assert first == small
    shown = cv2.imdecode(np.frombuffer(second, np.uint8), cv2.IMREAD_COLOR)
    assert shown.shape == (2, 100, 3)
    assert shown.mean() == pytest.approx(200, abs=2)


def test_pictures_that_have_their_size_go_as_they_are() -> None:
    large = picture(400, 200)
    request = sent([ChatMessage("user", "what?", (large,), sized=True)], image_px=100)
    assert base64.b64decode(request.pictures[0].partition(",")[2]) == large


def test_a_picture_that_is_none_never_leaves() -> None:
    with ChatServer(say("hello")) as server, chat_with(server) as chat:
        with pytest.raises(ModelError, match="no JPEG"):
            chat.ask([ChatMessage("user", "what?", (b"GIF89a",))], Allowance(SOON_S))
        assert server.requests == []


def test_pictures_take_no_longer_than_the_question_has() -> None:
    """Far too many to be made smaller in time, so that nobody looks at the last."""
    large = cv2.imencode(".jpg", np.zeros((2000, 2000, 3), np.uint8))[1].tobytes()
    jpegs = (*[large] * 100, b"GIF89a")
    with ChatServer(say("hello")) as server, chat_with(server) as chat:
        with pytest.raises(ModelError, match=r"the 0\.05 s for the question are over") as raised:
            chat.ask([ChatMessage("user", "what?", jpegs)], Allowance(0.05))
        assert server.requests == []
    assert raised.value.kind == "too_late"


def test_the_server_holds_the_reply_to_the_schema() -> None:
    request = sent(HELLO, SCHEMA)
    assert request.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "Answer", "schema": SCHEMA, "strict": True},
    }
    assert request.text == "hello"


def test_the_prompt_tells_the_form_where_the_server_knows_no_schema() -> None:
    turns = [
        ChatMessage("system", "look"),
        ChatMessage("user", "what?", (picture(64, 50),)),
        ChatMessage("assistant", "hm"),
        ChatMessage("user", "no, what?"),
    ]
    request = sent(turns, SCHEMA, json_schema=False)
    assert "response_format" not in request.body
    lines = request.text.splitlines()
    assert (lines[0], lines[1], lines[-2:]) == ("look", "what?", ["hm", "no, what?"])
    assert json.loads(lines[-3]) == SCHEMA
    assert len(request.pictures) == 1


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({}, {"temperature": 0.0, "max_tokens": 2000}),
        ({"temperature": 0.7, "max_reply_tokens": 50}, {"temperature": 0.7, "max_tokens": 50}),
        ({"temperature": -1.0, "max_reply_tokens": 0}, {}),
    ],
)
def test_temperature_and_length_are_the_servers_own_where_wanted(
    settings: dict[str, float], options: dict[str, float]
) -> None:
    body = sent(HELLO, **settings).body
    assert {k: body[k] for k in ("temperature", "max_tokens") if k in body} == options


@pytest.mark.parametrize(
    ("takes", "then_sent"),
    [
        (("max_tokens", "temperature", "stream_options"), {"max_tokens", "temperature"}),
        (("max_completion_tokens",), {"max_completion_tokens"}),
        (("max_tokens",), {"max_tokens"}),
    ],
)
def test_what_a_server_refuses_is_not_sent_again(
    takes: tuple[str, ...], then_sent: set[str]
) -> None:
    heard: list[str] = []
    with ChatServer(taking(*takes)) as server, chat_with(server) as chat:
        assert chat.ask(HELLO, Allowance(SOON_S), on_text=heard.append).text == "hello"
        before = len(server.requests)
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "hello"
        assert len(server.requests) == before + 1
    assert heard[-1] == "hello"
    body = server.requests[-1].body
    assert body.keys() - {"model", "messages"} == then_sent
    assert body.get("max_tokens", body.get("max_completion_tokens")) == 2000


def test_a_refusal_that_nothing_can_be_done_about_is_an_error() -> None:
    with ChatServer(taking()) as server, chat_with(server) as chat:
        with pytest.raises(ModelError, match="max_completion_tokens") as raised:
            chat.ask(HELLO, Allowance(SOON_S))
        assert raised.value.kind == "rejected"
