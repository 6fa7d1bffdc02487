"""MemTree3D question answering (paper, section 3): choose frames, then look at them."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import MemoryAccess
from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.memtree_qa.evidence import (
    objects_of,
    used_frames,
    with_all_boxes,
    with_boxes_of,
)
from scenemind.reasoning.memtree_qa.frame_answer import (
    FrameAnswer,
    complaint_by,
    messages_of,
    told_objects,
)
from scenemind.reasoning.memtree_qa.selectors.selection import FrameSelector
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.thoughts import hears_thoughts
from scenemind.reasoning.types import Policy, Query
from scenemind.words.quoting import tame

_LONGEST_THOUGHT = 2000


class MemTreeQA:
    """An `AskMethod`. Stages that it reports: select, look, answer, and repair in between."""

    name = "memtree"

    def __init__(self, vision: ChatModel, selector: FrameSelector, frames: int = 3) -> None:
        """
        Args:
            vision: sees the frames and answers.
            selector: chooses them.
            frames: at most so many (k of the paper).
        """
        self._vision = vision
        self._selector = selector
        self._frames = frames

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`."""
        selection = self._selector.select(query, memory, self._frames, asking)
        steps = [_chosen(self._selector.name, selection.reasoning), *selection.steps]
        if not selection.key_frames:
            with asking.trail.kept(steps):
                raise ReasoningError(
                    "empty_memory", "No image is stored any more of what was chosen."
                )
        asking.report("look", selection.reasoning, selection.key_frames)
        snapshot = memory.snapshot()
        frames = [with_all_boxes(frame, memory) for frame in selection.key_frames]
        matter = tuple(dict.fromkeys((*selection.key_objects, *selection.cue_objects)))
        messages = messages_of(query, snapshot, frames, matter)
        looked_at = [with_boxes_of(matter, frame) for frame in frames]
        with asking.trail.kept(steps, looked_at):
            form = self._answer(messages, query.policy, asking, steps)
            steps.append(f"{self._vision.name} looked at {len(frames)} of them: {_thought(form)}")
            if not form.text or (query.policy == "strict" and not form.seen):
                raise ReasoningError("not_found", _unseen(form, len(frames)))
        told = told_objects(query, snapshot, frames, matter)
        objects, unclear = objects_of(form, frames, told, snapshot)
        if unclear:
            steps.append(f"left out of what it speaks of: {', '.join(unclear)}")
        shown = {*matter, *(thing.object_id for thing in objects)}
        evidence = tuple(with_boxes_of(shown, frame) for frame in used_frames(form, frames))
        return MethodReply(form.text, form.sureness, objects, evidence, tuple(steps))

    def _answer(
        self, messages: Sequence[ChatMessage], policy: Policy, asking: Asking, steps: list[str]
    ) -> FrameAnswer:
        """
        Raises:
            ModelError: the model failed, or its second reply is of no use as well.
        """

        def note_repair(complaint: str) -> None:
            steps.append(f"asked again: {complaint}")
            asking.report("repair", complaint)

        asking.report("answer")
        try:
            return ask_for(
                self._vision,
                messages,
                FrameAnswer,
                asking.allowance,
                complaint_by(policy),
                hears_thoughts(asking.report, "answer"),
                note_repair,
            )
        except BadFormError as error:
            # One that evades the question, twice: who wants an answer always gets this.
            if isinstance(error.form, FrameAnswer) and error.form.text:
                return error.form
            raise


def _chosen(selector: str, reasoning: str) -> str:
    why = f": {tame(reasoning, _LONGEST_THOUGHT)}" if reasoning else ""
    return f"{selector} chose the frames{why}"


def _unseen(form: FrameAnswer, pictures: int) -> str:
    where = "the picture" if pictures == 1 else f"the {pictures} pictures"
    return f"Not seen in {where} that most likely show it: {_thought(form)}"


def _thought(form: FrameAnswer) -> str:
    return tame(form.think, _LONGEST_THOUGHT)
