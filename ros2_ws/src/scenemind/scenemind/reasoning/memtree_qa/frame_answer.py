"""The form in which a vision model answers from pictures, and what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict

from scenemind.memory import KeyFrame, MemorySnapshot
from scenemind.models import ChatMessage
from scenemind.reasoning.memtree_qa.circumstances import (
    LONGEST_SAID,
    circumstances,
    objects_told,
)
from scenemind.reasoning.memtree_qa.picture_notes import object_notes, picture_notes, related_to
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.types import Policy, Query
from scenemind.words.quoting import quoted, tame

_PROMPTS = "scenemind.reasoning.memtree_qa"
_LONGEST_ANSWER = 500
# A guess, however sure the model is of it.
_SUREST_UNSEEN = 0.3
_NO_ANSWERS = (
    *("", "unknown", "n/a", "unclear", "uncertain", "not sure", "not visible", "not seen"),
    *("i don't know", "i do not know", "can't tell", "cannot tell", "cannot be determined"),
)


class FrameAnswer(BaseModel):
    """Reasoning first, then whether it was seen, then what is claimed and what it rests on."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    think: str
    seen: bool
    answer: str
    confidence: float
    pictures: list[int]
    objects: list[int | str]

    @property
    def text(self) -> str:
        """The answer in one plain line; empty where there is none."""
        return tame(self.answer, _LONGEST_ANSWER)

    @property
    def sureness(self) -> float:
        """The confidence in [0, 1]: some models give percent, and most are sure of guesses."""
        share = self.confidence / 100.0 if self.confidence > 1.0 else self.confidence
        is_guess = not self.seen or _is_no_answer(self.text)
        return min(max(share, 0.0), _SUREST_UNSEEN if is_guess else 1.0)


def complaint_by(policy: Policy) -> Callable[[FrameAnswer], str | None]:
    """What is wrong with an answer beside its form, for the model; None: nothing."""

    def complaint(form: FrameAnswer) -> str | None:
        if policy == "always_answer" and _is_no_answer(form.text):
            return "answer is empty or evades the question: give your best guess"
        if (form.seen or policy == "balanced") and not form.text:
            return "answer is empty"
        return None

    return complaint


def _is_no_answer(text: str) -> bool:
    return text.strip(" .!?").lower() in _NO_ANSWERS


def messages_of(
    query: Query, snapshot: MemorySnapshot, frames: Sequence[KeyFrame], objects: Sequence[int]
) -> list[ChatMessage]:
    """The conversation up to the model's turn.

    Args:
        frames: with the boxes of all objects in them.
        objects: ids of those that matter, most important first.

    Raises:
        ReasoningError: all that was marked is gone.
    """
    notes = [*picture_notes(frames, snapshot, objects), *object_notes(objects, snapshot)]
    question = fill_prompt(
        _PROMPTS,
        "answer_question",
        count="picture" if len(frames) == 1 else f"{len(frames)} pictures",
        notes="\n".join(notes),
        circumstances=circumstances(query, snapshot),
        question=quoted(query.text, LONGEST_SAID),
        policy=read_prompt(_PROMPTS, f"policy_{query.policy}"),
    )
    return [
        ChatMessage("system", read_prompt(_PROMPTS, "answer")),
        ChatMessage("user", question, tuple(frame.jpeg for frame in frames)),
    ]


def told_objects(
    query: Query, snapshot: MemorySnapshot, frames: Sequence[KeyFrame], objects: Sequence[int]
) -> set[int]:
    """Ids of the objects that `messages_of` may name: an answer that speaks of another one has
    made it up, or copied it from the example."""
    seen = {object_id for frame in frames for object_id in frame.boxes_px}
    return seen | {*objects} | objects_told(query, snapshot) | related_to(objects, snapshot)
