"""Fixtures: a room, a browser, and a folder for its screenshots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from benchmarks.browser import opened_chromium
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import MapObject, Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, simulate

from .browser import new_page


@pytest.fixture(scope="session")
def _mapped_room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mapped") / "room"
    sequence, config = simulate(1, 45, Sensors(320, 240)), SceneMindConfig()
    with Memory.create(folder, config) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        for frame in read_sequence(sequence):
            mapper.process(frame)
    return folder


@pytest.fixture(scope="module")
def memories(_mapped_room: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of memories: "room" has seen a simulated room."""
    folder = tmp_path_factory.mktemp("memories")
    copytree(_mapped_room, folder / "room")
    return folder


@pytest.fixture(scope="module")
def table(memories: Path) -> MapObject:
    """The dining table of the room."""
    with Memory.open(memories / "room", SceneMindConfig()) as memory:
        objects = memory.snapshot().objects.values()
        return next(thing for thing in objects if thing.label == "dining table")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """playwright's `Browser`."""
    try:
        with opened_chromium() as browser:
            yield browser
    except UsageError as error:
        pytest.skip(f"NOT TESTED in a browser: {error}")


@pytest.fixture(scope="module")
def page(browser: Any) -> Any:
    """A blank page of the browser."""
    page = new_page(browser)
    page.on("dialog", lambda dialog: pytest.fail(f"the page said {dialog.message}"))
    return page


@pytest.fixture(scope="session")
def take_picture(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Any, str], None]:
    """Save a screenshot of a page under a name, for people to look at."""
    folder = tmp_path_factory.mktemp("pictures")
    return lambda page, name: page.screenshot(path=folder / f"{name}.png")
