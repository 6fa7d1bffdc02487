"""The appearance of the view in a real browser with little or much to show, with screenshots of
each case."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser")

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from scenemind.reasoning import Asking, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.surface import ColoredCloud
from scenemind.viewer.viewer import Viewer, ViewerSettings
from tests.unit.viewer.room import map_room
from tests.waiting import wait_until

from .browser import canvas_of, open_tab, open_view

pytestmark = [pytest.mark.extras, pytest.mark.browser]

SMALL, LARGE, PHONE = (1280, 800), (1920, 1080), (390, 844)
LONG_NAMES = (
    "a very long name that somebody gave to this thing because he could",
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenständer",
    "W" * 60,
    "很长的名字" * 12,
)
# What stands out of the window at its right; the names in the picture are cut there.
TOO_FAR_RIGHT = """() => [...document.querySelectorAll("button, label, input, td, b, s, span")]
    .filter(part => part.getBoundingClientRect().right > window.innerWidth)
    .filter(part => !part.closest("#names, #tools, .pictures"))  // tools and pictures scroll
    .map(part => part.textContent)"""

TakePicture = Callable[[Any, str], None]


@contextmanager
def viewed(memory: Memory, page: Any) -> Iterator[Viewer]:
    router = Router(memory, dialogues=Dialogues(1, 6))
    with Viewer(memory, router, Asking, ViewerSettings(port=0), ColoredCloud(20_000)) as viewer:
        viewer.start()
        open_view(page, f"http://127.0.0.1:{viewer.port}/")
        yield viewer


def check_fit(page: Any, take_picture: TakePicture, name: str, size: tuple[int, int]) -> None:
    """Assert that every element lies within the window."""
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(f"window.innerWidth == {width}")
    wait_until(lambda: page.evaluate(TOO_FAR_RIGHT) == [])  # the panel goes after the window
    take_picture(page, f"{name}_{width}")


def test_empty_memory_is_announced(page: Any, take_picture: TakePicture) -> None:
    with Memory.create(None, SceneMindConfig()) as memory, viewed(memory, page):
        page.get_by_text("0 objects").first.wait_for()
        open_tab(page, "Time")
        page.get_by_text("Nothing has been mapped yet").wait_for()
        check_fit(page, take_picture, "empty", SMALL)


def test_boxes_alone_are_in_the_picture(page: Any, take_picture: TakePicture) -> None:
    tree = SceneMindConfig().model_dump()
    tree["store"]["depth_every_px"] = 0
    with Memory.create(None, SceneMindConfig.from_nested(tree)) as memory:
        map_room(memory)
        with viewed(memory, page):
            wait_until(lambda: has_colors(page))
            check_fit(page, take_picture, "no_cloud", SMALL)


def has_colors(page: Any) -> bool:
    """Whether both halves of the picture have colours."""
    is_colored = np.ptp(canvas_of(page), axis=2) > 60.0
    return all(half.sum() > 2000 for half in np.array_split(is_colored, 2, axis=1))


def test_long_names_stay_in_their_places(
    page: Any, memories: Path, take_picture: TakePicture
) -> None:
    with Memory.open(memories / "room", SceneMindConfig()) as memory:
        ids = sorted(memory.snapshot().objects)
        names = itertools.cycle(LONG_NAMES)
        edits = [Edit("rename", (i,), value=name) for i, name in zip(ids, names, strict=False)]
        memory.apply(edits, "somebody with " + LONG_NAMES[2], LONG_NAMES[1])
        with viewed(memory, page) as viewer:
            viewer.mark(ids[:1])
            open_tab(page, "Object")
            page.get_by_text("perceived as").wait_for()
            for size in (SMALL, LARGE, PHONE):
                check_fit(page, take_picture, "long_names", size)
            for tab in ("Talk", "Time", "Classes", "Tree"):
                open_tab(page, tab)
                check_fit(page, take_picture, f"long_names_{tab.lower()}", PHONE)
