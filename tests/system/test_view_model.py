"""`scenemind view` with a slow model in a real browser: streamed words, and *Stop*."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer

from .browser import open_view, say
from .served_view import served_view
from .slow_model import see_words_come, stop, think_aloud

pytestmark = [pytest.mark.extras, pytest.mark.browser]
pytest.importorskip("viser")

# The map alone does not answer this.
QUESTION = "which of the chairs would a giant like best?"


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(think_aloud) as server:
        yield server


@pytest.fixture(scope="module", autouse=True)
def _opened(page: Any, memories: Path, server: ChatServer) -> Iterator[None]:
    arguments = ("--memory", "room", "--memory-root", str(memories))
    models = ("--model", "slow", "--endpoint", server.endpoint)
    with served_view(*arguments, *models) as address:
        open_view(page, address)
        yield


def test_words_are_seen_while_they_are_written(
    page: Any, server: ChatServer, take_picture: Callable[[Any, str], None]
) -> None:
    say(page, QUESTION)
    see_words_come(page)
    assert server.requests[-1].is_streamed
    take_picture(page, "thinking")


def test_stop_ends_the_question_and_the_view_goes_on(
    page: Any, take_picture: Callable[[Any, str], None]
) -> None:
    stop(page)
    take_picture(page, "stopped")
    say(page, "where is the lamp?")
    page.get_by_text(re.compile("^The lamp .* is ")).wait_for()
