"""Actions on a page of the browser view: looking, clicking and typing."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenemind.memory import MapObject
from tests.waiting import wait_until

_STILL = 5  # pictures, one after the other, of a view in which nothing moves
_FOV = 1.0  # vertical, radians
_PATIENCE_MS = 60_000.0  # drawing is slow on a busy machine without a graphics card


def new_page(browser: Any, width: int = 1000, height: int = 750) -> Any:
    """A blank page with cookies of its own."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(_PATIENCE_MS)
    return page


def open_view(page: Any, address: str, thing: MapObject | None = None) -> None:
    """Wait until the chat is ready; if a thing is given, look at it from above."""
    if thing is not None:
        where = {"initialCameraPosition": _above(thing), "initialCameraLookAt": _beside(thing)}
        query = {name: ",".join(map(str, point)) for name, point in where.items()}
        address = f"{address}?{urlencode({**query, 'initialCameraFov': _FOV})}"
    page.goto(address)
    page.get_by_role("button", name="Send").wait_for()
    page.locator("canvas").first.wait_for()


def say(page: Any, text: str) -> None:
    open_tab(page, "Talk")
    line = page.get_by_label("Say", exact=True)
    line.fill(text)
    line.press("Enter")


def open_tab(page: Any, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


def click_on(page: Any, thing: MapObject) -> None:
    """Click on the top of a thing, in a view opened at it and not moved since."""
    canvas = page.locator("canvas").first.bounding_box()
    top = np.add(thing.box.center, (0.0, 0.0, thing.box.size[2] / 2.0))
    page.mouse.click(*_pixel_of(top, _above(thing), _beside(thing), canvas))


def canvas_of(page: Any) -> NDArray[np.float32]:
    """The 3D view: (H, W, 3)."""
    file = page.locator("canvas").first.screenshot()
    return cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR).astype(np.float32)


def still_canvas_of(page: Any) -> NDArray[np.float32]:
    """The 3D view once all of it is loaded, and nothing moves: as it was in the pictures before."""
    pictures = [canvas_of(page)]

    def is_still() -> bool:
        pictures.append(canvas_of(page))
        return all(np.array_equal(pictures[-1], each) for each in pictures[-_STILL:-1])

    wait_until(lambda: is_still() and len(pictures) >= _STILL)
    return pictures[-1]


def wait_for_marked(page: Any, name: str, object_id: int) -> None:
    """Wait until a thing is the only marked one, by this name."""
    marked = page.get_by_role("group", name="Marked objects")
    marked.get_by_role("button", name=f"{name} {object_id}", exact=True).wait_for()
    marked.get_by_text("1 marked", exact=True).wait_for()


def wait_for_evidence(page: Any) -> None:
    """Wait until the last answer shows a picture that has loaded."""
    page.wait_for_function(
        "() => [...document.querySelectorAll('.turn:last-child .picture img')]"
        ".some(image => image.complete && image.naturalWidth > 0)"
    )


def try_websocket(page: Any, address: str) -> str:
    """The result of a script of the page that opens a WebSocket: "open" or "refused"."""
    told: str = page.evaluate(
        "address => new Promise(done => { const socket = new WebSocket(address);"
        " socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })",
        address.replace("http:", "ws:"),
    )
    return told


def _above(thing: MapObject) -> list[float]:
    return np.add(thing.box.center, (1.0, 0.7, 3.0)).round(3).tolist()


def _beside(thing: MapObject) -> list[float]:
    """A camera that sees the thing beside the middle of the view, where any ray would meet it."""
    return np.add(thing.box.center, (0.4, -0.3, 0.0)).round(3).tolist()


def _pixel_of(
    place: ArrayLike, camera: ArrayLike, look_at: ArrayLike, canvas: dict[str, float]
) -> tuple[float, float]:
    """Pixel of a point on the page.

    Args:
        place, camera, look_at: (3,), world, z up.
        canvas: x, y, width and height of the view on the page.
    """
    forward = np.subtract(look_at, camera)
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    away = np.subtract(place, camera)
    focal_px = 0.5 * canvas["height"] / np.tan(0.5 * _FOV)
    u = canvas["x"] + 0.5 * canvas["width"] + focal_px * (away @ right) / (away @ forward)
    v = canvas["y"] + 0.5 * canvas["height"] + focal_px * (away @ down) / (away @ forward)
    return float(u), float(v)
