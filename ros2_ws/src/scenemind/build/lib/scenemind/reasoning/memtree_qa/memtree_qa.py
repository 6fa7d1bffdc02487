"""MemTree3D question answering (paper, section 3): select key frames by the memory tree, then have
a vision model answer from them.

Differences from the paper: notes on what the map knows of the pictures come with them; the answer
names the pictures and objects that it rests on; where it is not in them, others are looked at; a
count names its places; and a policy says what to do where nothing seen answers the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from scenemind.language.english import find_number
from scenemind.language.quoting import quoted, tame
from scenemind.memory import KeyFrame, MapObject, MemoryAccess, MemorySnapshot
from scenemind.models import BadFormError, ChatMessage, ChatModel, ModelError
from scenemind.reasoning.memtree_qa.frame_notes import (
    LONGEST_SAID,
    circumstances,
    named_in_circumstances,
    object_notes,
    object_table,
    picture_notes,
    related_to,
)
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.method_cases import asks_for
from scenemind.reasoning.prompts import ObjectWords, ask_form, fill_prompt, read_prompt
from scenemind.reasoning.query import Policy, Query, ReasoningError
from scenemind.reasoning.stored_frames import (
    FrameSelector,
    Looked,
    LooksElsewhere,
    Selection,
    with_all_boxes,
    with_boxes_of,
)

_PROMPTS = "scenemind.reasoning.memtree_qa"
_LONGEST_ANSWER, _LONGEST_THOUGHT, _LONGEST_PLACE = 500, 2000, 80
_COUNTED_TOKENS = 400  # of the places of what may be counted
# The highest confidence of a guess, however sure the model is of it.
_MAX_GUESS_CONFIDENCE = 0.3
_MOST_LOOKS = 3
# Another look begins only where there is time for this many as long as the last one.
_SPARE_LOOKS = 1.5
_COUNT_FRAMES = 8  # at most, where things are counted
_NO_ANSWERS = (
    *("", "unknown", "n/a", "unclear", "uncertain", "not sure", "not visible", "not seen"),
    *("i don't know", "i do not know", "can't tell", "cannot tell", "cannot be determined"),
)


class MemTreeQA:
    """An `AskMethod`. It reports the stages select, look, answer, and repair in between."""

    name = "memtree"

    def __init__(self, vision: ChatModel, selector: FrameSelector, frames: int = 3) -> None:
        """
        Args:
            vision: the VLM, which answers from the frames.
            selector: chooses the frames; `TreeSelector` is the paper's. One that
                `LooksElsewhere` is asked again where the answer was not seen.
            frames: most key frames of a look (k of the paper); a count may have more.
        """
        self._vision = vision
        self._selector = selector
        self._frames = frames

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """Answer a question from key frames; see `AskMethod`. Where a look does not show the
        answer, a second and a third one go to other places while the allowance lasts."""
        progress = asking.progress
        count = self._frames
        if asks_for("counts", query.text):
            count = max(count, _COUNT_FRAMES)
        # LLM querying for location selection (section 3.2), then scoring-based frame selection
        # (section 3.3): see `TreeSelector`. The tree itself is built while mapping (3.1).
        left_s = asking.allowance.left_s
        chosen = self._selector.select(query, memory, count, asking)
        look = self._look(chosen, query, memory, asking, Looked())
        looked = look.added_to(Looked())
        for _ in range(_MOST_LOOKS - 1):
            if look.form.seen or not isinstance(self._selector, LooksElsewhere):
                break
            took_s, left_s = left_s - asking.allowance.left_s, asking.allowance.left_s
            if left_s < _SPARE_LOOKS * took_s:
                progress.note("no time for another look")
                break
            try:
                chosen = self._selector.select_elsewhere(query, memory, count, asking, looked)
                look = self._look(chosen, query, memory, asking, looked)
            except (ModelError, ReasoningError) as error:
                if asking.allowance.is_cancelled:
                    raise
                progress.note(f"no further look: {error}")
                break
            looked = look.added_to(looked)

        form = look.form
        if not form.text or (query.policy == "strict" and not form.seen):
            shown = len(looked.frames)
            where = "the picture" if shown == 1 else f"the {shown} pictures"
            thought = tame(form.think, _LONGEST_THOUGHT)
            text = f"Not seen in {where} that most likely show it: {thought}"
            raise ReasoningError("not_found", text)
        # The objects and pictures that the answer rests on.
        objects, unclear = _objects_of(form, look.frames, look.known, look.snapshot)
        if unclear:
            progress.note(f"left out of what it speaks of: {', '.join(unclear)}")
        shown_objects = {*look.relevant, *(thing.object_id for thing in objects)}
        evidence = tuple(with_boxes_of(shown_objects, f) for f in _used_frames(form, look.frames))
        text, brief = form.text, ""
        if isinstance(form, CountAnswer) and form.counted:
            brief = str(form.total)
            text = text if query.policy == "always_answer" else form.text_with_places
        steps = tuple(progress.steps)
        return MethodReply(text, form.bounded_confidence, objects, evidence, steps, brief)

    def _look(
        self,
        selection: Selection,
        query: Query,
        memory: MemoryAccess,
        asking: Asking,
        looked: Looked,
    ) -> _Look:
        """The question and the key frames go to the VLM (end of section 3.3).

        Args:
            looked: what was looked at before.

        Raises:
            ReasoningError: nothing was selected, or all marked objects are gone.
            ModelError: the model failed, or its second reply is of no use as well.
        """
        progress = asking.progress
        why = f": {tame(selection.reasoning, _LONGEST_THOUGHT)}" if selection.reasoning else ""
        progress.note(f"{self._selector.name} chose the frames{why}", *selection.steps)
        if not selection.key_frames:
            raise ReasoningError("empty_memory", "No image is stored any more of what was chosen.")
        progress.report("look", selection.reasoning, selection.key_frames)
        snapshot = memory.snapshot()
        frames = tuple(with_all_boxes(frame, memory) for frame in selection.key_frames)
        relevant = tuple(dict.fromkeys((*selection.key_objects, *selection.cue_objects)))
        progress.key_frames = [
            *(with_boxes_of(relevant, frame) for frame in frames),
            *looked.frames,
        ]
        messages = _messages(query, snapshot, frames, relevant, looked)
        form = self._answer(messages, query, asking)
        thought = tame(form.think, _LONGEST_THOUGHT)
        progress.note(f"{self._vision.name} looked at {len(frames)} of them: {thought}")
        known = _objects_in_prompt(query, snapshot, frames, relevant)
        return _Look(form, frames, relevant, known, snapshot)

    def _answer(self, messages: Sequence[ChatMessage], query: Query, asking: Asking) -> FrameAnswer:
        """
        Raises:
            ModelError: the model failed, or its second reply is of no use as well.
        """
        asking.progress.report("answer")
        form = CountAnswer if asks_for("counts", query.text) else FrameAnswer
        try:
            check = _complaint_by(query.policy)
            return ask_form(self._vision, messages, form, asking, "answer", check)
        except BadFormError as error:
            # A second evasion is returned all the same: `always_answer` wants some text.
            if isinstance(error.form, FrameAnswer) and error.form.text:
                return error.form
            raise


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """One look of the VLM at key frames.

    Attributes:
        frames: with the boxes of all objects in them.
        relevant: ids of the key and cue objects.
        known: ids of all objects that the prompt may name.
    """

    form: FrameAnswer
    frames: tuple[KeyFrame, ...]
    relevant: tuple[int, ...]
    known: AbstractSet[int]
    snapshot: MemorySnapshot

    def added_to(self, before: Looked) -> Looked:
        thought = tame(f"{before.thought} {self.form.think}", _LONGEST_THOUGHT)
        return Looked((*before.frames, *self.frames), thought)


class FrameAnswer(BaseModel):
    """The form of a vision model's answer: reasoning first, then whether the answer was seen, then
    the answer and what it rests on."""

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
    def bounded_confidence(self) -> float:
        """The confidence in [0, 1], lower for guesses: some models give percent, and most are sure
        of guesses."""
        share = self.confidence / 100.0 if self.confidence > 1.0 else self.confidence
        is_guess = not self.seen or _is_no_answer(self.text)
        return min(max(share, 0.0), _MAX_GUESS_CONFIDENCE if is_guess else 1.0)


class CountedPlace(BaseModel):
    """Things that a model counted at one place."""

    model_config = ConfigDict(extra="forbid")

    number: int
    where: str
    pictures: list[int]


class CountAnswer(FrameAnswer):
    """The form of an answer to a question that counts."""

    counted: list[CountedPlace] = []

    @property
    def total(self) -> int:
        return sum(place.number for place in self.counted)

    @property
    def text_with_places(self) -> str:
        """The answer and how many were counted where, in one plain line."""
        places = (f"{p.number} {tame(p.where, _LONGEST_PLACE)}".strip() for p in self.counted)
        return tame(f"{self.text.rstrip('.')}: {', '.join(places)}.", 2 * _LONGEST_ANSWER)


def _complaint_by(policy: Policy) -> Callable[[FrameAnswer], str | None]:
    """The check of an answer beside its form: an error message for the model, or None."""

    def complaint(form: FrameAnswer) -> str | None:
        if policy == "always_answer" and _is_no_answer(form.text):
            return "answer is empty or evades the question: give your best guess"
        if (form.seen or policy == "balanced") and not form.text:
            return "answer is empty"
        if isinstance(form, CountAnswer) and form.counted:
            numbers = {find_number(word) for word in form.text.lower().replace(".", " ").split()}
            if numbers - {None} and form.total not in numbers:
                return f"counted comes to {form.total}, which is not the answer's number"
        return None

    return complaint


def _is_no_answer(text: str) -> bool:
    return text.strip(" .!?").lower() in _NO_ANSWERS


def _messages(
    query: Query,
    snapshot: MemorySnapshot,
    frames: Sequence[KeyFrame],
    objects: Sequence[int],
    looked: Looked,
) -> list[ChatMessage]:
    """The conversation up to the model's turn.

    Args:
        frames: with the boxes of all objects in them.
        objects: ids of the relevant objects, most important first.

    Raises:
        ReasoningError: all marked objects are gone.
    """
    notes = [*picture_notes(frames, snapshot, objects), *object_notes(objects, snapshot)]
    if asks_for("counts", query.text):
        shown = {*objects}.union(*(frame.boxes_px for frame in frames))
        known = [thing for i, thing in snapshot.objects.items() if i in shown]
        notes += filter(None, [object_table(known, objects, _COUNTED_TOKENS)])
    question = fill_prompt(
        _PROMPTS,
        "answer_question",
        pictures="picture" if len(frames) == 1 else f"{len(frames)} pictures",
        notes="\n".join(notes),
        circumstances=circumstances(query, snapshot),
        question=quoted(query.text, LONGEST_SAID),
        looked=_seen_before(looked),
        policy=read_prompt(_PROMPTS, f"policy_{query.policy}"),
        count=_counting(query),
    )
    return [
        ChatMessage("system", read_prompt(_PROMPTS, "answer")),
        ChatMessage("user", question, tuple(frame.jpeg for frame in frames)),
    ]


def _counting(query: Query) -> str:
    return f"{read_prompt(_PROMPTS, 'count')}\n" if asks_for("counts", query.text) else ""


def _seen_before(looked: Looked) -> str:
    if not looked.frames:
        return ""
    said = quoted(looked.thought, LONGEST_SAID)
    shown = "1 other picture" if len(looked.frames) == 1 else f"{len(looked.frames)} other pictures"
    return f"{shown} did not show the answer; said: {said}\n"


def _objects_in_prompt(
    query: Query, snapshot: MemorySnapshot, frames: Sequence[KeyFrame], objects: Sequence[int]
) -> set[int]:
    """Ids of the objects that `_messages` may name. An answer that names another one has made it
    up, or copied it from the example."""
    seen = {object_id for frame in frames for object_id in frame.boxes_px}
    return (
        seen | {*objects} | named_in_circumstances(query, snapshot) | related_to(objects, snapshot)
    )


def _used_frames(form: FrameAnswer, frames: Sequence[KeyFrame]) -> list[KeyFrame]:
    """The frames that the model names; all where it names no valid one."""
    numbers = [n for n in dict.fromkeys(form.pictures) if 1 <= n <= len(frames)]
    return [frames[n - 1] for n in numbers] or list(frames)


def _objects_of(
    form: FrameAnswer,
    frames: Sequence[KeyFrame],
    known: AbstractSet[int],
    snapshot: MemorySnapshot,
) -> tuple[tuple[MapObject, ...], list[str]]:
    """The objects that the answer names, and the names without a known object, or with several
    objects of which no picture shows one.

    Args:
        known: ids of the objects that the prompt may name.
    """
    words = ObjectWords(snapshot.objects)
    visible = {object_id for frame in frames for object_id in frame.boxes_px}
    found: dict[int, MapObject] = {}
    unclear = []
    for word in form.objects:
        ids = words.find(word, visible) or ()
        if ids and known >= set(ids):
            found.update((object_id, snapshot.objects[object_id]) for object_id in ids)
        else:
            unclear.append(quoted(str(word)))
    return tuple(found.values()), unclear
