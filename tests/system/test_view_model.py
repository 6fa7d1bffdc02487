"""`scenemind view` with a slow model in a real browser: its words come in, and *Stop* is obeyed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.chat_exchange import Exchange
from tests.chat_server import ChatServer
from tests.waiting import wait_until

from .browser import open_view, say
from .served_view import served_view

pytestmark = [pytest.mark.extras, pytest.mark.browser]
pytest.importorskip("viser")

WORD_S = 0.05
THOUGHT = re.compile(r"\bthought([0-9]+)\b")
# Nobody can answer this by the map alone.
QUESTION = "which of the chairs would a giant like best?"


def think_aloud(exchange: Exchange) -> None:
    """A word after the other, without an end, as methods have models think."""
    exchange.begin_stream()
    exchange.stream({"content": '{"think": "'})
    for number in count(1):
        if exchange.released.wait(WORD_S):
            exchange.hang_up()
            return
        exchange.stream({"content": f"thought{number} "})


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(think_aloud) as server:
        yield server


@pytest.fixture(scope="module", autouse=True)
def _opened(page: Any, memories: Path, server: ChatServer) -> Iterator[None]:
    arguments = ("room", "--memory-root", str(memories))
    models = ("--model", "slow", "--endpoint", server.endpoint)
    with served_view(*arguments, *models) as address:
        open_view(page, address)
        yield


def test_words_are_seen_while_they_are_written(
    page: Any, server: ChatServer, take_picture: Callable[[Any, str], None]
) -> None:
    say(page, QUESTION)
    page.get_by_text(THOUGHT).wait_for()
    assert server.requests[-1].is_streamed
    for _ in range(3):  # it goes on while one looks
        before = last_thought(page)
        wait_until(lambda before=before: last_thought(page) > before)
    take_picture(page, "thinking")


def last_thought(page: Any) -> int:
    return int(THOUGHT.findall(page.get_by_text(THOUGHT).inner_text())[-1])


def test_stop_ends_it_and_the_view_goes_on(
    page: Any, take_picture: Callable[[Any, str], None]
) -> None:
    stop = page.get_by_role("button", name="Stop")
    stop.click()
    stop.wait_for(state="hidden")
    assert page.get_by_text(THOUGHT).count() == 0
    take_picture(page, "stopped")
    say(page, "where is the lamp?")
    page.get_by_text(re.compile("^The lamp .* is ")).wait_for()
