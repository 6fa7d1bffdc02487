"""One request to the chat server of the tests, and ways to answer it."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.prompt_cache import token_count


@dataclass(frozen=True)
class Request:
    """A request of a client: the body of a chat completion, and headers by lower-case name."""

    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def text(self) -> str:
        """All text of all messages, a line each."""
        parts = [m["content"] or "" for m in self.body["messages"]]
        texts = [
            [p] if isinstance(p, str) else [i["text"] for i in p if "text" in i] for p in parts
        ]
        return "\n".join(line for text in texts for line in text)

    @property
    def pictures(self) -> list[str]:
        """Data URLs, in order."""
        items = [
            i for m in self.body["messages"] if isinstance(m["content"], list) for i in m["content"]
        ]
        return [i["image_url"]["url"] for i in items if "image_url" in i]

    @property
    def is_streamed(self) -> bool:
        return bool(self.body.get("stream"))


@dataclass(frozen=True)
class Exchange:
    """One request while it is answered.

    Attributes:
        usage: as the protocol reports it, but for the reply's own tokens.
        released: when the server stops.
    """

    request: Request
    handler: BaseHTTPRequestHandler
    usage: dict[str, Any]
    released: threading.Event

    def send(self, status: int, body: bytes, promised: int | None = None, **headers: str) -> None:
        """A whole answer, or one that promises more bytes than it has."""
        length = len(body) if promised is None else promised
        self.handler.close_connection = length > len(body)
        self._begin(status, "application/json", Content_Length=str(length), **headers)
        self.handler.wfile.write(body)

    def reply(
        self,
        text: str = "",
        finish_reason: str = "stop",
        calls: Sequence[tuple[str, str]] = (),
        **more: Any,
    ) -> None:
        """A chat completion as the client wants it: whole, or in pieces of a few characters.

        Args:
            calls: of tools: name and arguments of each.
            more: members of the message, such as `refusal`.
        """
        counted = token_count(text)
        usage = {**self.usage, "completion_tokens": counted}
        usage["total_tokens"] = usage["prompt_tokens"] + counted
        if not self.request.is_streamed:
            message = {"role": "assistant", "content": text or None, **more}
            if calls:
                message["tool_calls"] = [_call(*call, f"id_{i}") for i, call in enumerate(calls)]
            body = completion([{"message": message, "finish_reason": finish_reason}], usage=usage)
            self.send(200, json.dumps(body).encode())
            return
        self.begin_stream()
        self.stream({"role": "assistant", "content": "", **more})
        for number, call in enumerate(calls):
            self._stream_call(number, call)
        for start in range(0, len(text), 5):
            self.stream({"content": text[start : start + 5]})
        self.stream({}, finish_reason)
        if self.request.body.get("stream_options", {}).get("include_usage"):
            self.send_event(json.dumps(completion([], usage=usage)))
        self.send_event("[DONE]")
        self.end_stream()

    def _stream_call(self, number: int, call: tuple[str, str]) -> None:
        """Stream a call like real servers: the name first, then pieces of the arguments."""
        name, arguments = call
        self.stream({"tool_calls": [{"index": number, **_call(name, "", f"id_{number}")}]})
        for start in range(0, len(arguments), 5):
            piece = {"index": number, "function": {"arguments": arguments[start : start + 5]}}
            self.stream({"tool_calls": [piece]})

    def begin_stream(self) -> None:
        self._begin(200, "text/event-stream", Transfer_Encoding="chunked")

    def stream(self, delta: dict[str, Any], finish_reason: str | None = None) -> None:
        """The next piece of a reply."""
        self.send_event(json.dumps(completion([{"delta": delta, "finish_reason": finish_reason}])))

    def send_event(self, data: str | bytes) -> None:
        """Stream the given data."""
        self._send_chunk(b"data: %b\n\n" % (data if isinstance(data, bytes) else data.encode()))

    def end_stream(self) -> None:
        """End the stream in the form of HTTP, for complete and incomplete replies."""
        self._send_chunk(b"")

    def hang_up(self) -> None:
        """Leave what was begun as it is."""
        self.handler.close_connection = True

    def _send_chunk(self, data: bytes) -> None:
        self.handler.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _begin(self, status: int, content_type: str, **headers: str) -> None:
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()


def _call(name: str, arguments: str, call_id: str) -> dict[str, Any]:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def completion(choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A chat completion, or a piece of one."""
    numbered = [{"index": i, **choice} for i, choice in enumerate(choices)]
    return {"id": "1", "created": 0, "model": "scripted", "choices": numbered, **more}
