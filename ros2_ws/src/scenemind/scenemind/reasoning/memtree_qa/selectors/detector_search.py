"""Frames in which an open-vocabulary detector finds what the question is about."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from scenemind.memory import MemoryAccess, MemorySnapshot
from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.perception.errors import PerceptionError
from scenemind.perception.text import checked_vocabulary, normalized_label
from scenemind.reasoning.detecting import SharedDetector, search_frames
from scenemind.reasoning.memtree_qa.circumstances import LONGEST_SAID, circumstances
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.memtree_qa.selectors.uniform import evenly
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.stored_frames import RankedFrame, StoredFrames, one_a_location_first
from scenemind.reasoning.thoughts import hears_thoughts
from scenemind.reasoning.types import Query
from scenemind.words.quoting import quoted, tame

_PROMPTS = "scenemind.reasoning.memtree_qa"
_MOST_CLASSES = 8  # as the prompt says
_LONGEST_REASONING = 2000


class TargetClasses(BaseModel):
    """What the language model answers."""

    model_config = ConfigDict(extra="forbid")

    think: str = Field(description="what has to be seen to answer the question")
    classes: list[str] = Field(description="names of kinds of objects, most important first")


class DetectorSelector:
    """The visual search of VLM-Grounder (section 3.1), as the MemTree3D paper times it (appendix
    C): a language model names the classes of the objects that the question is about, a detector
    looks for them in every stored frame, and frames that show one are taken.

    Neither paper says which of more than k frames are taken. Here it is that of each location in
    which the detector is surest, the surest first. Where none shows such a thing, frames evenly in
    time are, and the steps say so.
    """

    def __init__(
        self,
        model: ChatModel,
        detector: SharedDetector,
        name: str = "detector",
    ) -> None:
        """
        Args:
            model: for language.
            name: another one where the detector is simulated.
        """
        self.name = name
        self._model = model
        self._detector = detector

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """See `FrameSelector`."""
        stored = StoredFrames(memory)
        asking.report("select")
        steps: list[str] = []
        wanted = self._ask(_messages(query, memory.snapshot()), asking, steps)
        classes = checked_vocabulary(_usable(wanted.classes))
        started = time.perf_counter()
        searched = search_frames(self._detector, classes, stored, stored.numbers, asking, "select")
        hits = [
            RankedFrame(float(found.scores.max()), key_frame.frame_number, key_frame.location_id)
            for key_frame, found in searched
            if len(found)
        ]
        seconds = time.perf_counter() - started
        each_ms = 1e3 * seconds / len(stored.numbers)
        steps.append(
            f"looked for {', '.join(classes)} in {len(stored.numbers)} stored frames: {len(hits)}"
            f" show some ({self._detector.name}, {seconds:.2f} s, {each_ms:.1f} ms a frame)"
        )
        ranked = one_a_location_first(hits)
        if not ranked:
            steps.append("no frame shows any: frames evenly in time instead")
            ranked = [(number, 0.0) for number in evenly(stored.numbers, count)]
        key_frames = stored.read(ranked, count)
        return Selection(
            key_frames, tame(wanted.think, _LONGEST_REASONING), (*steps, *stored.steps())
        )

    def _ask(
        self, messages: Sequence[ChatMessage], asking: Asking, steps: list[str]
    ) -> TargetClasses:
        def note_repair(complaint: str) -> None:
            steps.append(f"asked again: {complaint}")
            asking.report("repair", complaint)

        try:
            return ask_for(
                self._model,
                messages,
                TargetClasses,
                asking.allowance,
                _complaint,
                hears_thoughts(asking.report, "select"),
                note_repair,
            )
        except BadFormError as error:
            # Some of the classes may still do.
            if not isinstance(error.form, TargetClasses) or not _usable(error.form.classes):
                raise
            steps.append(f"took what is right of the second reply: {_complaint(error.form)}")
            return error.form


def _messages(query: Query, snapshot: MemorySnapshot) -> list[ChatMessage]:
    about = circumstances(query, snapshot)
    question = f"The question: {quoted(query.text, LONGEST_SAID)}"
    return [
        ChatMessage("system", read_prompt(_PROMPTS, "target_classes")),
        ChatMessage("user", f"{about}\n{question}" if about else question),
    ]


def _complaint(wanted: TargetClasses) -> str | None:
    """What is wrong beside the form, for the model."""
    if not 1 <= len(wanted.classes) <= _MOST_CLASSES:
        return f"name 1 to {_MOST_CLASSES} classes, not {len(wanted.classes)}"
    unusable = [name for name in wanted.classes if not _is_name(name)]
    return f"no short names of kinds: {', '.join(map(quoted, unusable))}" if unusable else None


def _usable(classes: Sequence[str]) -> list[str]:
    return [name for name in classes if _is_name(name)][:_MOST_CLASSES]


def _is_name(word: str) -> bool:
    try:
        normalized_label(word)
    except PerceptionError:
        return False
    return True
