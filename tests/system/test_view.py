"""`scenemind view` in a real browser: look, click, ask, correct, take back, fly."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Edit, MapObject, Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import simulate
from tests.waiting import wait_until

from .browser import opened_browser, pixel_of

pytestmark = [pytest.mark.extras, pytest.mark.browser]
pytest.importorskip("viser")

SCENEMIND = (sys.executable, "-m", "scenemind.cli.main")
EVIL = "<img src=x onerror=alert(1)>"
FOV = 1.0


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated room, in which a person has called something by a name that a page must not
    obey."""
    folder = tmp_path_factory.mktemp("view")
    sequence, config = simulate(1, 45, 320, 240), SceneMindConfig()
    with Memory.create(folder / "room", config) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        for frame in read_sequence(sequence):
            mapper.process(frame)
        shelf = named(memory, "bookshelf")
        memory.apply([Edit("rename", (shelf.object_id,), value=EVIL)], "the test", "evil")
    return folder


def open_room(folder: Path) -> Memory:
    return Memory.open(folder / "room", SceneMindConfig())


def named(memory: Memory, label: str) -> MapObject:
    objects = memory.snapshot().objects.values()
    return next(thing for thing in objects if thing.label == label)


@pytest.fixture(scope="module")
def table(memories: Path) -> MapObject:
    with open_room(memories) as memory:
        return named(memory, "dining table")


@pytest.fixture(scope="module")
def address(memories: Path, table: MapObject) -> Iterator[str]:
    """Where the view is served; it ends cleanly when it is interrupted, and all stays corrected."""
    command = [*SCENEMIND, "view", "room", "--memory-root", str(memories), "--port", "0"]
    view = subprocess.Popen([*command, "--no-browser"], stdout=subprocess.PIPE, text=True)
    assert view.stdout is not None
    try:
        line = view.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert found, line
        yield found[0]
    finally:
        view.send_signal(signal.SIGINT)
        status = view.wait(30.0)
    assert status == 0
    with open_room(memories) as memory:
        assert memory.snapshot().objects[table.object_id].label == "workbench"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def page(browser: Any, address: str, table: MapObject) -> Any:
    """Looks at the table from above."""
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.on("dialog", lambda dialog: pytest.fail(f"the page said {dialog.message}"))
    where = {"initialCameraPosition": from_above(table), "initialCameraLookAt": aside(table)}
    query = {name: ",".join(map(str, point)) for name, point in where.items()}
    page.goto(f"{address}?{urlencode({**query, 'initialCameraFov': FOV})}")
    page.get_by_role("button", name="Send").wait_for()
    return page


def from_above(table: MapObject) -> list[float]:
    return np.add(table.box.center, (1.0, 0.7, 3.0)).round(3).tolist()


def aside(table: MapObject) -> list[float]:
    """So that the table is not in the middle, where any ray would meet it."""
    return np.add(table.box.center, (0.4, -0.3, 0.0)).round(3).tolist()


def say(page: Any, text: str) -> None:
    line = page.get_by_role("textbox").first
    line.fill(text)
    line.press("Enter")


def test_a_click_on_a_thing_marks_it(page: Any, table: MapObject) -> None:
    canvas = page.locator("canvas").first.bounding_box()
    top = np.add(table.box.center, (0.0, 0.0, table.box.size[2] / 2.0))
    page.get_by_text("Click a thing in the picture").wait_for()
    page.mouse.click(*pixel_of(top, from_above(table), aside(table), FOV, canvas))
    page.get_by_text(f"dining table (object {table.object_id})").wait_for()


def test_what_is_marked_is_called_otherwise_and_back(page: Any, table: MapObject) -> None:
    say(page, "this is a workbench")
    page.get_by_text(f"workbench (object {table.object_id}), corrected").wait_for()
    page.get_by_text("perceived as").wait_for()
    page.get_by_role("tab", name="History").click(force=True)
    page.get_by_text("rename workbench").wait_for()
    page.get_by_role("button", name="2", exact=True).click()  # undo: the first is the evil name
    page.get_by_role("tab", name="Object").click(force=True)
    page.get_by_text(f"dining table (object {table.object_id})").wait_for()
    page.get_by_role("tab", name="History").click(force=True)
    page.get_by_text("Redo").wait_for()
    page.get_by_role("button", name="2", exact=True).click()
    page.get_by_role("tab", name="Object").click(force=True)
    page.get_by_text(f"workbench (object {table.object_id}), corrected").wait_for()


def test_an_answer_shows_what_it_rests_on_and_one_can_fly_there(page: Any) -> None:
    say(page, "where is the lamp?")
    page.get_by_text(re.compile("^The lamp .* is ")).wait_for()
    page.locator("img[src^='data:image/jpeg']").first.wait_for()
    before = look(page)
    page.get_by_role("button", name=re.compile("^frame [0-9]+$")).first.click()
    # From below the ceiling to eye level: little stays where it was in the picture.
    wait_until(lambda: np.mean(np.abs(look(page) - before) > 40.0) > 0.2)


def look(page: Any) -> NDArray[np.float32]:
    """The 3D view: (H, W, 3)."""
    file = page.locator("canvas").first.screenshot()
    return cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR).astype(np.float32)


def test_neighbors_can_be_marked(page: Any) -> None:
    page.get_by_role("button", name=re.compile("^side table [0-9]+$")).first.click()
    page.get_by_text(re.compile(r"^side table \(object")).wait_for()


def test_two_people_type_in_lines_of_their_own_and_read_the_same(
    browser: Any, page: Any, address: str
) -> None:
    other = browser.new_page(viewport={"width": 900, "height": 700})
    other.goto(address)
    other.get_by_role("button", name="Send").wait_for()
    other.get_by_text("where is the lamp?").wait_for()  # what was said before
    line = other.get_by_role("textbox").first
    line.fill("how many chairs are there?")
    assert page.get_by_role("textbox").first.input_value() == ""
    say(page, "what color is the couch?")
    line.press("Enter")
    for reader in (page, other):
        reader.get_by_text("how many chairs are there?").wait_for()
        reader.get_by_text("what color is the couch?").wait_for()
        reader.get_by_text(re.compile("^There (is|are) .* chair")).wait_for()
        reader.get_by_text(re.compile("^The couch .* is grey")).wait_for()
    other.close()


def test_names_are_not_obeyed(page: Any) -> None:
    page.get_by_role("tab", name="Find").click(force=True)
    page.get_by_text("img src=x onerror=alert(1)").first.wait_for()
    line = page.get_by_role("textbox").nth(1)
    line.fill("onerror")
    line.press("Enter")
    say(page, "where is the <img src=y onerror=alert(2)>?")
    page.get_by_text("img src=y onerror=alert(2)").first.wait_for()
    assert page.locator("img[src=x], img[src=y]").count() == 0


def test_a_page_of_another_site_gets_nothing(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto("data:text/html,<title>another site</title>")
    told = page.evaluate(
        "address => new Promise(done => { const socket = new WebSocket(address);"
        " socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })",
        address.replace("http:", "ws:"),
    )
    assert told == "refused"
