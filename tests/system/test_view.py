"""`scenemind view` in a real browser: look, click, ask, correct, take back, fly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, MapObject, Memory
from tests.waiting import wait_until

from .browser import (
    canvas_of,
    click_on,
    new_page,
    open_tab,
    open_view,
    say,
    still_canvas_of,
    try_websocket,
    wait_for_evidence,
    wait_for_marked,
)
from .served_view import served_view

pytestmark = [pytest.mark.extras, pytest.mark.browser]
pytest.importorskip("viser")

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def address(memories: Path, table: MapObject) -> Iterator[str]:
    """The address of a served room with an object whose name is HTML that a page must not run.
    In the end all corrections are stored."""
    with open_room(memories) as memory:
        objects = memory.snapshot().objects.values()
        shelf = next(thing for thing in objects if thing.label == "bookshelf")
        memory.apply([Edit("rename", (shelf.object_id,), value=EVIL)], "the test", "evil")
    with served_view("--memory", "room", "--memory-root", str(memories)) as address:
        assert address.startswith("http://127.0.0.1:")
        yield address
    with open_room(memories) as memory:
        assert memory.snapshot().objects[table.object_id].label == "workbench"


def open_room(folder: Path) -> Memory:
    return Memory.open(folder / "room", SceneMindConfig())


@pytest.fixture(scope="module", autouse=True)
def _opened(page: Any, address: str, table: MapObject) -> None:
    open_view(page, address, table)


def test_a_click_on_a_thing_marks_it(page: Any, table: MapObject) -> None:
    page.get_by_text("Nothing is marked").wait_for()
    page.locator("#names .name").first.wait_for()
    click_on(page, table)
    wait_for_marked(page, "dining table", table.object_id)


def test_marked_object_is_renamed_and_renamed_back(page: Any, table: MapObject) -> None:
    say(page, "this is a workbench")
    wait_for_marked(page, "workbench", table.object_id)
    open_tab(page, "Object")
    page.get_by_text("perceived as").wait_for()
    open_tab(page, "Time")
    page.get_by_text(re.compile("dining table .* is called workbench")).wait_for()
    page.get_by_role("button", name="undo 2", exact=True).click()  # the first is the evil name
    wait_for_marked(page, "dining table", table.object_id)
    page.get_by_role("button", name="redo 2", exact=True).click()
    wait_for_marked(page, "workbench", table.object_id)


def test_answer_shows_its_evidence_and_the_view_flies_there(
    page: Any, take_picture: Callable[[Any, str], None]
) -> None:
    page.get_by_role("button", name="Whole place").click()
    say(page, "where is the lamp?")
    page.get_by_text(re.compile("^The lamp .* is ")).last.wait_for()
    wait_for_evidence(page)
    take_picture(page, "answer")
    before = still_canvas_of(page)
    page.get_by_role("button", name=re.compile("^Fly to frame")).first.click()
    # From below the ceiling to eye level: little stays where it was in the picture.
    wait_until(lambda: np.mean(np.abs(canvas_of(page) - before) > 40.0) > 0.2)
    page.get_by_role("button", name="Whole place").click()
    wait_until(lambda: np.mean(np.abs(canvas_of(page) - before) > 40.0) < 0.05)


def test_neighbors_can_be_marked(page: Any) -> None:
    open_tab(page, "Object")
    related = page.locator("#about").get_by_role("button", name=re.compile("^side table [0-9]+$"))
    related.first.click()
    page.locator("#about h2").get_by_text(re.compile(r"^side table")).wait_for()


def test_two_people_have_lines_of_their_own_and_one_log(
    browser: Any, page: Any, address: str
) -> None:
    other = new_page(browser, 900, 700)
    open_view(other, address)
    other.get_by_text("where is the lamp?").first.wait_for()  # what was said before
    line = other.get_by_label("Say", exact=True)
    line.fill("how many chairs are there?")
    assert page.get_by_label("Say", exact=True).input_value() == ""
    say(page, "what color is the couch?")
    line.press("Enter")
    for reader in (page, other):
        reader.get_by_text("how many chairs are there?").wait_for()
        reader.get_by_text("what color is the couch?").wait_for()
        reader.get_by_text(re.compile("^There (is|are) .* chair")).wait_for()
        reader.get_by_text(re.compile("^The couch .* is grey")).wait_for()
    other.close()


def test_html_in_names_is_not_run(page: Any) -> None:
    open_tab(page, "Classes")
    page.locator("#legend").get_by_text("img src=x").wait_for()
    say(page, "where is the <img src=y onerror=alert(2)>?")
    page.get_by_text("img src=y onerror=alert(2)").first.wait_for()
    assert page.locator("img[src=x], img[src=y]").count() == 0


def test_a_page_of_another_site_gets_nothing(browser: Any, address: str) -> None:
    page = new_page(browser)
    page.goto("data:text/html,<title>another site</title>")
    assert try_websocket(page, address) == "refused"
