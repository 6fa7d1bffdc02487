"""Requests, pictures and tool calls in OpenAI's protocol."""

from __future__ import annotations

import base64
import json
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.models import Allowance, ChatMessage, ModelError, Tool, ToolCall
from scenemind.models.openai_protocol import resized_jpeg
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, Step, call, choose, fail, say
from tests.unit.models.asking import HELLO, KEY, KEY_VARIABLE, SOON_S, chat_with


def noise_jpeg(width: int, height: int, kind: str = ".jpg") -> bytes:
    """A picture that is dark on the left and bright on the right."""
    grey = np.tile(np.linspace(0, 255, width).astype(np.uint8), (height, 1))
    return cv2.imencode(kind, grey)[1].tobytes()


def decoded(jpeg: bytes) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(64, 128))
def test_no_side_is_longer_and_the_shape_stays(width: int, height: int, longest: int) -> None:
    jpeg = noise_jpeg(width, height)
    small = resized_jpeg(jpeg, longest, 85)
    new_height, new_width = decoded(small).shape[:2]
    if max(width, height) <= longest:
        assert small is jpeg
    else:
        assert max(new_width, new_height) == longest
        assert abs(new_width * height - new_height * width) <= max(width, height)


def test_the_smaller_one_shows_the_same() -> None:
    small = decoded(resized_jpeg(noise_jpeg(640, 480), 64, 95))
    expected = np.linspace(0, 255, 64)
    assert np.abs(small.mean((0, 2)) - expected).max() < 6.0


def test_quality_is_a_matter_of_size() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (480, 640, 3), np.uint8)
    jpeg = cv2.imencode(".jpg", noise)[1].tobytes()
    assert len(resized_jpeg(jpeg, 320, 40)) < len(resized_jpeg(jpeg, 320, 90)) < len(jpeg)


@pytest.mark.parametrize("file", [b"", b"one", noise_jpeg(8, 8, ".png"), noise_jpeg(8, 8)[:40]])
def test_error_about_other_images_names_a_remedy(file: bytes) -> None:
    with pytest.raises(ModelError, match=r"no JPEG file .*imencode") as raised:
        resized_jpeg(file, 64, 85)
    assert raised.value.kind == "rejected"


SCHEMA = {"title": "Answer", "type": "object", "properties": {"name": {"type": "string"}}}


def picture(width: int, grey: int) -> bytes:
    return cv2.imencode(".jpg", np.full((8, width, 3), grey, np.uint8))[1].tobytes()


def sent(messages: list[ChatMessage], schema: Any = None, **settings: Any) -> Request:
    """The request that a server gets which accepts all options."""
    with ChatServer(say("{}")) as server, chat_with(server, **settings) as chat:
        chat.ask(messages, Allowance(SOON_S), schema)
    (request,) = server.requests
    return request


def taking(*options: str) -> Step:
    """A server that refuses all optional parameters but the given ones, one at a time."""

    def answer(request: Request) -> Step:
        doubtful = ("max_tokens", "max_completion_tokens", "temperature", "stream_options")
        strange = [o for o in doubtful if o in request.body and o not in options]
        return fail(400, f"Unsupported parameter: '{strange[0]}'.") if strange else say("hello")

    return choose(answer)


def test_turns_have_the_form_of_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_small_pictures_are_sent_unchanged() -> None:
    large = picture(400, 200)
    request = sent([ChatMessage("user", "what?", (large,), sized=True)], image_px=100)
    assert base64.b64decode(request.pictures[0].partition(",")[2]) == large


def test_invalid_picture_is_not_sent() -> None:
    with ChatServer(say("hello")) as server, chat_with(server) as chat:
        with pytest.raises(ModelError, match="no JPEG"):
            chat.ask([ChatMessage("user", "what?", (b"GIF89a",))], Allowance(SOON_S))
        assert server.requests == []


def test_pictures_take_no_longer_than_the_question_has() -> None:
    """There are far too many pictures to resize in time, so that the last is never decoded."""
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


def test_prompt_has_the_schema_where_the_server_knows_none() -> None:
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
def test_refused_option_is_not_sent_again(takes: tuple[str, ...], then_sent: set[str]) -> None:
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


def test_other_refusals_are_an_error() -> None:
    with ChatServer(taking()) as server, chat_with(server) as chat:
        with pytest.raises(ModelError, match="max_completion_tokens") as raised:
            chat.ask(HELLO, Allowance(SOON_S))
        assert raised.value.kind == "rejected"


FIND = Tool(
    "find",
    "Find objects by a name.",
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)
CUP = {"name": "cup"}
DONE = [
    ChatMessage("system", "You find things."),
    ChatMessage("user", "where is the cup?"),
    ChatMessage("assistant", "I look.", calls=(ToolCall("id_0", "find", json.dumps(CUP)),)),
    ChatMessage("tool", "cup 4 is at 1, 2, 0", call_id="id_0"),
]


@pytest.mark.parametrize("is_streamed", [False, True])
def test_server_with_tools_gets_them_and_returns_calls(is_streamed: bool) -> None:
    heard: list[str] = []
    step = call(("find", CUP), ("find", {"name": "mug"}), text="I look.")
    with ChatServer(step) as server, chat_with(server) as chat:
        hears = heard.append if is_streamed else None
        reply = chat.ask(HELLO, Allowance(SOON_S), None, hears, [FIND])
    (request,) = server.requests
    assert request.body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "find",
                "description": FIND.description,
                "parameters": FIND.parameters,
            },
        }
    ]
    assert reply.text == "I look."
    assert reply.calls == (
        ToolCall("id_0", "find", json.dumps(CUP)),
        ToolCall("id_1", "find", '{"name": "mug"}'),
    )


def test_calls_and_results_stay_in_the_conversation() -> None:
    with ChatServer(say("at 1, 2, 0")) as server, chat_with(server) as chat:
        assert chat.ask(DONE, Allowance(SOON_S), tools=[FIND]).calls == ()
    *_, called, result = server.requests[0].body["messages"]
    assert called["tool_calls"] == [
        {
            "id": "id_0",
            "type": "function",
            "function": {"name": "find", "arguments": '{"name": "cup"}'},
        }
    ]
    assert result == {
        "role": "tool",
        "tool_call_id": "id_0",
        "content": "cup 4 is at 1, 2, 0",
    }


def action(name: object, given: object) -> str:
    return f"Action: ```{json.dumps({'action': name, 'action_input': given})}```"


def test_server_without_tools_gets_them_in_words() -> None:
    said = f"Thought: I look.\n{action('find', CUP)}\nObservation: cup 9 is here"
    with ChatServer(say(said)) as server, chat_with(server, tool_calls=False) as chat:
        reply = chat.ask(DONE, Allowance(SOON_S), tools=[FIND])
    body = server.requests[0].body
    assert "tools" not in body
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "user"]
    system, _, called, result = (m["content"] for m in body["messages"])
    assert FIND.description in system
    assert called == f"I look.\n{action('find', CUP)}"
    assert result == "Observation: cup 4 is at 1, 2, 0"
    assert reply.calls == (ToolCall("in words", "find", json.dumps(CUP)),)
    assert reply.text == "Thought: I look."


def test_a_server_that_refuses_tools_is_asked_in_words_from_then_on() -> None:
    def step(request: Request):  # type: ignore[no-untyped-def]
        if "tools" in request.body:
            return fail(400, "this model does not support tools")
        return say(action("find", CUP))

    with ChatServer(choose(step)) as server, chat_with(server) as chat:
        replies = [chat.ask(HELLO, Allowance(SOON_S), tools=[FIND]) for _ in range(2)]
    assert [r.calls[0].name for r in replies] == ["find", "find"]
    assert ["tools" in r.body for r in server.requests] == [True, False, False]


def test_another_refusal_is_no_reason_to_go_on_in_words() -> None:
    with (
        ChatServer(fail(400, "no such model")) as server,
        chat_with(server) as chat,
        pytest.raises(ModelError, match="no such model"),
    ):
        chat.ask(HELLO, Allowance(SOON_S), tools=[FIND])
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("said", "text", "calls"),
    [
        ("It is a cup.", "It is a cup.", []),
        ('<think>{"action": "find"}</think>It is a cup.', "", None),
        (f"First.\n{action('find', CUP)} then {action('find', {})}", "First.", [("find", CUP)]),
        ('{"action": "find", "action_input": {"name": "cup"}}', "", [("find", CUP)]),
        ('Action: ```json\n{"action": "find", "action_input": "cup"}\n```', "", [("find", "cup")]),
        (f'{{"action": broken}} {action("find", CUP)}', '{"action": broken}', [("find", CUP)]),
        (action(7, CUP), None, []),
        (f"Observation: I made this up\n{action('find', CUP)}", None, []),
    ],
)
def test_actions_are_read_out_of_words(
    said: str, text: str | None, calls: list[tuple[str, object]] | None
) -> None:
    with ChatServer(say(said)) as server, chat_with(server, tool_calls=False) as chat:
        reply = chat.ask(HELLO, Allowance(SOON_S), tools=[FIND])
    if calls is None:  # an action in the model's thoughts is neither done nor hidden
        assert (reply.calls, reply.text) == ((), said)
        return
    assert [(c.name, json.loads(c.arguments)) for c in reply.calls] == calls
    assert reply.text == (said if text is None else text)
