"""Models and encoders of the bench that know the truth; each says so in its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel

from scenemind.cli.bench.keyframes.mapped_room import MappedRoom
from scenemind.frames import RGBDFrame
from scenemind.frames.encodings import decode_color_file
from scenemind.models import Allowance, ChatMessage, ChatReply, OnText, Tool, Usage
from scenemind.perception.types import Detections
from scenemind.reasoning.memtree_qa.location_choice import ChosenLocation, LocationChoice
from scenemind.reasoning.memtree_qa.selectors.detector_search import TargetClasses
from scenemind.simulation import Question
from scenemind.simulation.image_text_encoder import SimulatedEncoder

_CUES = 3  # of a location
_ENCODER_NOISE = 0.5


class Oracle:
    """A `ChatModel` that has its one answer before it is asked."""

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
    """Picks the locations whose frames show most of the asked object, and names it and what else
    shows most there; where fewer than `count` locations show it, those before and after them."""
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
    """Names the class of the asked object."""
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
    """An `OpenVocabularyDetector`: what a simulated one said of each frame, cut to what is looked
    for."""

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
    """One that knows what the stored frames of a room show."""
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
