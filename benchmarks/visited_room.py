"""A simulated room that was visited twice; things were moved between the visits."""

from __future__ import annotations

from dataclasses import replace

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, simulate

_HOUR_NS = 3_600_000_000_000
_SEED, _FRAMES, _CHANGES = 3, 120, 4


def map_two_visits(memory: Memory, size_px: tuple[int, int] = (320, 240)) -> None:
    """Map the room into a memory, and once more an hour later."""
    sequence = simulate(_SEED, _FRAMES, Sensors(*size_px), loops=2, changes=_CHANGES)
    mapper = Mapper(InstanceCamera(sequence.class_names), memory, SceneMindConfig())
    for number, frame in enumerate(read_sequence(sequence)):
        later_ns = _HOUR_NS if number >= _FRAMES // 2 else 0
        mapper.process(replace(frame, stamp_ns=frame.stamp_ns + later_ns))
    memory.flush()
