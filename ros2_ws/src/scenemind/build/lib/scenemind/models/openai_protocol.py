"""OpenAI's chat protocol: requests, replies, and tool calls as text for servers without them."""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Annotated, Any, TypeVar

import cv2
import numpy as np
from pydantic import BaseModel, Field, ValidationError

from scenemind.config import ChatModelConfig
from scenemind.models.chat import (
    Allowance,
    ChatMessage,
    ChatReply,
    ModelError,
    Tool,
    ToolCall,
    Usage,
    without_reasoning,
)

_log = logging.getLogger(__name__)

_JPEG_START = b"\xff\xd8\xff"
# Option that a server may refuse -> the name to use instead, or None to leave it out.
_OTHER_NAMES = {
    "max_tokens": "max_completion_tokens",
    **dict.fromkeys(("temperature", "seed", "stream_options")),
}
_SCHEMA_PROMPT = (
    "Reply with one JSON object that fits this JSON schema, and with nothing before or after it:"
)
_MOST_TOKENS = 1_000_000_000
_MOST_CALLS = 32  # of one reply
_TOOLS_PROMPT = """\
You have tools. To use one, end your reply with an action in this form, and wait:

Action: ```{{"action": "name of the tool", "action_input": {{"name of an argument": value}}}}```

The result comes as the next turn, after "Observation:". The tools, with a JSON schema of the
arguments of each:

{tools}"""
_OBSERVATION = re.compile(r"^\s*Observation:", re.MULTILINE)
_ACTION = re.compile(r"\{\s*\"action\"\s*:")
_MARKED = re.compile(r"\s*(?:Action:)?\s*(?:```\w*)?\s*\Z")
_DECODER = json.JSONDecoder(strict=False)
_MOST_BRACKETS = 50_000  # of one reply; two bytes of brackets take 600 when they are read
_MOST_ACTIONS = 8  # places of a text that are tried: each may be as long as the text
# One escape of a JSON string; the group is half a pair of surrogates, which stands for nothing.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def chat_request(
    config: ChatModelConfig,
    messages: Sequence[ChatMessage],
    schema: Mapping[str, Any] | None,
    is_streamed: bool,
    allowance: Allowance,
    tools: Sequence[Tool] = (),
) -> dict[str, Any]:
    """The body of a chat completion.

    Args:
        allowance: checked between pictures, as resizing takes time.
        tools: empty for a server without tool calls (see `with_tools_in_text`).

    Raises:
        ModelError: a picture that is no JPEG file, or the allowance has ended.
    """
    if schema is not None and not config.json_schema:
        messages = _with_schema(messages, schema)
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


def _with_schema(
    messages: Sequence[ChatMessage], schema: Mapping[str, Any]
) -> Sequence[ChatMessage]:
    """The messages with the schema in the user's first turn, where later turns still see it."""
    users = [i for i, message in enumerate(messages) if message.role == "user"]
    first = users[0] if users else len(messages) - 1
    text = f"{messages[first].text}\n\n{_SCHEMA_PROMPT}\n{json.dumps(schema, ensure_ascii=False)}"
    return [*messages[:first], replace(messages[first], text=text), *messages[first + 1 :]]


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
        sent = jpeg if message.sized else resized_jpeg(jpeg, config.image_px, config.jpeg_quality)
        shown = base64.b64encode(sent).decode()
        content.append(
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{shown}"}}
        )
    return {"role": message.role, "content": content}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.call_id, "type": "function", "function": function}


def resized_jpeg(jpeg: bytes, longest_px: int, quality: int) -> bytes:
    """A JPEG file scaled down to a longest side; unchanged where it is small enough.

    Args:
        jpeg: a JPEG file. When scaled, it is turned upright by its EXIF data, which is dropped.
        longest_px: largest width or height.
        quality: of the scaled file, 0 to 100.

    Raises:
        ModelError: no JPEG file, or a damaged one.
    """
    file = np.frombuffer(jpeg, np.uint8)
    bgr = cv2.imdecode(file, cv2.IMREAD_COLOR) if jpeg.startswith(_JPEG_START) else None
    if bgr is None:
        raise ModelError(
            "rejected",
            f"a picture for the model is no JPEG file ({len(jpeg)} bytes from {jpeg[:8]!r}):"
            " encode it with cv2.imencode('.jpg', ...)",
        )
    height, width = bgr.shape[:2]
    scale = longest_px / max(height, width)
    if scale >= 1.0:
        return jpeg
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", small, (cv2.IMWRITE_JPEG_QUALITY, quality))
    return data.tobytes()


class Dialect:
    """Options that a server has refused, remembered for later requests. For one thread.

    Servers differ in the options that they accept beside the messages: OpenAI's reasoning models
    refuse `max_tokens` (their name for it is `max_completion_tokens`, which older servers ignore
    silently) and any `temperature`, some servers refuse `stream_options`. This needs no setting:
    the server names the option, and the request is sent again without it.
    """

    def __init__(self) -> None:
        self._refused: set[str] = set()

    def of(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The request without refused options, as far as they are known."""
        spoken = {}
        for name, value in request.items():
            known = _OTHER_NAMES[name] if name in self._refused else name
            if known is not None:
                spoken[known] = value
        return spoken

    def learn(self, sent: Mapping[str, Any], complaint: str) -> bool:
        """Remember the option that the error names; False where it names no optional one."""
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


Entry = TypeVar("Entry")
# Else a list of a million wrong entries becomes a million errors.
_UntilWrong = Annotated[list[Entry], Field(fail_fast=True)]


class _Function(BaseModel):
    name: str | None = None
    arguments: str | None = None


class _Call(BaseModel):
    """A tool call, or a piece of one."""

    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Words(BaseModel):
    """Content of a message; the model's reasoning (`reasoning_content`) is ignored."""

    content: str | None = None
    refusal: str | None = None
    tool_calls: _UntilWrong[_Call] | None = None


class _Choice(BaseModel):
    index: int | None = None
    message: _Words | None = None  # of a whole reply
    delta: _Words | None = None  # of a piece
    finish_reason: str | None = None


class _PromptDetails(BaseModel):
    cached_tokens: int | None = None


class _Counts(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None


class _ServerError(BaseModel):
    message: str | None = None


class _Piece(BaseModel):
    """A whole reply or its next piece. Servers add fields and leave out others."""

    model: str | None = None
    choices: _UntilWrong[_Choice] | None = None
    usage: _Counts | None = None
    error: _ServerError | str | None = None


def _piece_of(body: bytes) -> _Piece | None:
    """A reply or a piece, read straight from its JSON: what is not asked for takes no memory, and
    nesting is bounded; None for other JSON.

    Raises:
        ValueError: no JSON, or too many or too deeply nested lists and objects.
    """
    if body.count(b"{") + body.count(b"[") > _MOST_BRACKETS:
        raise ValueError(f"it has more than {_MOST_BRACKETS} lists and objects")
    try:
        return _Piece.model_validate_json(body)
    except ValidationError as error:
        mistake = error.errors(include_url=False)[0]
    if mistake["type"] != "json_invalid":
        return None
    if "hex escape" in mistake["msg"]:
        whole = _ESCAPE.sub(lambda found: b"?" if found[1] else found[0], body)
        if whole != body:
            return _piece_of(whole)
    raise ValueError(mistake["msg"])


@dataclass(slots=True)
class PartialReply:
    """A reply as received so far.

    Attributes:
        finish: why it ended; empty while it goes on.
        error: the server's message about its failure; empty: none.
        model: name of the model as the server reports it; empty where it does not.
    """

    text: str = ""
    refusal: str = ""
    finish: str = ""
    model: str = ""
    error: str = ""
    _counts: _Counts = field(default_factory=_Counts)
    _calls: dict[int, list[str]] = field(default_factory=dict)  # id, name, arguments

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Tool calls, in order."""
        named = (
            ToolCall(call_id or f"call_{number}", name, arguments)
            for number, (call_id, name, arguments) in sorted(self._calls.items())
        )
        return tuple(named)[:_MOST_CALLS]

    def add(self, body: bytes) -> bool:
        """Add the JSON of a whole reply or of a piece; False where it is neither.

        Raises:
            ValueError: no JSON, or too many or too deeply nested lists and objects.
        """
        piece = _piece_of(body)
        if piece is None:
            return False
        self.model = piece.model or self.model
        if piece.error:
            message = piece.error if isinstance(piece.error, str) else piece.error.message
            self.error = message or "an error without a message"
        self._counts = piece.usage or self._counts
        for choice in piece.choices or ():
            if choice.index:
                continue  # only the first choice was requested
            words = choice.message or choice.delta or _Words()
            self.text += words.content or ""
            self.refusal += words.refusal or ""
            for place, call in enumerate(words.tool_calls or ()):
                self._add_call(place if call.index is None else call.index, call)
            is_whole = choice.message is not None
            self.finish = choice.finish_reason or self.finish or ("stop" if is_whole else "")
        return True

    def rewrite(self, changed: Callable[[str], str]) -> None:
        """Change all texts."""
        self.text, self.refusal = changed(self.text), changed(self.refusal)
        self.model = changed(self.model)
        self._calls = {number: [*map(changed, call)] for number, call in self._calls.items()}

    def _add_call(self, number: int, call: _Call) -> None:
        """Add a piece to the call of that number; only arguments come in several pieces."""
        known = self._calls.setdefault(number, ["", "", ""])
        function = call.function or _Function()
        known[0] = known[0] or call.id or ""
        known[1] = known[1] or function.name or ""
        known[2] += function.arguments or ""

    def usage(self, config: ChatModelConfig) -> Usage:
        """Usage of the reply at the configured prices; no tokens where the server counts none."""
        counts = self._counts
        prompt, reply = _plausible(counts.prompt_tokens), _plausible(counts.completion_tokens)
        details = counts.prompt_tokens_details or _PromptDetails()
        cached = min(prompt, _plausible(details.cached_tokens))
        cached_price = config.cached_prompt_price
        if cached_price < 0.0:
            cached_price = config.prompt_price
        price = (prompt - cached) * config.prompt_price + cached * cached_price
        return Usage(1, prompt, cached, reply, (price + reply * config.reply_price) / 1e6)


def _plausible(count: int | None) -> int:
    """The count limited to a plausible range: not negative, and small enough for the ledger."""
    return min(max(count or 0, 0), _MOST_TOKENS)


def with_tools_in_text(messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> list[ChatMessage]:
    """The conversation with tools and calls as text, for a server without tool calls.

    The form is that of the SynergAI paper (figure A.3): a thought, then an action as JSON.
    """
    first = next((i for i, m in enumerate(messages) if m.role in ("system", "user")), 0)
    text = _TOOLS_PROMPT.format(tools="\n".join(map(_line, tools)))
    words = [_as_text(message) for message in messages]
    words[first] = replace(words[first], text=f"{words[first].text}\n\n{text}")
    return _alternating(words)


def parse_tool_calls(reply: ChatReply) -> ChatReply:
    """The reply with the first tool call in its text, and the text before it.

    Text after the call, such as an observation that the model made up, is dropped.
    """
    said = _OBSERVATION.split(without_reasoning(reply.text), maxsplit=1)[0]
    for found in islice(_ACTION.finditer(said), _MOST_ACTIONS):
        try:
            action, _ = _DECODER.raw_decode(said, found.start())
            arguments = json.dumps(action.get("action_input", {}), ensure_ascii=False)
        except (ValueError, RecursionError):
            continue
        name = action["action"]
        if isinstance(name, str):
            before = _MARKED.sub("", said[: found.start()])
            return replace(reply, text=before, calls=(ToolCall("in words", name, arguments),))
    return reply


def _line(tool: Tool) -> str:
    return f"- {tool.name}: {tool.description}\n  {json.dumps(tool.parameters, ensure_ascii=False)}"


def _as_text(message: ChatMessage) -> ChatMessage:
    if message.role == "tool":
        return ChatMessage("user", f"Observation: {message.text}")
    if not message.calls:
        return message
    text = "\n".join(part for part in (message.text, *map(_action, message.calls)) if part)
    return ChatMessage(message.role, text)


def _action(call: ToolCall) -> str:
    try:
        action = _as_action(call.name, json.loads(call.arguments))
    except (ValueError, RecursionError):
        action = _as_action(call.name, call.arguments)
    return f"Action: ```{action}```"


def _as_action(name: str, given: object) -> str:
    return json.dumps({"action": name, "action_input": given}, ensure_ascii=False)


def _alternating(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The messages with consecutive turns of one role joined: many models require alternation."""
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
