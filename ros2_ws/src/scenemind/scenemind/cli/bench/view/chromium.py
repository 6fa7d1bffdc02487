"""A real browser without a window: the system's Chromium, driven by playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from scenemind.cli.errors import CommandError

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# A 3D view without a graphics card, as it draws on every machine.
_OPTIONS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]


def get_chromium() -> str:
    """The program.

    Raises:
        CommandError: it, or playwright, is not installed; says which.
    """
    if find_spec("playwright") is None:
        raise CommandError("playwright is not installed: `pip install playwright`")
    for name in _PROGRAMS:
        if path := shutil.which(name):
            return path
    raise CommandError(f"none of {', '.join(_PROGRAMS)} is installed")


@contextmanager
def opened_chromium() -> Iterator[Any]:
    """playwright's `Browser`.

    Raises:
        CommandError: it, or playwright, is not installed; says which.
    """
    program = get_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        yield browser
        browser.close()
