"""What the view of a building costs in a browser without a graphics card."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from scenemind.cli.bench.view.chromium import opened_chromium
from scenemind.cli.bench.view.server_times import ServedBuilding

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
    """- `page_s`: until one can type;
    - `pictures_per_s`: while somebody turns the view by dragging;
    - `mark_ms`: from marking an object until the panel shows it;
    - `renderer`: what drew, without a graphics card.

    Raises:
        CommandError: there is no Chromium, or no playwright.
    """
    with opened_chromium() as browser:
        page = browser.new_page(viewport=_SIZE_PX)
        page.set_default_timeout(120_000.0)
        start = time.perf_counter()
        page.goto(f"http://127.0.0.1:{served.viewer.port}/")
        page.get_by_role("button", name="Send").wait_for()
        page_s = time.perf_counter() - start
        page.wait_for_timeout(_SETTLED_MS)
        return {
            "renderer": page.evaluate(_RENDERER),
            "page_s": page_s,
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
    page.get_by_text(f"(object {object_id})").wait_for()
    return 1e3 * (time.perf_counter() - start)


def _fresh(served: ServedBuilding, count: int) -> list[int]:
    """Of objects that nobody has spoken of, so that their names are nowhere on the page."""
    return served.object_ids[-count:]
