"""Calls of tools for servers that have none: told of in words, and read out of the reply.

The form is that of the SynergAI paper (figure A.3): a thought, then an action as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from scenemind.models.chat import ChatMessage, ChatReply, Tool, ToolCall

_TELLING = """\
You have tools. To use one, end your reply with an action in this form, and wait:

Action: ```{{"action": "name of the tool", "action_input": {{"name of an argument": value}}}}```

The result comes as the next turn, after "Observation:". The tools, with a JSON schema of the
arguments of each:

{tools}"""
# Reasoning models think aloud first, also of actions that they then do not take.
_THOUGHTS = re.compile(r"(?:\A|<think>)(?:(?!<think>).)*?</think>", re.DOTALL)
_OBSERVATION = re.compile(r"^\s*Observation:", re.MULTILINE)
_ACTION = re.compile(r"\{\s*\"action\"\s*:")
_MARKED = re.compile(r"\s*(?:Action:)?\s*(?:```\w*)?\s*\Z")
_DECODER = json.JSONDecoder(strict=False)


def told_of_tools(messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> list[ChatMessage]:
    """The same conversation without calls, for a server that knows none."""
    first = next((i for i, m in enumerate(messages) if m.role in ("system", "user")), 0)
    told = _TELLING.format(tools="\n".join(map(_line, tools)))
    words = [_in_words(message) for message in messages]
    words[first] = replace(words[first], text=f"{words[first].text}\n\n{told}")
    return _alternating(words)


def read_for_calls(reply: ChatReply) -> ChatReply:
    """The reply with the call that its text asks for, and the text before it. What the model says
    after its first action, such as an observation that it made up, is dropped."""
    said = _OBSERVATION.split(_THOUGHTS.sub("", reply.text), maxsplit=1)[0]
    for found in _ACTION.finditer(said):
        try:
            action, _ = _DECODER.raw_decode(said, found.start())
        except ValueError:
            continue
        name = action["action"]
        if isinstance(name, str):
            arguments = json.dumps(action.get("action_input", {}), ensure_ascii=False)
            before = _MARKED.sub("", said[: found.start()])
            return replace(reply, text=before, calls=(ToolCall("in words", name, arguments),))
    return reply


def _line(tool: Tool) -> str:
    return f"- {tool.name}: {tool.description}\n  {json.dumps(tool.parameters, ensure_ascii=False)}"


def _in_words(message: ChatMessage) -> ChatMessage:
    if message.role == "tool":
        return ChatMessage("user", f"Observation: {message.text}")
    if not message.calls:
        return message
    text = "\n".join(part for part in (message.text, *map(_action, message.calls)) if part)
    return ChatMessage(message.role, text)


def _action(call: ToolCall) -> str:
    try:
        given = json.loads(call.arguments)
    except ValueError:
        given = call.arguments
    action = json.dumps({"action": call.name, "action_input": given}, ensure_ascii=False)
    return f"Action: ```{action}```"


def _alternating(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Turns of one speaker in a row as one: many models want turns to alternate."""
    return list(_joined(messages))


def _joined(messages: Sequence[ChatMessage]) -> Iterator[ChatMessage]:
    last: ChatMessage | None = None
    for message in messages:
        if last is not None and last.role == message.role:
            text = f"{last.text}\n\n{message.text}"
            last = ChatMessage(last.role, text, (*last.jpegs, *message.jpegs))
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last
