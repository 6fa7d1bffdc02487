"""What a program may ask of a picture: the five predefined functions of VADAR.

`same_object` and `get_2D_object_size` are calculations and stand in the prelude; the others end in
the functions of this file. What a program asked, and what it was told, is kept: an answer's steps
show it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

from scenemind.reasoning.sandbox import ApiError, SandboxApi
from scenemind.reasoning.vadar.view import BoxPx, View
from scenemind.words.quoting import quoted

Look = Callable[[View, str, BoxPx | None], str]
"""Answers a question about a picture, or about the thing in a box of it."""

_UNKNOWN_DEPTH = (
    "depth(image, bbox): how far away the thing in that box is, is not known; use what loc() found"
)
_MOST_CALLS_TOLD = 60


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

    def _loc(self, number: int, prompt: str) -> list[list[float]]:
        boxes = [_whole(box) for box in self._views[number].locator.locate(prompt)]
        self._boxes += reversed(boxes)
        self.calls.append(f"loc({quoted(prompt)}) -> {len(boxes)} boxes {_shown(boxes)}".rstrip())
        return [list(box) for box in boxes]

    def _vqa(self, number: int, question: str, box: Sequence[float] | None) -> str:
        box_px = None if box is None else self._checked(number, box, "vqa(image, question, bbox)")
        key = (number, question, box_px)
        if key not in self._looked:
            if self._looks_left <= 0:
                raise ApiError("vqa(image, question, bbox): the program has asked too often")
            self._looks_left -= 1
            self._looked[key] = self._look(self._views[number], question, box_px)
        answer = self._looked[key]
        about = "" if box_px is None else f", {_shown([box_px])}"
        self.calls.append(f"vqa({quoted(question)}{about}) -> {quoted(answer)}")
        return answer

    def _depth(self, number: int, box: Sequence[float]) -> float:
        box_px = self._checked(number, box, "depth(image, bbox)")
        source = self._views[number].depth
        depth_m = None if source is None else source.find_depth_m(box_px)
        told = "unknown" if depth_m is None else f"{depth_m:.2f} m"
        self.calls.append(f"depth({_shown([box_px])}) -> {told}")
        if depth_m is None:
            raise ApiError(_UNKNOWN_DEPTH)
        return round(depth_m, 3)

    def _checked(self, number: int, box: Sequence[float], call: str) -> BoxPx:
        """
        Raises:
            ApiError: it is no box within the picture.
        """
        view = self._views[number]
        x0, y0, x1, y1 = box
        if not (x0 < x1 and y0 < y1 and x1 > 0 and y1 > 0 and x0 < view.width and y0 < view.height):
            raise ApiError(
                f"{call}: bbox must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1 within the image"
                f" of {view.width} x {view.height} pixels, not {list(box)}"
            )
        box_px = (x0, y0, x1, y1)
        self._boxes.append(box_px)
        return box_px


def prelude() -> str:
    """Source of the predefined functions, and of builtins whose keys may call them."""
    return _read("programs", "builtins") + _read("vadar", "prelude")


def documentation() -> str:
    """The predefined functions as declarations, for models."""
    return _read("vadar", "documentation").strip()


def _whole(box: BoxPx) -> BoxPx:
    x0, y0, x1, y1 = (round(float(v), 1) for v in box)
    return x0, y0, x1, y1


def _shown(boxes: Sequence[BoxPx]) -> str:
    return ", ".join(f"[{', '.join(f'{v:.0f}' for v in box)}]" for box in boxes)


@cache
def _read(package: str, name: str) -> str:
    path = files("scenemind.reasoning").joinpath(package, f"{name}.py.txt")
    return path.read_text(encoding="utf-8")
