"""What `colcon test` runs: the repository's tests of the nodes, each file in a process of its own,
in the environment that rclpy needs before Python starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve()
# Not there where the package is built outside its repository.
_REPOSITORY = next((f for f in _HERE.parents if (f / "tests" / "ros").is_dir()), None)
_IN_ROS = ("-m", "scenemind.ros_environment", "--")
_FILES = sorted((_REPOSITORY / "tests" / "ros").glob("test_*.py")) if _REPOSITORY else []


@pytest.mark.skipif(_REPOSITORY is None, reason="the repository with the tests is not around it")
@pytest.mark.parametrize("file", _FILES, ids=lambda file: file.stem)
def test_nodes(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, *_IN_ROS, sys.executable, "-m", "pytest", "-q", str(file)],
        cwd=_REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    nothing_to_run = 5
    assert done.returncode in (0, nothing_to_run), done.stdout
