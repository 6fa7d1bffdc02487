"""Endpoints that are wrong, and what is said of them."""

from __future__ import annotations

import socket

import pytest

from scenemind.models import Allowance, ModelError
from tests.chat_server import ChatServer, fail, say
from tests.unit.models.asking import HELLO, SOON_S, chat_with


def test_no_server_is_told_with_its_address() -> None:
    with socket.socket() as taken:  # bound and not listening: nobody answers there
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with chat_with(endpoint) as chat, pytest.raises(ModelError) as raised:
            chat.ask(HELLO, Allowance(SOON_S))
    assert raised.value.kind == "unreachable"
    assert endpoint in str(raised.value)


def test_a_forgotten_end_of_the_address_is_named() -> None:
    with (
        ChatServer(say("hello")) as server,
        chat_with(server.endpoint.removesuffix("/v1")) as chat,
        pytest.raises(ModelError, match=r"answered 404.*ends in /v1"),
    ):
        chat.ask(HELLO, Allowance(SOON_S))


def test_the_end_of_the_protocol_in_the_address_is_named() -> None:
    with (
        ChatServer(say("hello")) as server,
        chat_with(f"{server.endpoint}/chat/completions") as chat,
        pytest.raises(ModelError, match="leave /chat/completions out of the endpoint"),
    ):
        chat.ask(HELLO, Allowance(SOON_S))


def test_a_server_without_tls_is_named() -> None:
    with (
        ChatServer(say("hello")) as server,
        chat_with(server.endpoint.replace("http", "https")) as chat,
        pytest.raises(ModelError, match="it speaks http, not https") as raised,
    ):
        chat.ask(HELLO, Allowance(SOON_S))
    assert raised.value.kind == "unreachable"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_nobody_else_is_asked_where_a_server_points_elsewhere(status: int) -> None:
    with ChatServer(say("hello")) as other:
        elsewhere = f"{other.endpoint}/chat/completions"
        with (
            ChatServer(fail(status, "moved", Location=elsewhere)) as server,
            chat_with(server) as chat,
            pytest.raises(ModelError) as raised,
        ):
            chat.ask(HELLO, Allowance(SOON_S))
    assert raised.value.kind == "rejected"
    assert f"it points to '{elsewhere}': name the endpoint that is there" in str(raised.value)
    assert not other.requests


@pytest.mark.parametrize(
    "endpoint",
    [
        "localhost:11434/v1",
        "ftp://here/v1",
        "http://",
        "http://[::",
        "http://a:b/v1",
        "http://here/v1\n",
        "http://he re/v1",
        "http://\N{SNOWMAN}.invalid/v1",
    ],
)
def test_what_is_no_address_is_refused(endpoint: str) -> None:
    with pytest.raises(ModelError, match="is no address: ") as raised:
        chat_with(endpoint)
    assert raised.value.kind == "rejected"
    assert repr(endpoint) in str(raised.value)


@pytest.mark.parametrize(
    "endpoint", ["http://me:secret@here/v1", "http://here/v1?key=secret", "ftp://secret@here"]
)
def test_secrets_have_no_place_in_an_address_and_are_not_told(endpoint: str) -> None:
    with pytest.raises(ModelError, match="a key belongs into the environment") as raised:
        chat_with(endpoint)
    assert raised.value.kind == "rejected"
    assert "secret" not in str(raised.value)
