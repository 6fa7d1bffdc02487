"""The system's Chromium, driven by playwright, and times of a building's view in it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from statistics import median
from typing import Any

from benchmarks.view_server import ServedBuilding
from scenemind.errors import UsageError

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Software rendering of the 3D view, to draw in the same way on every machine.
_OPTIONS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]


def get_chromium() -> str:
    """Path of the Chromium program.

    Raises:
        UsageError: Chromium or playwright is not installed; the message names which.
    """
    if find_spec("playwright") is None:
        raise UsageError("playwright is not installed: `pip install playwright`")
    for name in _PROGRAMS:
        if path := shutil.which(name):
            return path
    raise UsageError(f"none of {', '.join(_PROGRAMS)} is installed")


@contextmanager
def opened_chromium() -> Iterator[Any]:
    """Start a headless Chromium; a `Browser` of playwright.

    Raises:
        UsageError: Chromium or playwright is not installed; the message names which.
    """
    program = get_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        yield browser
        browser.close()


_SIZE_PX = {"width": 1280, "height": 800}
_SETTLED_MS = 5000.0
_COUNT = """() => {
    window.pictures = 0;
    const draw = () => { window.pictures += 1; requestAnimationFrame(draw); };
    requestAnimationFrame(draw);
}"""
_TURNED_S = 6.0
_RENDERER = """() => {
    const gl = document.createElement("canvas").getContext("webgl2");
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    return gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
}"""


def browser_times(served: ServedBuilding, rounds: int) -> dict[str, Any]:
    """Times of the view in Chromium.

    - `page_s`: until the page accepts input; `names_s`: until the picture has names;
    - `pictures_per_s`: frame rate while the view is turned by dragging;
    - `mark_ms`: from marking an object until the panel shows it;
    - `renderer`: name of the renderer, without a graphics card.

    Raises:
        UsageError: Chromium or playwright is not installed.
    """
    with opened_chromium() as browser:
        page = browser.new_page(viewport=_SIZE_PX)
        page.set_default_timeout(120_000.0)
        start = time.perf_counter()
        page.goto(f"http://127.0.0.1:{served.viewer.port}/")
        page.get_by_role("button", name="Send").wait_for()
        page_s = time.perf_counter() - start
        page.locator(".name").first.wait_for()
        names_s = time.perf_counter() - start
        page.wait_for_timeout(_SETTLED_MS)
        return {
            "renderer": page.evaluate(_RENDERER),
            "page_s": page_s,
            "names_s": names_s,
            "pictures_per_s": _pictures_per_s(page),
            "mark_ms": median(_mark(page, served, i) for i in _fresh(served, rounds)),
        }


def _pictures_per_s(page: Any) -> float:
    x, y = _SIZE_PX["width"] / 3.0, _SIZE_PX["height"] / 2.0
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(_COUNT)
    start, steps = time.perf_counter(), 0
    while (passed_s := time.perf_counter() - start) < _TURNED_S:
        steps += 1
        page.mouse.move(x + steps % 200, y)  # returns when the page has taken it
    count: int = page.evaluate("window.pictures")
    page.mouse.up()
    return count / passed_s


def _mark(page: Any, served: ServedBuilding, object_id: int) -> float:
    start = time.perf_counter()
    served.viewer.mark([object_id])
    page.locator(f"#marks [data-object='{object_id}']").wait_for()
    return 1e3 * (time.perf_counter() - start)


def _fresh(served: ServedBuilding, count: int) -> list[int]:
    """Ids of objects without corrections: their new names are not on the page yet."""
    return served.object_ids[-count:]
