"""What the page of one question shows: an answer, the objects that a phrase means, or only the
frames that were chosen for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import KeyFrame, MemorySnapshot
from scenemind.models import Usage
from scenemind.reasoning import Answer, Grounding, Query
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.types import MEASURED, SAME_AS, Picture

_NO_PATH = np.zeros((0, 3), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """
    Attributes:
        text: the answer in a sentence; empty where only frames were chosen.
        headline: who answered or chose, for people.
        is_answered: the frames are what the answer rests on, and not only what was looked at.
        warning: why another method answered than was asked; may be empty.
        figures: name -> value, for people.
        reasoning: in the words of who chose the frames; may be empty.
        steps: how it was reached.
        key_objects: ids of what the answer speaks of, or what helps to answer.
        cue_objects: ids of what is near those.
        key_frames: best first.
        snapshot: the map that was asked.
        path: (N, 3) float32, world: where the camera was.
        pictures: what was looked at and measured beside the frames, in order.
    """

    query: Query
    text: str
    headline: str
    is_answered: bool
    warning: str
    figures: Mapping[str, str]
    reasoning: str
    steps: tuple[str, ...]
    key_objects: tuple[int, ...]
    cue_objects: tuple[int, ...]
    key_frames: tuple[KeyFrame, ...]
    snapshot: MemorySnapshot
    path: NDArray[np.float32] = field(default_factory=_NO_PATH.copy)
    pictures: tuple[Picture, ...] = ()

    @classmethod
    def of_answer(
        cls, answer: Answer, snapshot: MemorySnapshot, path: NDArray[np.float32] = _NO_PATH
    ) -> Asked:
        """What an answer's frames show beside its objects counts as a cue."""
        keys = tuple(thing.object_id for thing in answer.objects)
        is_answered = answer.failure is None
        return cls(
            query=answer.query,
            text=answer.text,
            headline=f"{'Answered' if is_answered else 'Not answered'} by {answer.method}",
            is_answered=is_answered,
            warning=answer.fallback,
            figures=figures_of(answer),
            reasoning="",
            steps=answer.steps,
            key_objects=keys,
            cue_objects=_others(answer.key_frames, keys),
            key_frames=answer.key_frames,
            snapshot=snapshot,
            path=path,
        )

    @classmethod
    def of_grounding(
        cls, found: Grounding, snapshot: MemorySnapshot, path: NDArray[np.float32] = _NO_PATH
    ) -> Asked:
        """The first box that was measured and is no object of the map is drawn as one."""
        keys = tuple(dict.fromkeys(thing.object_id for thing in found.objects))
        measured = {t.object_id: t for t in reversed(found.objects) if t.object_id == MEASURED}
        is_answered = found.failure is None
        sure = {"confidence": f"{max(found.confidences):.0%}"} if found.confidences else {}
        return cls(
            query=found.query,
            text=_meant(found) or found.reasoning,
            headline=f"{'Found' if is_answered else 'Not found'} by {found.method}",
            is_answered=is_answered,
            warning=found.fallback,
            figures=sure | _figures(found.seconds, found.usage),
            reasoning="",
            steps=found.steps or (found.reasoning,),
            key_objects=keys,
            cue_objects=_others(found.key_frames, keys),
            key_frames=found.key_frames,
            snapshot=replace(snapshot, objects={**snapshot.objects, **measured}),
            path=path,
            pictures=found.pictures,
        )

    @classmethod
    def of_selection(
        cls,
        query: Query,
        selection: Selection,
        selector: str,
        seconds: float,
        usage: Usage,
        snapshot: MemorySnapshot,
        path: NDArray[np.float32] = _NO_PATH,
    ) -> Asked:
        """Frames that a selector chose, without an answer."""
        return cls(
            query=query,
            text="",
            headline=f"Frames chosen by {selector}",
            is_answered=False,
            warning="",
            figures=_figures(seconds, usage),
            reasoning=selection.reasoning,
            steps=selection.steps,
            key_objects=selection.key_objects,
            cue_objects=selection.cue_objects,
            key_frames=selection.key_frames,
            snapshot=snapshot,
            path=path,
        )

    def labels(self) -> dict[int, str]:
        """Object id -> label, of those that are drawn."""
        objects = self.snapshot.objects
        return {i: objects[i].label for i in (*self.key_objects, *self.cue_objects) if i in objects}


def figures_of(answer: Answer) -> dict[str, str]:
    """Name -> value, for people."""
    sure = {"confidence": f"{answer.confidence:.0%}"} if answer.failure is None else {}
    return sure | _figures(answer.seconds, answer.usage)


def _meant(found: Grounding) -> str:
    """ "chair 4, chair 7"; what was measured for this alone has no number."""
    names = (
        thing.label if thing.object_id == MEASURED else f"{thing.label} {thing.object_id}"
        for thing in found.objects
        if SAME_AS not in thing.attributes
    )
    return ", ".join(names)


def _others(frames: tuple[KeyFrame, ...], keys: tuple[int, ...]) -> tuple[int, ...]:
    shown = dict.fromkeys(i for frame in frames for i in frame.boxes_px)
    return tuple(i for i in shown if i not in keys)


def _figures(seconds: float, usage: Usage) -> dict[str, str]:
    figures = {"seconds": f"{seconds:.2f}"}
    if usage.calls:
        cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
        figures["model calls"] = str(usage.calls)
        figures["tokens of prompt" + cached] = f"{usage.prompt_tokens:,}"
        figures["tokens of reply"] = f"{usage.reply_tokens:,}"
    if usage.cost:
        figures["cost"] = f"{usage.cost:.4g}"
    return figures
