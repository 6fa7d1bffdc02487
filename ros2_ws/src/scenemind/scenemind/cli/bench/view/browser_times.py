"""What the view of a building costs in a browser without a graphics card."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from scenemind.cli.bench.view.chromium import opened_chromium
from scenemind.cli.bench.view.server_times import ServedBuilding

_SIZE_PX = {"width": 1280, "height": 800}
_SETTLED_MS = 5000.0
_PICTURES_PER_S = """seconds => new Promise(done => {
    let count = 0;
    const start = performance.now();
    const draw = () => {
        const passed_s = (performance.now() - start) / 1000;
        if (passed_s > seconds) return done(count / passed_s);
        count += 1;
        requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
})"""
_WATCHED_S = 8
_RENDERER = """() => {
    const gl = document.createElement("canvas").getContext("webgl2");
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    return gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
}"""


def browser_times(served: ServedBuilding, rounds: int) -> dict[str, Any]:
    """- `page_s`: until one can type;
    - `pictures_per_s`: of the whole cloud, while nothing moves it;
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
            "pictures_per_s": page.evaluate(_PICTURES_PER_S, _WATCHED_S),
            "mark_ms": median(_mark(page, served, i) for i in _fresh(served, rounds)),
        }


def _mark(page: Any, served: ServedBuilding, object_id: int) -> float:
    start = time.perf_counter()
    served.viewer.mark([object_id])
    page.get_by_text(f"(object {object_id})").wait_for()
    return 1e3 * (time.perf_counter() - start)


def _fresh(served: ServedBuilding, count: int) -> list[int]:
    """Of objects that nobody has spoken of, so that their names are nowhere on the page."""
    return served.object_ids[-count:]
