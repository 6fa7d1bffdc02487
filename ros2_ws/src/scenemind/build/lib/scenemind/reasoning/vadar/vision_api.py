"""The five predefined functions of VADAR on a picture.

`same_object` and `get_2D_object_size` are calculations and stand in the prelude; the others end in
the functions of this file. Each call of a program and its result are kept for the steps of the
answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import cv2
from pydantic import BaseModel, ConfigDict, Field

from scenemind.frames.images import encode_color_file
from scenemind.language.quoting import quoted, tame
from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.sandbox import ApiError, SandboxApi
from scenemind.reasoning.vadar.views import BoxPx, View, box_text, find_same

_PROMPTS = "scenemind.reasoning.vadar"
_RED = (255, 0, 0)
# Of the box's line: to be seen in a large picture as well.
_LEAST_LINE_PX, _LINE_SHARE = 3, 0.004
_LONGEST_QUESTION, _LONGEST_LOOK = 300, 60

Look = Callable[[View, str, BoxPx | None], str]
"""The vision model's answer to a question about a picture, or about the thing in a box of it."""
_UNKNOWN_DEPTH = "how far away the thing in that box is, is not known; use what loc() found"
_LOC, _VQA, _DEPTH = (
    "loc(image, object_prompt)",
    "vqa(image, question, bbox)",
    "depth(image, bbox)",
)
_MOST_CALLS_TOLD, _MOST_BOXES_TOLD = 60, 10
_LONGEST_WORDS = 500


class VisionApi:
    """The predefined functions for the programs of one question.

    Attributes:
        calls: calls of the program with their results, oldest first, a line each.
    """

    def __init__(
        self,
        views: Sequence[View],
        look: Look,
        looks: int,
        object_names: Mapping[int, str] | None = None,
    ) -> None:
        """
        Args:
            views: the first is the program's `image`.
            looks: most questions to the vision model of all programs together.
            object_names: names of objects of the map, by id; they name the boxes of an answer.
        """
        self._views = views
        self._look = look
        self._object_names = object_names or {}
        self._looks_left = looks
        self._looked: dict[tuple[int, str, BoxPx | None], str] = {}
        self._located: dict[tuple[int, str], list[BoxPx]] = {}
        self._boxes: list[BoxPx] = []
        self.calls: list[str] = []

    def of_sandbox(self, learned: str = "") -> SandboxApi:
        """The whole API for the sandbox.

        Args:
            learned: source of the learned methods.
        """
        return SandboxApi(
            prelude=f"{prelude()}\n\n{learned}",
            values={"_sizes": [(view.width, view.height) for view in self._views]},
            functions={"_loc": self._loc, "_vqa": self._vqa, "_depth": self._depth},
            waiting=frozenset(("_loc", "_vqa", "_depth")),  # all may wait for a model
        )

    def take_calls(self) -> tuple[str, ...]:
        """The calls since this was called last."""
        calls = (*self.calls[:_MOST_CALLS_TOLD],)
        if len(self.calls) > _MOST_CALLS_TOLD:
            calls = (*calls, f"... and {len(self.calls) - _MOST_CALLS_TOLD} more calls")
        self.calls.clear()
        return calls

    def take_object_ids(self) -> tuple[int, ...]:
        """Ids of the map's objects in the first picture that programs found or asked about since
        this was called last, the latest first."""
        found = self._views[0].find_objects(reversed(self._boxes))
        self._boxes.clear()
        return found

    @property
    def found(self) -> dict[str, tuple[BoxPx, ...]]:
        """Words that programs looked for in the first picture -> the boxes that were found."""
        of_first = {w: boxes for (number, w), boxes in self._located.items() if number == 0}
        return {tame(words): tuple(boxes) for words, boxes in of_first.items()}

    def name_of(self, box_px: BoxPx) -> str:
        """The name of the thing in a box of the first picture: that of the map's object, else the
        words by which it was found, and the place."""
        object_id = self._views[0].find_object(box_px)
        if object_id is not None and object_id in self._object_names:
            return self._object_names[object_id]
        for words, boxes in self.found.items():
            if find_same(box_px, dict(enumerate(boxes))) is not None:
                x0, y0, x1, y1 = box_px
                return f"{words} at ({x0:.0f}, {y0:.0f}, {x1:.0f}, {y1:.0f})"
        return box_text(box_px)

    # A program may call the three functions below without the prelude's checks.

    def _loc(self, number: Any, prompt: Any) -> list[list[float]]:
        view, words = self._view(number, _LOC), _checked_words(prompt, _LOC)
        key = (number, words)
        if key not in self._located:
            self._located[key] = [_whole(box) for box in view.locator.locate(words)]
        boxes = self._located[key]
        self._boxes += reversed(boxes)
        self.calls.append(f"loc({quoted(words)}) -> {len(boxes)} boxes {_shown(boxes)}".rstrip())
        return [list(box) for box in boxes]

    def _vqa(self, number: Any, question: Any, box: Any) -> str:
        view, words = self._view(number, _VQA), _checked_words(question, _VQA)
        box_px = None if box is None else self._checked_box(view, box, _VQA)
        key = (number, words, box_px)
        if key not in self._looked:
            if self._looks_left <= 0:
                raise ApiError(
                    f"{_VQA}: all looks of this question are used up; what was asked before is"
                    " answered again"
                )
            self._looks_left -= 1
            self._looked[key] = self._look(view, words, box_px)
        answer = self._looked[key]
        about = "" if box_px is None else f", {_shown([box_px])}"
        self.calls.append(f"vqa({quoted(words)}{about}) -> {quoted(answer)}")
        return answer

    def _depth(self, number: Any, box: Any) -> float:
        view = self._view(number, _DEPTH)
        box_px = self._checked_box(view, box, _DEPTH)
        depth_m = None if view.depth is None else view.depth.find_depth_m(box_px)
        told = "unknown" if depth_m is None else f"{depth_m:.2f} m"
        self.calls.append(f"depth({_shown([box_px])}) -> {told}")
        if depth_m is None:
            raise ApiError(f"{_DEPTH}: {_UNKNOWN_DEPTH}")
        return round(depth_m, 3)

    def _view(self, number: Any, call: str) -> View:
        """
        Raises:
            ApiError: there is no picture of that number.
        """
        if type(number) is not int or not 0 <= number < len(self._views):
            raise ApiError(f"call {call}")
        return self._views[number]

    def _checked_box(self, view: View, box: Any, call: str) -> BoxPx:
        """A box, cut to the picture.

        Raises:
            ApiError: nothing of it is within the picture, or it is no box.
        """
        edges = box if isinstance(box, (list, tuple)) else ()
        if len(edges) == 4 and all(isinstance(edge, (int, float)) for edge in edges):
            x0, x1 = (min(max(edge, 0.0), float(view.width)) for edge in edges[::2])
            y0, y1 = (min(max(edge, 0.0), float(view.height)) for edge in edges[1::2])
            if x0 < x1 and y0 < y1 and not any(map(math.isnan, edges)):
                box_px = (x0, y0, x1, y1)
                self._boxes.append(box_px)
                return box_px
        raise ApiError(
            f"{call}: bbox must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1 within the image"
            f" of {view.width} x {view.height} pixels, not {tame(str(box))}"
        )


def prelude() -> str:
    """Source of the predefined functions, and of builtins whose keys may call them."""
    return _read("programs", "builtins") + _read("vadar", "prelude")


def documentation() -> str:
    """The predefined functions as declarations, for models."""
    return _read("vadar", "documentation").strip()


def _checked_words(words: Any, call: str) -> str:
    """
    Raises:
        ApiError: they are no words, or too many.
    """
    if not isinstance(words, str) or not 0 < len(words.strip()) <= _LONGEST_WORDS:
        raise ApiError(f"call {call} with 1 to {_LONGEST_WORDS} characters of text")
    return words


def _whole(box: BoxPx) -> BoxPx:
    x0, y0, x1, y1 = (round(float(v), 1) for v in box)
    return x0, y0, x1, y1


def _shown(boxes: Sequence[BoxPx]) -> str:
    shown = [f"[{', '.join(f'{v:.0f}' for v in box)}]" for box in boxes[:_MOST_BOXES_TOLD]]
    return ", ".join([*shown, "..."] if len(boxes) > len(shown) else shown)


@cache
def _read(package: str, name: str) -> str:
    path = files("scenemind.reasoning").joinpath(package, f"{name}.py.txt")
    return path.read_text(encoding="utf-8")


class LookAnswer(BaseModel):
    """The form of the vision model's reply."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(description="one word, or a number in digits")


def look(vision: ChatModel, view: View, question: str, box_px: BoxPx | None, asking: Asking) -> str:
    """The vision model's answer in a plain line: the thing in a red box, one word back (VADAR's
    `vqa`). Empty where it gives none.

    Raises:
        ModelError: the model failed, or the allowance is used up.
        ReasoningError: the image is damaged.
    """
    about = "The question is about the thing in the red box." if box_px else ""
    asked = f"{about}\nThe question: {quoted(question, _LONGEST_QUESTION)}".strip()
    jpeg = view.jpeg if box_px is None else _with_box(view, box_px)
    messages = [
        ChatMessage("system", read_prompt(_PROMPTS, "look")),
        ChatMessage("user", asked, (jpeg,)),
    ]
    try:
        said = ask_for(vision, messages, LookAnswer, asking.allowance, check=_complaint).answer
    except BadFormError as error:
        if not isinstance(error.form, LookAnswer):
            raise
        said = error.form.answer
    return tame(said, _LONGEST_LOOK).strip(" .\"'").lower()


def _complaint(form: LookAnswer) -> str | None:
    return None if tame(form.answer) else "answer is empty"


def _with_box(view: View, box_px: BoxPx) -> bytes:
    color = view.decoded().copy()
    x0, y0, x1, y1 = (round(v) for v in box_px)
    line_px = max(_LEAST_LINE_PX, round(_LINE_SHARE * max(view.width, view.height)))
    cv2.rectangle(color, (x0, y0), (x1, y1), _RED, line_px)
    return encode_color_file(color)
