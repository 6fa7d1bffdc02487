"""The vision API as a base for learned methods, with made-up pictures to try them on.

Each thing that is asked for is there in some places, and everything has a depth and an answer. The
pictures are constant, so that the behaviour of methods on them can be compared.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from scenemind.reasoning.learned_methods import MethodApi
from scenemind.reasoning.learned_methods.method_api import Probe, is_one_of, plain_source
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.vadar.views import BoxPx, View
from scenemind.reasoning.vadar.vision_api import VisionApi, documentation, prelude

_PROMPTS = "scenemind.reasoning.vadar"
_PARAMETERS = ("Image", "Box", "list[Box]", "str", "float", "int", "bool")


@cache
def picture_methods() -> MethodApi:
    """The `MethodApi` of the five predefined functions."""
    return MethodApi(
        name="picture",
        questions="pictures of places: what things there are, what they are like, how large they"
        " are, how far away, and how they lie to each other in three dimensions",
        design=read_prompt(_PROMPTS, "design_advice"),
        writing=read_prompt(_PROMPTS, "writing_advice"),
        documentation=documentation(),
        prelude=prelude() + TOLD,
        parameters=_PARAMETERS,
        returns={
            "Box": is_one_of(list, tuple, type(None)),  # None: a box that is not there
            "list[Box]": is_one_of(list, tuple),
            "str": is_one_of(str),
            "list[str]": is_one_of(list, tuple),
            "float": is_one_of(int, float),
            "int": is_one_of(int),
            "bool": lambda value: isinstance(value, bool),
            "Any": lambda _: True,
        },
        guess_type=_guess_type,
        probes=picture_probes,
    )


def _guess_type(name: str) -> str:
    if name == "image":
        return "Image"
    if "boxes" in name or name == "loc":
        return "list[Box]"
    return "Box" if "box" in name else "str"


_WIDTH, _HEIGHT = 640, 480
_PICTURES = 12
_ANSWERS = ("chair", "red", "wood", "table", "left", "large", "blue", "round")
_YES_OR_NO = ("is", "are", "does", "do", "can", "has", "have", "was", "will")
_LOOKS = 1000
_TEXTS = ("chair", "red", "table", "what color is it?")
TOLD = plain_source("Image", "_number")


class ProbeEyes:
    """A `Locator` and a `DepthSource` of one made-up picture."""

    name = "a made-up picture"

    def __init__(self, number: int, most_boxes: int) -> None:
        self._number = number
        self._most_boxes = most_boxes

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """See `Locator`; at least one box but in a picture of nothing."""
        if not self._most_boxes:
            return ()
        count = 1 + _dice(self._number, prompt) % self._most_boxes
        return [probe_box(self._number, prompt, i) for i in range(count)]

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        """See `DepthSource`; always known."""
        return 0.5 + _dice(self._number, *box_px) % 800 / 100


def picture_probes(types: Sequence[str]) -> list[Probe]:
    """Probes for parameters of these types: one of several pictures, and one of an empty
    picture."""
    things = _probe([1 + i % 4 for i in range(_PICTURES)], types)
    return [things, replace(_probe([0], types), is_bare=True)]


def _probe(most_boxes: Sequence[int], types: Sequence[str]) -> Probe:
    eyes = [ProbeEyes(number, most) for number, most in enumerate(most_boxes)]
    views = [View(eye.name, _WIDTH, _HEIGHT, b"", eye, eye) for eye in eyes]
    api = VisionApi(views, probe_look, _LOOKS)
    of_sandbox = api.of_sandbox(TOLD)
    calls = (
        ", ".join(_argument(type_, place, number) for place, type_ in enumerate(types))
        for number in range(len(views))
    )
    return Probe(of_sandbox, tuple(calls), lambda: api.calls)


def probe_look(view: View, question: str, box_px: BoxPx | None) -> str:
    """An answer of the kind that is asked for."""
    del view
    dice = _dice(question, *(box_px or ()))
    first = question.lower().split()[0]
    if first == "how":
        return str(1 + dice % 5)
    if first in _YES_OR_NO:
        return ("yes", "no")[dice % 2]
    return _ANSWERS[dice % len(_ANSWERS)]


def probe_box(*seed: object) -> BoxPx:
    """A box well within the picture."""
    dice = _dice(*seed)
    x0, y0 = float(dice % 480), float(dice // 480 % 360)
    width, height = 20.0 + dice // 7 % 140, 20.0 + dice // 11 % 100
    return x0, y0, x0 + width, y0 + height


def _argument(type_: str, place: int, number: int) -> str:
    """Source of a value for the parameter in a place, in the picture of that number."""
    values = {
        "Image": f"_images[{number}]",
        "Box": str(list(probe_box(number, place))),
        "list[Box]": str([list(probe_box(number, place, i)) for i in range(1 + number % 3)]),
        "str": repr(_TEXTS[_dice(number, place) % len(_TEXTS)]),
        "float": str(0.5 + _dice(number, place) % 40 / 10),
        "int": str(1 + _dice(number, place) % 3),
        "bool": str(_dice(number, place) % 2 == 0),
    }
    return values[type_]


def _dice(*seed: object) -> int:
    return zlib.crc32(repr(seed).encode())
