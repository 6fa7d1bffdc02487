"""What a file of recorded exchanges holds: a line of JSON for each, after one that says so."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from scenemind.models.chat import ChatMessage, ChatReply, Tool, ToolCall
from scenemind.models.errors import FailureKind, ModelError
from scenemind.models.usage import Usage

HEADER = '{"scenemind_recording":1}'
"""The first line of a file."""

_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """
    Attributes:
        pictures: SHA-256 of each JPEG, in hexadecimal digits.
    """

    __pydantic_config__ = _STRICT

    role: str
    text: str
    pictures: tuple[str, ...]
    calls: tuple[ToolCall, ...]
    call_id: str

    @classmethod
    def of(cls, message: ChatMessage) -> RecordedMessage:
        pictures = (hashlib.sha256(jpeg).hexdigest() for jpeg in message.jpegs)
        return cls(message.role, message.text, tuple(pictures), message.calls, message.call_id)


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """All that a reply may depend on.

    Attributes:
        model: its name, as `ChatModel.name` gives it.
    """

    __pydantic_config__ = _STRICT

    model: str
    messages: tuple[RecordedMessage, ...]
    schema: Mapping[str, Any] | None
    tools: tuple[Tool, ...]

    @classmethod
    def of(
        cls,
        model: str,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any] | None,
        tools: Sequence[Tool],
    ) -> RecordedRequest:
        return cls(model, tuple(map(RecordedMessage.of, messages)), schema, tuple(tools))

    @property
    def key(self) -> str:
        """The same for the same content."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def lines(self) -> list[str]:
        """All of it, to be read and compared by people."""
        lines = [f"model {self.model}"]
        if self.schema is not None:
            lines += ["schema", *json.dumps(self.schema, sort_keys=True, indent=1).splitlines()]
        lines += [f"tool {json.dumps(asdict(tool), sort_keys=True)}" for tool in self.tools]
        for message in self.messages:
            lines += [f"{message.role}:", *message.text.splitlines()]
            lines += [f"picture {digest}" for digest in message.pictures]
            lines += [f"calls {call.name} {call.arguments}" for call in message.calls]
        return lines


@dataclass(frozen=True, slots=True)
class RecordedError:
    """A `ModelError` that lies with the model: asked the same, it would fail again."""

    __pydantic_config__ = _STRICT

    kind: FailureKind
    message: str
    usage: Usage

    @classmethod
    def of(cls, error: ModelError) -> RecordedError:
        return cls(error.kind, str(error), error.usage)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came of it."""

    __pydantic_config__ = _STRICT

    request: RecordedRequest
    outcome: ChatReply | RecordedError

    def to_json(self) -> str:
        """In one line."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Exchange:
        """
        Raises:
            ValueError: it is none.
        """
        return _EXCHANGE.validate_json(line)


_EXCHANGE = TypeAdapter(Exchange)
