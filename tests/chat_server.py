"""A chat server on the loopback: the real HTTP of OpenAI's protocol with scripted answers.

    with ChatServer(say("hello"), fail(500)) as server:
        chat = OpenAIChat(ChatModelConfig(model="any", endpoint=server.endpoint))
        chat.ask(...)   # hello, then an error, and so on in turn

Whoever asks for a stream gets one. Tokens are counted by `PromptCache`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.chat_exchange import Exchange, Request, completion
from tests.prompt_cache import PromptCache

Step = Callable[[Exchange], None]
"""The handling of one request by the server."""


class ChatServer:
    """Answers on the loopback while it is open, a step a request; after the last comes the first.

    Attributes:
        requests: what came, oldest first.
        most_at_once: requests that were being answered at the same time.
    """

    def __init__(self, *steps: Step) -> None:
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._at_once = 0
        self._steps = steps
        self._cache = PromptCache()
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
        body = handler.rfile.read(length)
        if len(body) < length:
            raise ConnectionResetError("the client gave up")
        request = Request(json.loads(body), headers)
        prompt, cached = self._cache.read(request.body)
        usage = {"prompt_tokens": prompt, "prompt_tokens_details": {"cached_tokens": cached}}
        with self._lock:
            step = self._steps[len(self.requests) % len(self._steps)]
            self.requests.append(request)
        with self._counted():
            step(Exchange(request, handler, usage, self._released))

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

        def handle(self) -> None:
            with suppress(BrokenPipeError, ConnectionResetError):  # the client gave up
                super().handle()

        def do_POST(self) -> None:
            if self.path != "/v1/chat/completions":
                self.send_error(404)
                return
            server.answer(self)

        def log_message(self, *words: object) -> None:
            """Nothing: what came is in `requests`."""

    return Handler


def say(text: str | Callable[[Request], str], **more: Any) -> Step:
    """An answer; or one made of the request."""
    return lambda e: e.reply(text if isinstance(text, str) else text(e.request), **more)


def call(*calls: tuple[str, dict[str, Any]], text: str = "") -> Step:
    """Ask for tools: the name and the arguments of each."""
    named = [(name, json.dumps(arguments)) for name, arguments in calls]
    return lambda e: e.reply(text, finish_reason="tool_calls", calls=named)


def choose(step_for: Callable[[Request], Step]) -> Step:
    """A step that chooses another step by the request."""
    return lambda e: step_for(e.request)(e)


def refuse(words: str) -> Step:
    return lambda e: e.reply(refusal=words)


def run_out_of_tokens(text: str) -> Step:
    return lambda e: e.reply(text, finish_reason="length")


def fail(status: int, message: str = "it broke", code: str | None = None, **headers: str) -> Step:
    """Such as fail(429, Retry_After="2")."""
    body = json.dumps({"error": {"message": message, "code": code}}).encode()
    return lambda e: e.send(status, body, **headers)


def send_raw(body: bytes, promised: int | None = None, **headers: str) -> Step:
    """Any bytes as the body; cut short where more are promised."""
    return lambda e: e.send(200, body, promised, **headers)


def cut(text: str) -> Step:
    """Hang up after that, in the middle of a reply."""

    def step(exchange: Exchange) -> None:
        if not exchange.request.is_streamed:
            body = json.dumps(completion([{"message": {"content": text}}])).encode()
            exchange.send(200, body[: -len(text)], promised=len(body))
            return
        exchange.begin_stream()
        exchange.stream({"content": text})
        exchange.hang_up()

    return step


def slowly(seconds: float, step: Step) -> Step:
    """Wait before it, or until the server stops."""

    def wait(exchange: Exchange) -> None:
        if exchange.released.wait(seconds):
            exchange.hang_up()
        else:
            step(exchange)

    return wait


def stay_silent(exchange: Exchange) -> None:
    """No byte until the server stops."""
    exchange.released.wait()
    exchange.hang_up()


def trickle(exchange: Exchange) -> None:
    """A byte now and then, so that no single read takes long, and never the end; in a stream a
    letter of the reply."""
    if exchange.request.is_streamed:
        exchange.begin_stream()
        while not exchange.released.wait(0.02):
            exchange.stream({"content": "x"})
        exchange.hang_up()
        return
    exchange.send(200, b"{", promised=1_000_000)
    while not exchange.released.wait(0.02):
        exchange.handler.wfile.write(b" ")


FAULTS: dict[str, Step] = {
    "slow": slowly(3600.0, say("too late")),
    "silent": stay_silent,
    "trickle": trickle,
    "busy": fail(429, "too many requests", Retry_After="0.05"),
    "busy_for_long": fail(429, "too many requests", Retry_After="3600"),
    "server_error": fail(500),
    "no_such_model": fail(404, "no such model"),
    "cut": cut('{"think": "the sofa'),
    "no_json": send_raw(b'{"choices": [{"message"'),
    "no_chat": send_raw(b"[1, 2]"),
    "refusal": refuse("I cannot help with that"),
    "empty": say(""),
    "no_json_in_it": say('Sure! {"think": "the sofa", '),
    "wrong_form": say('{"mood": "fine"}'),
    "out_of_tokens": run_out_of_tokens('{"think": "the'),
}
"""Faults of a server and a model that do not depend on the question. Ids that do not exist
depend on it: `say` replies with them."""
