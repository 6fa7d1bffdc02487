"""A question in OpenAI's protocol, and what to leave out of it for a server that does not take it.

Servers differ in what they take beside the messages: OpenAI's reasoning models refuse `max_tokens`
(their name for it is `max_completion_tokens`, which older servers pass over in silence) and any
`temperature`, some servers refuse `stream_options`. Nobody needs to configure that: the server
names what it refuses, and is asked again without it.
"""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from scenemind.config import ChatModelConfig
from scenemind.models.allowance import Allowance
from scenemind.models.chat import ChatMessage, Tool, ToolCall
from scenemind.models.pictures import fitted

_log = logging.getLogger(__name__)

# Option that a server may refuse -> its other name.
_OTHER_NAMES = {
    "max_tokens": "max_completion_tokens",
    **dict.fromkeys(("temperature", "seed", "stream_options")),
}
_IN_THIS_FORM = (
    "Reply with one JSON object that fits this JSON schema, and with nothing before or after it:"
)


def request_of(
    config: ChatModelConfig,
    messages: Sequence[ChatMessage],
    schema: Mapping[str, Any] | None,
    is_streamed: bool,
    allowance: Allowance,
    tools: Sequence[Tool] = (),
) -> dict[str, Any]:
    """The body of a chat completion.

    Args:
        tools: none for a server that is told of them in words (`told_of_tools`).
        allowance: large pictures can take longer than there is time.

    Raises:
        ModelError: a picture that is no JPEG file, or what the allowance says.
    """
    if schema is not None and not config.json_schema:
        messages = _with_form(messages, schema)
    turns = [_turn(message, config, allowance) for message in messages]
    request: dict[str, Any] = {"model": config.model, "messages": turns}
    if schema is not None and config.json_schema:
        form = {"name": schema.get("title", "Reply"), "schema": schema, "strict": True}
        request["response_format"] = {"type": "json_schema", "json_schema": form}
    if tools:
        request["tools"] = [{"type": "function", "function": asdict(tool)} for tool in tools]
    if config.temperature >= 0.0:
        request["temperature"] = config.temperature
    if config.seed >= 0:
        request["seed"] = config.seed
    if config.max_reply_tokens:
        request["max_tokens"] = config.max_reply_tokens
    if is_streamed:
        request |= {"stream": True, "stream_options": {"include_usage": True}}
    return request


class Dialect:
    """What a server has refused, kept for the questions after. For one thread."""

    def __init__(self) -> None:
        self._refused: set[str] = set()

    def of(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The request as the server takes it, as far as is known."""
        spoken = {}
        for name, value in request.items():
            known = _OTHER_NAMES[name] if name in self._refused else name
            if known is not None:
                spoken[known] = value
        return spoken

    def learn(self, sent: Mapping[str, Any], complaint: str) -> bool:
        """Whether the server complains of an option that it need not be sent."""
        for name in _OTHER_NAMES:
            if name in sent and re.search(rf"\b{name}\b", complaint):
                _log.warning(
                    "%s does not take %s, which is not sent to it any more: %s",
                    sent["model"],
                    name,
                    complaint,
                )
                self._refused.add(name)
                return True
        return False


def _with_form(messages: Sequence[ChatMessage], schema: Mapping[str, Any]) -> Sequence[ChatMessage]:
    """The schema told in the first turn of the user, where it stays in what is asked after it."""
    users = [i for i, message in enumerate(messages) if message.role == "user"]
    first = users[0] if users else len(messages) - 1
    told = f"{messages[first].text}\n\n{_IN_THIS_FORM}\n{json.dumps(schema, ensure_ascii=False)}"
    return [*messages[:first], replace(messages[first], text=told), *messages[first + 1 :]]


def _turn(message: ChatMessage, config: ChatModelConfig, allowance: Allowance) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    if message.calls:
        calls = [_call(call) for call in message.calls]
        return {"role": message.role, "content": message.text or None, "tool_calls": calls}
    if not message.jpegs:
        return {"role": message.role, "content": message.text}
    content: list[dict[str, Any]] = [{"type": "text", "text": message.text}]
    for jpeg in message.jpegs:
        allowance.check()
        sent = jpeg if message.sized else fitted(jpeg, config.image_px, config.jpeg_quality)
        shown = base64.b64encode(sent).decode()
        content.append(
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{shown}"}}
        )
    return {"role": message.role, "content": content}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.call_id, "type": "function", "function": function}
