"""Pictures of the browser view for the documentation."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.browser import opened_chromium
from benchmarks.visited_room import map_two_visits
from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind.reasoning import Asking, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.viewer.viewer import Viewer, ViewerSettings

_DESKTOP, _PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
_QUESTION = "where is the bowl?"
_EVIDENCE = """() => { const images = [...document.querySelectorAll(".turn .picture img")];
    return images.length && images.every(image => image.complete && image.naturalWidth); }"""
_SURFACE = """() => window.__viserMutable?.nodeRefFromName?.["/surface/mesh"]"""
_PATIENCE_MS = 600_000.0  # on a busy machine without a graphics card
_DRAWN_MS = 4000.0  # without a graphics card a picture of the cloud takes half a second
_QUALITY = 82


def take_view_pictures(folder: Path) -> list[Path]:
    """A room that was visited twice, as a question is answered, its time line, and on a phone; with
    its surface where Open3D is installed.

    Raises:
        UsageError: playwright or Chromium is not installed.
    """
    files = []
    with Memory.create(None, SceneMindConfig()) as memory, opened_chromium() as browser:
        map_two_visits(memory, (640, 480))
        router = Router(memory, dialogues=Dialogues(1, 6))
        settings = ViewerSettings(port=0, title="SceneMind: livingroom")
        with Viewer(memory, router, Asking, settings) as viewer:
            viewer.start()
            page = browser.new_page(viewport=_DESKTOP)
            page.set_default_timeout(_PATIENCE_MS)
            page.goto(f"http://127.0.0.1:{viewer.port}/")
            page.locator("#names .name").first.wait_for()
            if find_spec("open3d") is not None:
                page.wait_for_function(_SURFACE, polling=500)
            page.get_by_label("Say", exact=True).fill(_QUESTION)
            page.get_by_label("Say", exact=True).press("Enter")
            page.wait_for_function(_EVIDENCE, polling=500)
            files.append(_take(page, folder / "view.jpg"))
            page.get_by_role("tab", name="Time").click()
            files.append(_take(page, folder / "view_time.jpg"))
            page.get_by_role("tab", name="Talk").click()
            page.set_viewport_size(_PHONE)
            files.append(_take(page, folder / "view_phone.jpg"))
    return files


def _take(page: Any, file: Path) -> Path:
    page.mouse.move(0, 0)
    page.wait_for_timeout(_DRAWN_MS)
    page.screenshot(path=file, type="jpeg", quality=_QUALITY, timeout=_PATIENCE_MS)
    return file
