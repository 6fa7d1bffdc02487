"""Looks of programs at stored pictures: a vision model answers from frames that show what a
program asks about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from scenemind.language.quoting import quoted, tame
from scenemind.memory import KeyFrame, MapObject, MemoryAccess
from scenemind.models import ChatMessage, ChatModel, ModelError, ask_for
from scenemind.reasoning.frame_choice import FrameChooser, Wanted
from scenemind.reasoning.method import Asking
from scenemind.reasoning.programs.map_evidence import MapEvidence
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.sandbox import ApiError

_PROMPTS = "scenemind.reasoning.programs"
_PICTURES = 4  # of one look
# Objects of one picture that are named with boxes: of all, and of those that are asked about.
_MOST_NAMED, _MOST_ASKED = 8, 20
_LONGEST_QUESTION, _LONGEST_ANSWER, _LONGEST_THOUGHT = 300, 120, 600
# Failures that end the question; after others it goes on without looks.
_FINAL = ("cancelled", "too_late", "over_budget", "not_recorded")


class LookAnswer(BaseModel):
    """The form of the vision model's reply."""

    model_config = ConfigDict(extra="forbid")

    think: str
    answer: str
    complete: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """A look and its result.

    Attributes:
        answer: in a few words; empty where there is none.
        complete: the pictures show all that the question is about.
    """

    question: str
    answer: str
    complete: bool


class Looks:
    """The looks of one question.

    Attributes:
        done: so far, oldest first.
    """

    def __init__(
        self,
        vision: ChatModel,
        memory: MemoryAccess,
        objects: Mapping[int, MapObject],
        evidence: MapEvidence,
        asking: Asking,
        most: int,
    ) -> None:
        """
        Args:
            most: looks of the whole question.
        """
        self._vision = vision
        self._memory = memory
        self._objects = objects
        self._evidence = evidence
        self._asking = asking
        self._left = most
        self._known: dict[tuple[str, Wanted], Looked] = {}
        self._frames: dict[int, KeyFrame] = {}
        self.done: list[Looked] = []

    @property
    def are_left(self) -> bool:
        return self._left > 0

    @property
    def key_frames(self) -> tuple[KeyFrame, ...]:
        """The frames that were looked at, oldest look first."""
        return tuple(self._frames.values())

    def look(self, question: str, wanted: Wanted) -> Looked:
        """The vision model's answer from up to 4 pictures; the same look costs nothing.

        Raises:
            ApiError: no look is left, no picture is stored, or the model failed.
            ModelError: the question is over.
        """
        if (question, wanted) not in self._known:
            self._known[question, wanted] = self._look(question, wanted)
        return self._known[question, wanted]

    def _look(self, question: str, wanted: Wanted) -> Looked:
        if not self.are_left:
            raise ApiError("look(): there are no looks left: go on with what is known")
        wanted = self._evidence.spelt_out(wanted)
        try:
            chooser = FrameChooser(self._memory)
        except ReasoningError as error:
            raise ApiError("look(): no picture is stored: go on with what is known") from error
        chooser.fill(wanted, _PICTURES)
        frames = chooser.frames
        if not frames:
            raise ApiError("look(): no picture is stored any more: go on with what is known")
        self._left -= 1
        progress = self._asking.progress
        progress.report("look", question, frames)
        try:
            form = ask_for(
                self._vision,
                look_messages(question, frames, wanted, self._objects),
                LookAnswer,
                self._asking.allowance,
                check=lambda form: None if tame(form.answer) else "answer is empty",
                on_repair=progress.note_repair,
            )
        except ModelError as error:
            if error.kind in _FINAL:
                raise
            self._left = 0
            progress.note(f"nobody can look: {error}")
            raise ApiError("look(): nobody can look now: go on with what is known") from error
        self._frames.update((frame.frame_number, frame) for frame in frames)
        progress.key_frames = list(self.key_frames)
        looked = Looked(question, tame(form.answer, _LONGEST_ANSWER), form.complete)
        self.done.append(looked)
        numbers = ", ".join(str(frame.frame_number) for frame in frames)
        said = tame(form.think, _LONGEST_THOUGHT)
        progress.note(
            f"look at frames {numbers}: {tame(question, _LONGEST_QUESTION)} -> {looked.answer}"
            f"{'' if form.complete else ' (not all of it is in them)'}: {said}"
        )
        return looked


def look_messages(
    question: str,
    frames: Sequence[KeyFrame],
    wanted: Wanted,
    objects: Mapping[int, MapObject],
) -> list[ChatMessage]:
    """The conversation up to the model's reply.

    Args:
        frames: with the boxes of all objects in them.
    """
    ids = wanted.object_ids
    notes = [_note(number, frame, ids, objects) for number, frame in enumerate(frames, start=1)]
    text = fill_prompt(
        _PROMPTS,
        "look_question",
        notes="\n".join(notes),
        question=quoted(question, _LONGEST_QUESTION),
    )
    jpegs = tuple(frame.jpeg for frame in frames)
    return [ChatMessage("system", read_prompt(_PROMPTS, "look")), ChatMessage("user", text, jpegs)]


def _note(
    number: int, frame: KeyFrame, ids: Collection[int], objects: Mapping[int, MapObject]
) -> str:
    """The mapped objects in one picture, those that are asked about first, then the largest; with
    boxes in thousandths of the picture."""
    width, height = frame.camera.width, frame.camera.height
    shown = [(i, box) for i, box in frame.boxes_px.items() if i in objects]
    shown.sort(key=lambda item: (item[0] not in ids, -_area(item[1])))
    most = max(_MOST_NAMED, sum(i in ids for i, _ in shown))
    named = [
        f"{quoted(objects[i].label)} {i}"
        f" [{1000 * x0 / width:.0f},{1000 * y0 / height:.0f},"
        f"{1000 * x1 / width:.0f},{1000 * y1 / height:.0f}]"
        for i, (x0, y0, x1, y1) in shown[: min(most, _MOST_ASKED)]
    ]
    return f"Picture {number}: {', '.join(named) or 'nothing in it is mapped'}"


def _area(box_px: tuple[float, float, float, float]) -> float:
    x0, y0, x1, y1 = box_px
    return (x1 - x0) * (y1 - y0)
