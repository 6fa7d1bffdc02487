"""The content of a report: a run with its map, the questions asked about it, and the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import KeyFrame, LocationNode, MemorySnapshot
from scenemind.surface import Ground


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One question or correction with its reply.

    Attributes:
        name: kind of the request, in a few words.
        question: the sentence.
        answer: the reply.
        expected: a right answer; empty where it is not known.
        ok: a reply came and is not wrong.
        seconds: from request to reply.
        object_ids: objects that the reply mentions.
        key_frames: frames that show them, best first.
        detail: steps of the method; may be empty.
        labels: object id -> label at that time; missing ones have the final map's label.
    """

    name: str
    question: str
    answer: str
    expected: str
    ok: bool
    seconds: float
    object_ids: tuple[int, ...] = ()
    key_frames: tuple[KeyFrame, ...] = ()
    detail: str = ""
    labels: Mapping[int, str] = field(default_factory=dict)

    @property
    def verdict(self) -> Literal["right", "answered", "failed"]:
        """`answered` where the right answer is not known."""
        if not self.ok:
            return "failed"
        return "right" if self.expected else "answered"


@dataclass(frozen=True, slots=True)
class TrueObject:
    """One real object of a simulated room, and its match in the map.

    Attributes:
        was_seen: the camera saw enough of it for a map to contain it.
        object_id: of the match; None: there is none, and `iou` is 0.
    """

    label: str
    box: Box3D
    was_seen: bool
    object_id: int | None
    object_label: str | None
    iou: float


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A mapped sequence, and the questions that were asked about it.

    Attributes:
        sequence: name of the sequence, for people.
        detector: name of the detector.
        is_simulated: detections come from a simulator, not from a model.
        frames: number of processed frames.
        dropped: cause -> number of dropped frames.
        snapshot: the final map.
        path: (N, 3) float32, world: camera positions.
        locations: first level of MemTree3D.
        stages_ms: stage -> median time a frame, milliseconds.
        truth: real objects of a simulated room.
        machine: properties of the machine, name -> value.
        remarks: notes for the reader, in sentences.
        ground: the place from above, behind the map.
    """

    sequence: str
    detector: str
    is_simulated: bool
    frames: int
    dropped: Mapping[str, int]
    snapshot: MemorySnapshot
    path: NDArray[np.float32]
    locations: tuple[LocationNode, ...]
    steps: tuple[Step, ...] = ()
    stages_ms: Mapping[str, float] = field(default_factory=dict)
    truth: tuple[TrueObject, ...] = ()
    machine: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    ground: Ground | None = None

    def labels(self) -> list[str]:
        """The label of each object, including objects that are gone."""
        both = (self.snapshot.objects, self.snapshot.gone)
        return [obj.label for objects in both for obj in objects.values()]

    def tallies(self) -> list[tuple[int, int, str]]:
        """(how many, of how many, verdict): steps with a known answer, then those without."""
        known = [step.ok for step in self.steps if step.expected]
        unknown = [step.ok for step in self.steps if not step.expected]
        groups = ((known, "right"), (unknown, "answered"))
        return [(sum(oks), len(oks), verdict) for oks, verdict in groups if oks]
