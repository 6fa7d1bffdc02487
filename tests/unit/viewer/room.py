"""Small rooms to look at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import Box3D
from scenemind.mapping import Mapper
from scenemind.memory import MapObject, Memory, MemorySnapshot, Relation
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, SimulatedSequence, simulate

NO_POINTS = np.zeros((0, 3), np.float32)


def make_thing(
    object_id: int,
    label: str,
    center: tuple[float, float, float],
    size: tuple[float, float, float] = (0.4, 0.4, 0.4),
    points: NDArray[np.float32] = NO_POINTS,
) -> MapObject:
    return MapObject(
        object_id=object_id,
        label=label,
        perceived_label=label,
        attributes={"color": "red"},
        confidence=0.9,
        box=Box3D(center, size),
        points=points,
        first_seen_ns=0,
        last_seen_ns=10,
        observation_count=7,
        track_ids=(object_id,),
    )


def make_scene(*things: MapObject, relations: tuple[Relation, ...] = ()) -> MemorySnapshot:
    return MemorySnapshot(
        revision=1,
        stamp_ns=10,
        objects={thing.object_id: thing for thing in things},
        relations=relations,
        world_T_camera=None,
    )


def map_room(memory: Memory, frame_count: int = 24) -> SimulatedSequence:
    """Put a simulated room into a memory."""
    sequence = simulate(1, frame_count, Sensors(160, 120))
    mapper = Mapper(InstanceCamera(sequence.class_names), memory, SceneMindConfig())
    for frame in read_sequence(sequence):
        mapper.process(frame)
    memory.flush()
    return sequence
