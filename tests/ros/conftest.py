"""The tests of this folder import rclpy, which needs libraries named before Python starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.ros_environment import ros_environment
from scenemind.simulation import Sensors, simulate

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
    folder = tmp_path_factory.mktemp("rooms") / "room"
    sequence = simulate(1, 60, Sensors(320, 240))
    config = SceneMindConfig()
    with Memory.create(folder, config) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        for frame in read_sequence(sequence):
            mapper.process(frame)
    return folder


@pytest.fixture
def graph() -> Iterator[RosGraph]:
    """An empty ROS graph that no other test or process hears."""
    from .graph import RosGraph

    graph = RosGraph()
    yield graph
    graph.close()
