"""The library's wheel in an empty environment does what the tutorial says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.extras, pytest.mark.slow]  # it installs packages


_NOT_SOURCES = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")


def run(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, "PYTHONPATH": "", **environment},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_tutorial_runs_from_the_wheel(repository: Path, tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
    # A copy: setuptools builds beside the sources.
    source = shutil.copytree(
        repository / "ros2_ws/src/scenemind", tmp_path / "source", ignore=_NOT_SOURCES
    )
    run(*pip, "wheel", "--no-deps", "-w", tmp_path, source)
    (wheel,) = tmp_path.glob("scenemind-*.whl")
    run(sys.executable, "-m", "venv", tmp_path / "empty")
    python = tmp_path / "empty" / "bin" / "python"
    constraints = repository / "requirements/constraints.txt"
    run(python, "-m", "pip", "-q", "install", "-c", constraints, wheel)

    tutorial = (repository / "docs/tutorial.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```", tutorial, re.MULTILINE | re.DOTALL)
    home = {"SCENEMIND_HOME": str(tmp_path / "home")}
    said = run(python, "-c", program, **home)
    assert "couch" in said
    assert "bench" in said

    scenemind = python.with_name("scenemind")
    version = wheel.name.split("-")[1]
    assert run(scenemind, "--version").strip() == f"scenemind {version}"
    assert "chair" in run(
        scenemind, "ask", "how many chairs are there?", "--memory", "room", **home
    )
