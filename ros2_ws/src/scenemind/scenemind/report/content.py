"""What a report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import KeyFrame, LocationNode, MemorySnapshot


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One thing that was asked or told.

    Attributes:
        name: what kind of request, in a few words.
        question: as it was said.
        answer: the reply.
        expected: what a right answer is; empty where nobody knows.
        ok: the reply came and is not wrong.
        seconds: from request to reply.
        object_ids: what the reply speaks of.
        key_frames: frames that show it, best first.
        detail: how the answer was reached; may be empty.
        labels: object id -> what it was called then; the map's label at the end where missing.
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
        """`answered` where nobody knows a right answer to hold it against."""
        if not self.ok:
            return "failed"
        return "right" if self.expected else "answered"


@dataclass(frozen=True, slots=True)
class TrueObject:
    """One real object of a simulated room, and the map's object for it.

    Attributes:
        was_seen: the camera saw enough of it to expect it in the map.
        object_id: None where the map has none; then `iou` is 0.
    """

    label: str
    box: Box3D
    was_seen: bool
    object_id: int | None
    object_label: str | None
    iou: float


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A sequence that was mapped, and what was asked about it.

    Attributes:
        sequence: what was played, for people.
        detector: the name by which the detector calls itself.
        is_simulated: detections come from a simulator and not from a model.
        frames: processed. dropped: those left out, by cause.
        snapshot: the map at the end.
        path: (N, 3) float32, world: where the camera was.
        locations: MemTree3D's first level.
        stages_ms: median milliseconds a frame, by stage.
        truth: real objects, of a simulated room.
        machine: on what it ran: name -> value.
        remarks: sentences that a reader should know.
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

    def labels(self) -> list[str]:
        """One an object, of those that are gone too."""
        both = (self.snapshot.objects, self.snapshot.gone)
        return [obj.label for objects in both for obj in objects.values()]

    def tallies(self) -> list[tuple[int, int, str]]:
        """(how many, of how many, verdict): steps with a known answer, then those without."""
        known = [step.ok for step in self.steps if step.expected]
        unknown = [step.ok for step in self.steps if not step.expected]
        groups = ((known, "right"), (unknown, "answered"))
        return [(sum(oks), len(oks), verdict) for oks, verdict in groups if oks]
