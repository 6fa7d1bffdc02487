"""Calls of tools: natively where the server has them, else in words."""

from __future__ import annotations

import json

import pytest

from scenemind.models import Allowance, ChatMessage, ModelError, Tool, ToolCall
from tests.chat_server import ChatServer, Request, call, choose, fail, say
from tests.unit.models.asking import HELLO, SOON_S, chat_with

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
def test_a_server_with_tools_is_told_of_them_and_its_calls_come_back(is_streamed: bool) -> None:
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


def test_calls_and_what_came_of_them_stay_in_the_conversation() -> None:
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


def test_a_server_without_tools_is_told_in_words() -> None:
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
    if calls is None:  # what was only thought is neither done nor hidden
        assert (reply.calls, reply.text) == ((), said)
        return
    assert [(c.name, json.loads(c.arguments)) for c in reply.calls] == calls
    assert reply.text == (said if text is None else text)
