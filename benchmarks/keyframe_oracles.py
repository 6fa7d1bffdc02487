"""A mapped room with ground truth, and stand-ins for models and encoders that know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from benchmarks.simulated_encoder import SimulatedEncoder
from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.frames.images import decode_color_file
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.models import Allowance, ChatMessage, ChatReply, OnText, Tool, Usage
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.protocols import Detector
from scenemind.perception.types import Detections
from scenemind.reasoning.memtree_qa.baseline_selectors import TargetClasses
from scenemind.reasoning.memtree_qa.tree_selector import ChosenLocation, LocationChoice
from scenemind.simulation import (
    Question,
    Sensors,
    SimulatedSequence,
    make_questions,
    match_objects,
    simulate,
)

_SIZE_PX = 320, 240
# Equal to 60 and 400 pixels of 640x480, the values of the instance camera and the other benches.
_DETECTED_PX, VISIBLE_PX = 15, 100
_SEEN_FRAMES = 5


@dataclass(frozen=True, slots=True, eq=False)
class MappedRoom:
    """A mapped room with ground truth.

    Attributes:
        pixels: (frames, instances + 1) int32: number of pixels of each instance in each frame; 0
            stands for walls, floor and ceiling.
        detections: those of the detector in each frame.
        object_of: instance id -> matching object of the map.
        location_of: frame number -> location id.
    """

    sequence: SimulatedSequence
    memory: Memory
    detector_name: str
    pixels: NDArray[np.int32]
    detections: Mapping[int, Detections]
    object_of: Mapping[int, int]
    location_of: Mapping[int, int]

    def shows(self, frame_number: int, instance_id: int) -> bool:
        """Whether a frame shows enough of an object."""
        return bool(self.pixels[frame_number, instance_id] >= VISIBLE_PX)

    def questions(self) -> list[Question]:
        """Questions about one object that was well visible."""
        seen = np.flatnonzero((self.pixels >= VISIBLE_PX).sum(axis=0) >= _SEEN_FRAMES)
        asked = make_questions(self.sequence.room, frozenset(seen.tolist()))
        return [question for question in asked if len(question.target_ids) == 1]


@contextmanager
def mapped_room(seed: int, frames: int, noise: bool) -> Iterator[MappedRoom]:
    """Drive through a room and map it.

    Args:
        noise: let the detector err.
    """
    sequence = simulate(seed, frames, Sensors(*_SIZE_PX))
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
            memory.flush()  # frames come faster here than from a camera: drop none
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


_CUES = 3  # frames of a location
_ENCODER_NOISE = 0.5


class Oracle:
    """A `ChatModel` with an answer that is fixed before the request."""

    name = "oracle (knows the truth)"

    def __init__(self, answer: BaseModel) -> None:
        self._text = answer.model_dump_json()

    def ask(
        self,
        messages: Sequence[ChatMessage],  # noqa: ARG002
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),  # noqa: ARG002
    ) -> ChatReply:
        """See `ChatModel`."""
        allowance.check()
        if on_text is not None:
            on_text(self._text)
        return ChatReply(self._text, self.name, Usage(calls=1), 0.0)


def location_oracle(room: MappedRoom, question: Question, count: int) -> Oracle:
    """An oracle that picks the locations whose frames show most of the asked object, and names it
    and the other objects that they show most of; if fewer than `count` locations show it, adds
    their neighbours."""
    (asked,) = question.target_ids
    most: dict[int, int] = {}
    for frame, location in room.location_of.items():
        most[location] = max(most.get(location, 0), int(room.pixels[frame, asked]))
    best = sorted(most, key=lambda location: (-most[location], location))
    chosen = best[: min(count, len(best))]
    return Oracle(
        LocationChoice(
            think="the locations whose frames show most of it",
            locations=[_chosen(room, location, asked) for location in chosen],
        )
    )


def class_oracle(room: MappedRoom, question: Question) -> Oracle:
    """An oracle that answers with the class of the asked object."""
    label = room.sequence.room.get_object(question.target_ids[0]).label
    return Oracle(TargetClasses(think="the class of the asked object", classes=[label]))


def _chosen(room: MappedRoom, location: int, asked: int) -> ChosenLocation:
    there = [frame for frame, place in room.location_of.items() if place == location]
    shown = room.pixels[there].max(axis=0)
    around = [int(i) for i in np.argsort(-shown, kind="stable") if i not in (0, asked) and shown[i]]
    cues = [room.object_of[i] for i in around if i in room.object_of][:_CUES]
    keys = [room.object_of[asked]] if asked in room.object_of else []
    return ChosenLocation(location=location, key_objects=keys, cue_objects=cues)


class RememberedDetector:
    """An `OpenVocabularyDetector` with the stored detections of each frame, limited to the
    requested classes."""

    def __init__(self, room: MappedRoom) -> None:
        self.name = room.detector_name
        self.vocabulary: tuple[str, ...] = ()
        self._said = room.detections

    def set_vocabulary(self, classes: Sequence[str]) -> None:
        """See `OpenVocabularyDetector`."""
        self.vocabulary = tuple(classes)

    def label_similarity(self, a: str, b: str) -> float:
        """See `OpenVocabularyDetector`."""
        return float(a == b)

    def detect(self, frame: RGBDFrame) -> Detections:
        """See `Detector`."""
        said = self._said[frame.number]
        return said.select(np.array([label in self.vocabulary for label in said.labels], np.bool_))


def encoder_of(room: MappedRoom) -> SimulatedEncoder:
    """An encoder that knows the content of the stored frames of a room."""
    names = room.sequence.class_names
    encoder = SimulatedEncoder(sorted(set(names.values())), _ENCODER_NOISE)
    for number in room.memory.stored_frames():
        picture = decode_color_file(room.memory.key_frame(number).jpeg)
        shares: dict[str, float] = {}
        for instance, pixels in enumerate(room.pixels[number].tolist()):
            if pixels and instance in names:
                share = pixels / (picture.shape[0] * picture.shape[1])
                shares[names[instance]] = shares.get(names[instance], 0.0) + share
        encoder.learn(picture, shares)
    return encoder
