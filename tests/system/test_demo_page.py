"""The page that `scenemind demo` leaves, opened in a real browser."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import pytest

pytestmark = [pytest.mark.extras, pytest.mark.browser]

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> str:
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    pytest.skip(f"none of {', '.join(BROWSERS)} is installed")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a report on the built-in simulated room."""
    folder = tmp_path_factory.mktemp("demo")
    command = [str(Path(sys.executable).with_name("scenemind")), "demo"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "demo-report"


def open_page(browser: str, page: Path, *options: str) -> str:
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def test_every_step_can_be_read(browser: str, report: Path) -> None:
    document = open_page(browser, report / "index.html", "--dump-dom")
    for step in json.loads((report / "report.json").read_text(encoding="utf-8"))["steps"]:
        assert step["name"] in document


def test_the_page_is_drawn(browser: str, report: Path, tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    open_page(browser, report / "index.html", f"--screenshot={picture}", "--window-size=1200,2000")
    image = cv2.imread(str(picture))
    assert image.shape == (2000, 1200, 3)
    # An empty page has one colour; maps and camera pictures have thousands.
    assert len({tuple(pixel) for pixel in image[::4, ::4].reshape(-1, 3).tolist()}) > 500
