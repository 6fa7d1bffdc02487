"""A model that records what it is sent and replies by rote, to show what methods send.

Its replies are of the right form and of no use, and some are wrong on purpose, so that the turns
after a mistake are seen as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scenemind.models.chat import (
    NOTHING_USED,
    Allowance,
    ChatMessage,
    ChatReply,
    OnText,
    Tool,
    ToolCall,
)


@dataclass(frozen=True, slots=True)
class Sent:
    """A request to a model.

    Attributes:
        earlier: messages of the conversation before, which are sent again.
        messages: the new ones.
        schema: of the reply, where a form is asked for.
    """

    earlier: int
    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any] | None
    tools: tuple[Tool, ...]

    @property
    def text(self) -> str:
        """All that is new in it, with roles, and pictures in words."""
        parts = [f"({self.earlier} messages as before)"] * bool(self.earlier)
        for message in self.messages:
            parts.append(f"[{message.role}]\n{message.text}".rstrip())
            parts += [f"(calls {c.name} {c.arguments})" for c in message.calls]
            parts += [f"(picture {n})" for n, _ in enumerate(message.jpegs, start=1)]
        if self.schema is not None:
            parts.append(f"(form of the reply) {json.dumps(self.schema)}")
        parts += [
            f"(tool) {t.name}: {t.description} {json.dumps(t.parameters)}" for t in self.tools
        ]
        return "\n\n".join(parts)


@dataclass(slots=True)
class ExampleModel:
    """A `ChatModel` that records all it is sent, and replies by rote.

    Attributes:
        said: what it says where no form is asked for, in turn, by method.
        sent: all requests, by method.
    """

    said: Mapping[str, Sequence[str]]
    name: str = "example"
    method: str = ""
    sent: dict[str, list[Sent]] = field(default_factory=dict)
    _turn: int = 0
    _known_forms: set[str] = field(default_factory=set)
    _before: list[tuple[ChatMessage, ...]] = field(default_factory=list)

    def begin(self, method: str) -> None:
        """What follows is sent by a method."""
        self.method, self._turn = method, 0
        self.sent.setdefault(method, [])

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """See `ChatModel`."""
        del on_text
        allowance.check()
        now = tuple(messages)
        earlier = max((_shared(before, now) for before in self._before), default=0)
        self._before.append(now)
        self.sent[self.method].append(Sent(earlier, now[earlier:], schema, tuple(tools)))
        calls: tuple[ToolCall, ...] = ()
        if schema is not None:
            form = str(schema.get("title"))
            text = json.dumps(_value_of(schema, schema, is_wrong=form not in self._known_forms))
            self._known_forms.add(form)
        else:
            said = self.said.get(self.method, ("It is so.",))
            text = said[min(self._turn, len(said) - 1)]
            if tools and self._turn:
                calls, text = _calls(tools, self._turn), ""
            self._turn += 1
        return ChatReply(text, self.name, NOTHING_USED, 0.0, calls)


def _shared(before: Sequence[ChatMessage], now: Sequence[ChatMessage]) -> int:
    """Number of messages at the beginning of both."""
    same = [a == b for a, b in zip(before, now, strict=False)]
    return same.index(False) if False in same else len(same)


def _calls(tools: Sequence[Tool], turn: int) -> tuple[ToolCall, ...]:
    """A look at an object first, at last the answer."""
    name = "look_at_object" if turn == 1 else "final_answer"
    tool = next(tool for tool in tools if tool.name == name)
    arguments = json.dumps(_value_of(tool.parameters, tool.parameters, is_wrong=False))
    return (ToolCall(f"call_{turn}", name, arguments),)


def _value_of(schema: Mapping[str, Any], whole: Mapping[str, Any], *, is_wrong: bool) -> Any:
    """A value of a JSON schema; numbers are beyond all that there is in a wrong one."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _value_of(whole["$defs"][name], whole, is_wrong=is_wrong)
    if "anyOf" in schema:
        kinds = [kind for kind in schema["anyOf"] if kind.get("type") != "null"]
        is_optional = len(kinds) < len(schema["anyOf"])
        return None if is_optional else _value_of(kinds[0], whole, is_wrong=is_wrong)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [""])[0])
    kind = schema.get("type")
    if kind == "object":
        parts = schema.get("properties", {}).items()
        return {name: _value_of(part, whole, is_wrong=is_wrong) for name, part in parts}
    if kind == "array":
        return [_value_of(schema.get("items", {}), whole, is_wrong=is_wrong)]
    return {"integer": 999 if is_wrong else 1, "number": 0.5, "boolean": True}.get(
        str(kind), "table"
    )
