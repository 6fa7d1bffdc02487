"""The tests of this folder import rclpy, which needs libraries named before Python starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scenemind.ros_environment import ros_environment
from tests import simulated_memory

if TYPE_CHECKING:
    from .graph import RosGraph

_NEEDED = ros_environment()
for _name in ("LD_LIBRARY_PATH", "PYTHONPATH", "AMENT_PREFIX_PATH"):
    if _NEEDED[_name] != os.environ.get(_name):
        raise pytest.UsageError(
            f"tests/ros needs the ROS environment ({_name} is not set for it). "
            'Run `make test`, or `make test ARGS="tests/ros -k something"`, '
            "or `pytest tests/unit` for the rest"
        )


@pytest.fixture(scope="session")
def stored_room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a memory that has seen a simulated room; take a copy before changing it."""
    return simulated_memory.stored_room(tmp_path_factory.mktemp("rooms") / "room")


@pytest.fixture
def graph() -> Iterator[RosGraph]:
    """An empty ROS graph that no other test or process hears."""
    from .graph import RosGraph

    graph = RosGraph()
    yield graph
    graph.close()
