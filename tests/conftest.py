"""What every test may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parents[1]

# rclpy turns a wrongly typed field into garbage unless this is set before it is imported.
os.environ.setdefault("ROS_PYTHON_CHECK_FIELDS", "1")
# Two test runs on one machine must not hear each other. Above 101 a domain's ports can collide
# with those that the system hands out.
os.environ.setdefault("ROS_DOMAIN_ID", str(1 + os.getpid() % 101))
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

# The same examples in every run; `--hypothesis-profile=default` looks for new ones.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where memories, and what models used, are kept where a test names no other place."""
    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCENEMIND_HOME", str(path))
        yield path


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of recorded sequences, weights and annotations, which not every machine has."""
    default = REPOSITORY.parent / "shared" / "data"
    path = Path(os.environ.get("SCENEMIND_SHARED_DATA", default))
    if not path.is_dir():
        pytest.skip(f"no recorded data at {path}; set SCENEMIND_SHARED_DATA to its folder")
    return path
