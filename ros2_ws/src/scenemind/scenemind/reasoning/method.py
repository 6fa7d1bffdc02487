"""What a method of reasoning gets and gives; the router makes answers of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from scenemind.memory import Correction, KeyFrame, MapObject, MemoryAccess
from scenemind.models import Allowance
from scenemind.reasoning.dialogue import Dialogue
from scenemind.reasoning.trail import Trail
from scenemind.reasoning.types import Picture, Query


class Report(Protocol):
    """Hears what a method is doing, on whichever thread that is; should return soon."""

    def __call__(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        """
        Args:
            stage: such as select, look, answer, repair.
            text: reasoning so far.
            key_frames: evidence so far.
        """
        ...


def say_nothing(stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
    """A `Report` to nobody."""


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """The circumstances of one question.

    Attributes:
        trail: where a method leaves how far it came, for when it fails.
        dialogue: that the question is part of; None: it stands alone.
        by: who speaks, for the journal.
    """

    allowance: Allowance = field(default_factory=lambda: Allowance(60.0))
    report: Report = say_nothing
    trail: Trail = field(default_factory=Trail)
    dialogue: Dialogue | None = None
    by: str = "a person"


@dataclass(frozen=True, slots=True, eq=False)
class MethodReply:
    """An answer before the router has timed it.

    Attributes:
        text: one sentence.
        confidence: in [0, 1].
        objects: what the answer speaks of, most relevant first.
        key_frames: what it rests on, best first; None: the router looks for frames that show the
            objects.
        steps: how it was reached, in words.
        brief: the answer in a word or few, as benchmarks compare it ("yes", "two", "brown chair");
            empty where the method gives none.
        correction_ids: entries of the journal that it wrote.
    """

    text: str
    confidence: float
    objects: tuple[MapObject, ...] = ()
    key_frames: tuple[KeyFrame, ...] | None = None
    steps: tuple[str, ...] = ()
    brief: str = ""
    correction_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class GroundReply:
    """What a phrase means, before the router has timed it.

    Attributes:
        objects: best first; at least one. One of id 0 (`MEASURED`) is no object of the map, but a
            box that was measured for this answer.
        confidences: of each, in [0, 1].
        steps: how they were found, in words.
        key_frames: as of `MethodReply`.
        pictures: what was looked at and measured, in order, for reports.
    """

    objects: tuple[MapObject, ...]
    confidences: tuple[float, ...]
    steps: tuple[str, ...] = ()
    key_frames: tuple[KeyFrame, ...] | None = None
    pictures: tuple[Picture, ...] = ()

    @property
    def confidence(self) -> float:
        """Of the best."""
        return self.confidences[0]


@dataclass(frozen=True, slots=True, eq=False)
class AlignReply:
    """What became of a correcting sentence, before the router has timed it.

    Attributes:
        text: for the person.
        corrections: entries of the journal that it wrote, took back or let stand again.
        objects: what it speaks of beside these, most relevant first.
        steps: how it was reached, in words.
        asks_back: the text asks the person something; what it asks about was not done.
        confidence: in [0, 1].
    """

    text: str
    corrections: Sequence[Correction] = ()
    objects: tuple[MapObject, ...] = ()
    steps: tuple[str, ...] = ()
    asks_back: bool = False
    confidence: float = 1.0

    @property
    def object_ids(self) -> tuple[int, ...]:
        """Of all objects that it speaks of, each once, without floors, walls and ceilings."""
        changed = (i for c in self.corrections for i in (*c.edit.object_ids, *c.edit.new_ids))
        ids = (*(thing.object_id for thing in self.objects), *changed)
        return tuple(dict.fromkeys(i for i in ids if i >= 0))


class AskMethod(Protocol):
    """Answers questions; may be asked from several threads at once."""

    @property
    def name(self) -> str:
        """One of `METHODS`."""
        ...

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """The answer on the memory's snapshot of now.

        Raises:
            ReasoningError: it cannot be answered so; `not_found` for a strict query where nothing
                that was seen answers it.
            ModelError: a model failed, or the allowance is used up.
        """
        ...


@runtime_checkable
class GroundMethod(AskMethod, Protocol):
    """Also finds what a phrase means, better than by the question which object that is."""

    def ground(self, query: Query, memory: MemoryAccess, asking: Asking) -> GroundReply:
        """What the phrase means on the memory of now.

        Raises: as `ask`.
        """
        ...


@runtime_checkable
class AlignMethod(AskMethod, Protocol):
    """Also corrects the memory as a person says."""

    def align(self, query: Query, memory: MemoryAccess, asking: Asking) -> AlignReply:
        """Answer a question, or do what a person tells.

        Raises: as `ask`; nothing was written then.
        """
        ...
