"""Deadlines hold and cancelling helps, whatever a server does: that a test ends shows it, as the
server would go on for ever."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from scenemind.models import Allowance, ModelError, OpenAIChat
from tests.chat_server import ChatServer, Exchange, Step, say, slowly, stay_silent, trickle
from tests.unit.models.asking import HELLO, LONG_S, SOON_S, chat_with

LISTENERS = pytest.mark.parametrize("on_text", [None, lambda _: None], ids=["whole", "streamed"])


def trickle_headers(exchange: Exchange) -> None:
    """A header now and then."""
    exchange.handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not exchange.released.wait(0.02):
        exchange.handler.wfile.write(b"X-Header: value\r\n")
    exchange.hang_up()


@contextmanager
def deaf_server(backlog: int) -> Iterator[int]:
    """A port where connections are at most queued; without a queue not even that."""
    with socket.socket() as server, socket.socket() as first, socket.socket() as second:
        server.bind(("127.0.0.1", 0))
        server.listen(backlog)
        port = server.getsockname()[1]
        for client in (first, second) if backlog == 0 else ():
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        yield port


def told(asked: threading.Event, step: Step) -> Step:
    """The step, which is announced."""

    def tell(exchange: Exchange) -> None:
        asked.set()
        step(exchange)

    return tell


def too_late(chat: OpenAIChat, allowance: Allowance, **more: object) -> str:
    with pytest.raises(ModelError) as raised:
        chat.ask(HELLO, allowance, **more)
    assert raised.value.kind == "too_late"
    return str(raised.value)


@LISTENERS
@pytest.mark.parametrize("step", [stay_silent, trickle_headers, trickle, slowly(LONG_S, say("x"))])
def test_a_call_ends_in_time(step: Step, on_text: Callable[[str], None] | None) -> None:
    with ChatServer(step) as server, chat_with(server, call_deadline_s=0.1) as chat:
        said = too_late(chat, Allowance(LONG_S), on_text=on_text)
    assert "did not answer within 0.1 s" in said


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("backlog", [0, 5])
def test_connecting_takes_no_longer(scheme: str, backlog: int) -> None:
    with (
        deaf_server(backlog) as port,
        chat_with(f"{scheme}://127.0.0.1:{port}/v1", call_deadline_s=0.1) as chat,
    ):
        too_late(chat, Allowance(LONG_S))


def test_the_questions_time_counts_as_well() -> None:
    with ChatServer(stay_silent) as server, chat_with(server) as chat:
        too_late(chat, Allowance(0.1))
        assert "are over" in too_late(chat, Allowance(0.0))
        assert len(server.requests) == 1


def test_a_server_that_is_late_keeps_nobody_else() -> None:
    slow, asked = Allowance(LONG_S), threading.Event()
    with (
        ChatServer(told(asked, stay_silent), say("hello")) as server,
        chat_with(server) as chat,
        ThreadPoolExecutor(1) as pool,
    ):
        asking = pool.submit(chat.ask, HELLO, slow)
        assert asked.wait(SOON_S)
        assert chat.ask(HELLO, Allowance(SOON_S)).text == "hello"
        slow.cancel()
        with pytest.raises(ModelError, match="question was cancelled"):
            asking.result(SOON_S)


@LISTENERS
@pytest.mark.parametrize("step", [stay_silent, trickle_headers, trickle])
def test_who_asked_can_give_up_at_any_moment(
    step: Step, on_text: Callable[[str], None] | None
) -> None:
    allowance, asked = Allowance(LONG_S), threading.Event()
    with (
        ChatServer(told(asked, step)) as server,
        chat_with(server, call_deadline_s=LONG_S) as chat,
        ThreadPoolExecutor(1) as pool,
    ):
        asking = pool.submit(chat.ask, HELLO, allowance, on_text=on_text)
        assert asked.wait(SOON_S)
        allowance.cancel()
        with pytest.raises(ModelError, match="question was cancelled") as raised:
            asking.result(SOON_S)
        assert raised.value.kind == "cancelled"
        with pytest.raises(ModelError, match="question was cancelled"):
            chat.ask(HELLO, allowance)
        assert len(server.requests) == 1


def test_the_server_learns_that_nobody_waits() -> None:
    has_heard, begun = threading.Event(), threading.Event()

    def write(exchange: Exchange) -> None:
        exchange.begin_stream()
        try:
            while not exchange.released.wait(0.01):
                exchange.stream({"content": "x"})
        except OSError:
            has_heard.set()
            raise

    allowance = Allowance(LONG_S)
    with (
        ChatServer(write) as server,
        chat_with(server) as chat,
        ThreadPoolExecutor(1) as pool,
    ):
        asking = pool.submit(chat.ask, HELLO, allowance, on_text=lambda _: begun.set())
        assert begun.wait(SOON_S)
        allowance.cancel()
        assert has_heard.wait(SOON_S), "a model that writes on for nobody costs money"
        with pytest.raises(ModelError, match="question was cancelled"):
            asking.result(SOON_S)
