"""MemTree3D question answering (paper, section 3): choose frames, then look at them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace

from scenemind.memory import KeyFrame, MapObject, MemoryAccess, MemorySnapshot, SceneMemoryError
from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.memtree_qa.frame_answer import (
    FrameAnswer,
    complaint_by,
    messages_of,
)
from scenemind.reasoning.memtree_qa.object_words import ObjectWords
from scenemind.reasoning.memtree_qa.selectors.selection import FrameSelector
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.thoughts import hears_thoughts
from scenemind.reasoning.types import Policy, Query
from scenemind.words.quoting import quoted, tame

_log = logging.getLogger(__name__)

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
        asking.report("look", selection.reasoning, selection.key_frames)
        snapshot = memory.snapshot()
        frames = [_with_all_boxes(frame, memory) for frame in selection.key_frames]
        matter = tuple(dict.fromkeys((*selection.key_objects, *selection.cue_objects)))
        messages = messages_of(query, snapshot, frames, matter)
        steps = [f"{self._selector.name} chose the frames", *selection.steps]
        form = self._answer(messages, query.policy, asking, steps)
        steps.append(f"{self._vision.name} looked at {len(frames)} of them: {_thought(form)}")
        text = form.text
        if not text or (query.policy == "strict" and not form.seen):
            raise ReasoningError("not_found", _unseen(form, len(frames)))
        objects, unclear = _objects_of(form, frames, snapshot)
        if unclear:
            steps.append(f"left out of what it speaks of: {', '.join(unclear)}")
        used = _used_frames(form, frames)
        wanted = {*matter, *(thing.object_id for thing in objects)}
        return MethodReply(
            text,
            form.sureness,
            objects,
            tuple(_with_boxes_of(wanted, frame) for frame in used),
            tuple(steps),
        )

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


def _with_all_boxes(frame: KeyFrame, memory: MemoryAccess) -> KeyFrame:
    try:
        every = memory.key_frame(frame.frame_number).boxes_px
    except SceneMemoryError as error:  # its image went since it was chosen, and is still at hand
        _log.info("frame %d is shown with fewer boxes: %s", frame.frame_number, error)
        return frame
    return replace(frame, boxes_px=every)


def _with_boxes_of(object_ids: Collection[int], frame: KeyFrame) -> KeyFrame:
    boxes = {i: box for i, box in frame.boxes_px.items() if i in object_ids}
    return replace(frame, boxes_px=boxes)


def _used_frames(form: FrameAnswer, frames: Sequence[KeyFrame]) -> list[KeyFrame]:
    """Those that the model names; all where it names none that there is."""
    numbers = [n for n in dict.fromkeys(form.pictures) if 1 <= n <= len(frames)]
    return [frames[n - 1] for n in numbers] or list(frames)


def _objects_of(
    form: FrameAnswer, frames: Sequence[KeyFrame], snapshot: MemorySnapshot
) -> tuple[tuple[MapObject, ...], list[str]]:
    """What the answer speaks of; and words that mean nothing on the map, or many things of which no
    picture shows one."""
    words = ObjectWords(snapshot.objects)
    here = {object_id for frame in frames for object_id in frame.boxes_px}
    meant: dict[int, MapObject] = {}
    unclear = []
    for word in form.objects:
        ids = words.find(word, here) or ()
        if len(ids) == 1 or (ids and here.issuperset(ids)):
            meant.update((object_id, snapshot.objects[object_id]) for object_id in ids)
        else:
            unclear.append(quoted(str(word)))
    return tuple(meant.values()), unclear


def _unseen(form: FrameAnswer, pictures: int) -> str:
    where = "the picture" if pictures == 1 else f"the {pictures} pictures"
    return f"Not seen in {where} that most likely show it: {_thought(form)}"


def _thought(form: FrameAnswer) -> str:
    return tame(form.think, _LONGEST_THOUGHT)
