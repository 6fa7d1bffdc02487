"""What a program may ask of a picture: the five predefined functions of VADAR.

`same_object` and `get_2D_object_size` are calculations and stand in the prelude; the others end in
the functions of this file. What a program asked, and what it was told, is kept: an answer's steps
show it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from scenemind.reasoning.sandbox import ApiError, SandboxApi
from scenemind.reasoning.vadar.results import box_text
from scenemind.reasoning.vadar.view import BoxPx, View, find_same
from scenemind.words.quoting import quoted, tame

Look = Callable[[View, str, BoxPx | None], str]
"""Answers a question about a picture, or about the thing in a box of it."""

_UNKNOWN_DEPTH = "how far away the thing in that box is, is not known; use what loc() found"
_LOC, _VQA, _DEPTH = (
    "loc(image, object_prompt)",
    "vqa(image, question, bbox)",
    "depth(image, bbox)",
)
_MOST_CALLS_TOLD, _MOST_BOXES_TOLD = 60, 10
_LONGEST_WORDS = 500


class VisionApi:
    """For the programs of one question.

    Attributes:
        calls: what the program asked and was told, oldest first, a line each.
    """

    def __init__(self, views: Sequence[View], look: Look, looks: int) -> None:
        """
        Args:
            views: the first is the program's `image`.
            looks: most questions to the vision model of all programs together.
        """
        self._views = views
        self._look = look
        self._looks_left = looks
        self._looked: dict[tuple[int, str, BoxPx | None], str] = {}
        self._located: dict[tuple[int, str], list[BoxPx]] = {}
        self._boxes: list[BoxPx] = []
        self.calls: list[str] = []

    def of_sandbox(self, learned: str = "") -> SandboxApi:
        """
        Args:
            learned: source of more functions, which has been tried.
        """
        return SandboxApi(
            prelude=f"{prelude()}\n\n{learned}",
            values={"_sizes": [(view.width, view.height) for view in self._views]},
            functions={"_loc": self._loc, "_vqa": self._vqa, "_depth": self._depth},
        )

    def take_calls(self) -> tuple[str, ...]:
        """What was asked since this was called last."""
        calls = (*self.calls[:_MOST_CALLS_TOLD],)
        if len(self.calls) > _MOST_CALLS_TOLD:
            calls = (*calls, f"... and {len(self.calls) - _MOST_CALLS_TOLD} more calls")
        self.calls.clear()
        return calls

    def take_object_ids(self) -> tuple[int, ...]:
        """Objects of the map in the first picture that were found or asked about since this was
        called last, the latest first."""
        found = self._views[0].find_objects(reversed(self._boxes))
        self._boxes.clear()
        return found

    @property
    def found(self) -> dict[str, tuple[BoxPx, ...]]:
        """What programs looked for in the first picture, and where they found it."""
        of_first = {w: boxes for (number, w), boxes in self._located.items() if number == 0}
        return {tame(words): tuple(boxes) for words, boxes in of_first.items()}

    def name_of(self, box_px: BoxPx) -> str:
        """What is in a box of the first picture, in the words by which it was found, and where."""
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
                raise ApiError(f"{_VQA}: the program has asked too often")
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
        """A box, without what is beyond the picture.

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
