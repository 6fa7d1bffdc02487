"""A real browser for tests: Debian's Chromium, driven by playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# A 3D view without a graphics card.
_OPTIONS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]


def find_browser() -> str:
    """The program; skips the test where none is installed."""
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    pytest.skip(f"NOT TESTED in a browser: none of {', '.join(BROWSERS)} is installed")


@contextmanager
def opened_browser() -> Iterator[Any]:
    """playwright's `Browser`."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="NOT TESTED in a browser: playwright is not installed"
    )
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=_OPTIONS)
        yield browser
        browser.close()


def pixel_of(
    place: ArrayLike,
    camera: ArrayLike,
    look_at: ArrayLike,
    fov: float,
    canvas: dict[str, float],
) -> tuple[float, float]:
    """Where a point is on the page.

    Args:
        place, camera, look_at: (3,), world, z up.
        fov: vertical, radians.
        canvas: x, y, width and height of the view on the page.
    """
    forward = np.subtract(look_at, camera)
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    away = np.subtract(place, camera)
    focal_px = 0.5 * canvas["height"] / np.tan(0.5 * fov)
    u = canvas["x"] + 0.5 * canvas["width"] + focal_px * (away @ right) / (away @ forward)
    v = canvas["y"] + 0.5 * canvas["height"] + focal_px * (away @ down) / (away @ forward)
    return float(u), float(v)
