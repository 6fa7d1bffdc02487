"""A simulated room in a memory, with the truth about every frame beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.protocols import Detector
from scenemind.perception.types import Detections
from scenemind.simulation import (
    Question,
    SimulatedSequence,
    make_questions,
    match_objects,
    simulate,
)

_SIZE_PX = 320, 240
# As 60 and 400 pixels of 640x480, which the instance camera and the other benches take.
_DETECTED_PX, VISIBLE_PX = 15, 100
_SEEN_FRAMES = 5


@dataclass(frozen=True, slots=True, eq=False)
class MappedRoom:
    """
    Attributes:
        pixels: (frames, instances + 1) int32: how many pixels of each frame show each instance; 0
            stands for walls, floor and ceiling.
        detections: what the detector said of each frame.
        object_of: instance id -> the map's object for it.
        location_of: frame number -> location id, of the frames.
    """

    sequence: SimulatedSequence
    memory: Memory
    detector_name: str
    pixels: NDArray[np.int32]
    detections: Mapping[int, Detections]
    object_of: Mapping[int, int]
    location_of: Mapping[int, int]

    def shows(self, frame_number: int, instance_id: int) -> bool:
        """Whether enough of an object can be seen in a frame."""
        return bool(self.pixels[frame_number, instance_id] >= VISIBLE_PX)

    def questions(self) -> list[Question]:
        """Those about one object that was seen well."""
        seen = np.flatnonzero((self.pixels >= VISIBLE_PX).sum(axis=0) >= _SEEN_FRAMES)
        asked = make_questions(self.sequence.room, frozenset(seen.tolist()))
        return [question for question in asked if len(question.target_ids) == 1]


@contextmanager
def mapped_room(seed: int, frames: int, noise: bool) -> Iterator[MappedRoom]:
    """Drive through a room and map it.

    Args:
        noise: let the detector err.
    """
    sequence = simulate(seed, frames, *_SIZE_PX)
    detector: Detector = InstanceCamera(sequence.class_names, _DETECTED_PX)
    if noise:
        detector = NoisyDetector(detector, DetectorNoise(), seed)
    config = SceneMindConfig()
    pixels = np.zeros((frames, max(sequence.class_names) + 1), np.int32)
    detections = {}
    with Memory.create(None, config) as memory:
        mapper = Mapper(detector, memory, config)
        for frame in read_sequence(sequence):
            assert frame.instances is not None
            report = mapper.process(frame)
            detections[report.frame_number] = report.detections
            pixels[report.frame_number] = np.bincount(
                frame.instances.ravel(), minlength=pixels.shape[1]
            )
            memory.flush()  # frames come faster here than from a camera: none is dropped
        table = match_objects(memory.snapshot().objects.values(), sequence.room)
        yield MappedRoom(
            sequence,
            memory,
            detector.name,
            pixels,
            detections,
            {instance: object_id for object_id, instance in table.instance_of.items()},
            _locations(memory),
        )


def _locations(memory: Memory) -> dict[int, int]:
    found = {}
    for location in memory.tree():
        first, last = location.frame_numbers
        found.update(dict.fromkeys(range(first, last + 1), location.location_id))
    return found
