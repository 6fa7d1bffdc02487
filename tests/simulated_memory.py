"""A memory that has seen a simulated room."""

from __future__ import annotations

from pathlib import Path

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, simulate


def stored_room(folder: Path, frames: int = 60, width: int = 320) -> Path:
    """The folder of the memory.

    Args:
        width: of the images, in pixels.
    """
    sequence = simulate(1, frames, Sensors(width, width * 3 // 4))
    config = SceneMindConfig()
    with Memory.create(folder, config) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        for frame in read_sequence(sequence):
            mapper.process(frame)
    return folder
