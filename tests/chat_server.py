"""A chat server on the loopback: the real HTTP of OpenAI's protocol with scripted answers.

with ChatServer(say("hello"), fail(500)) as server:
    OpenAIChat("any", server.endpoint).ask(...)   # hello, then an error, again and again
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Step = Callable[["Exchange"], None]


@dataclass(frozen=True)
class Request:
    """What a client sent: the body of a chat completion, and the headers by lower-case name."""

    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def text(self) -> str:
        """All text of all messages, a line each."""
        parts = [m["content"] for m in self.body["messages"]]
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


@dataclass(frozen=True)
class Exchange:
    """One request while it is answered."""

    request: Request
    handler: BaseHTTPRequestHandler
    released: threading.Event

    def send(self, status: int, body: bytes, promised: int | None = None, **headers: str) -> None:
        """A whole answer, or one that promises more bytes than it has."""
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", "application/json")
        self.handler.send_header("Content-Length", str(len(body) if promised is None else promised))
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()
        self.handler.wfile.write(body)


def completion(**message: Any) -> bytes:
    """A chat completion with one choice."""
    finish = message.pop("finish_reason", "stop")
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted"}
    return json.dumps({**body, "choices": [choice], "usage": usage}).encode()


def say(text: str | Callable[[Request], str]) -> Step:
    """An answer; or one made of the request."""
    return lambda e: e.send(
        200, completion(content=text if isinstance(text, str) else text(e.request))
    )


def refuse(words: str) -> Step:
    return lambda e: e.send(200, completion(content=None, refusal=words))


def run_out_of_tokens(text: str) -> Step:
    return lambda e: e.send(200, completion(content=text, finish_reason="length"))


def fail(status: int, message: str = "it broke", **headers: str) -> Step:
    body = json.dumps({"error": {"message": message}}).encode()
    return lambda e: e.send(status, body, **headers)


def send_raw(body: bytes, promised: int | None = None) -> Step:
    """Any bytes as the body; cut short where more are promised."""
    return lambda e: e.send(200, body, promised)


def stay_silent(exchange: Exchange) -> None:
    """No byte until the server stops."""
    exchange.released.wait()


def trickle(exchange: Exchange) -> None:
    """A byte now and then, so that no single read takes long, and never the end."""
    exchange.handler.send_response(200)
    exchange.handler.send_header("Content-Type", "application/json")
    exchange.handler.send_header("Content-Length", "1000000")
    exchange.handler.end_headers()
    while not exchange.released.wait(0.02):
        exchange.handler.wfile.write(b" ")
        exchange.handler.wfile.flush()


class ChatServer:
    """Answers on the loopback while it is open, a step a request; after the last comes the first.

    Attributes:
        requests: what came, oldest first.
    """

    def __init__(self, *steps: Step) -> None:
        self.requests: list[Request] = []
        self._steps = steps
        self._released = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers["Content-Length"])
        headers = {name.lower(): value for name, value in handler.headers.items()}
        request = Request(json.loads(handler.rfile.read(length)), headers)
        with self._lock:
            step = self._steps[len(self.requests) % len(self._steps)]
            self.requests.append(request)
        step(Exchange(request, handler, self._released))


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if self.path != "/v1/chat/completions":
                self.send_error(404)
                return
            with suppress(BrokenPipeError, ConnectionResetError):  # the client gave up
                server.answer(self)

        def log_message(self, *words: object) -> None:
            """Nothing: what came is in `requests`."""

    return Handler
