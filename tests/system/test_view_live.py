"""`scenemind view --live` in a real browser: running nodes answer, and are corrected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import MapObject, Memory
from tests.chat_server import ChatServer

from .browser import click_on, open_view, say, wait_for_evidence, wait_for_marked
from .running_nodes import ENVIRONMENT, running_nodes
from .served_view import served_view
from .slow_model import see_words_come, stop, think_aloud

pytestmark = [pytest.mark.extras, pytest.mark.browser]
pytest.importorskip("viser")


@pytest.fixture(scope="module", autouse=True)
def _opened(page: Any, memories: Path, table: MapObject) -> Iterator[None]:
    with (
        ChatServer(think_aloud) as server,
        running_nodes(
            memories,
            {"models.language.model": "slow", "models.language.endpoint": server.endpoint},
        ),
        served_view("--live", environment=ENVIRONMENT) as address,
    ):
        open_view(page, address, table)
        yield
    # It was the nodes' memory that was corrected, once, and taken back.
    with Memory.open(memories / "room", SceneMindConfig()) as memory:
        (entry,) = memory.corrections()
    assert (entry.reason, entry.undone) == ("this is a workbench", True)


def test_marked_object_is_renamed_in_the_nodes_memory(
    page: Any, table: MapObject, take_picture: Callable[[Any, str], None]
) -> None:
    click_on(page, table)
    wait_for_marked(page, "dining table", table.object_id)
    say(page, "this is a workbench")
    wait_for_marked(page, "workbench", table.object_id)
    take_picture(page, "live")


def test_correction_is_undone(page: Any, table: MapObject) -> None:
    say(page, "undo that")
    wait_for_marked(page, "dining table", table.object_id)


def test_answer_of_the_nodes_shows_its_evidence(
    page: Any, take_picture: Callable[[Any, str], None]
) -> None:
    say(page, "where is the lamp?")
    page.get_by_text(re.compile("^The lamp .* is ")).wait_for()
    wait_for_evidence(page)
    page.get_by_role("button", name=re.compile("^Fly to frame")).first.wait_for()
    take_picture(page, "live_answer")


def test_a_correction_that_a_slow_model_thinks_about_is_stopped(page: Any) -> None:
    say(page, "make all that is near the lamp sound more cheerful")
    see_words_come(page)
    stop(page)
    say(page, "where is the couch?")
    page.get_by_text(re.compile("^The couch .* is ")).wait_for()
