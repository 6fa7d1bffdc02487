"""Pictures as what methods can be learned on."""

from __future__ import annotations

from functools import cache

from scenemind.reasoning.learned_methods import MethodApi
from scenemind.reasoning.learned_methods.method_api import is_one_of
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.vadar.probes import TOLD, picture_probes
from scenemind.reasoning.vadar.vision_api import documentation, prelude

_PROMPTS = "scenemind.reasoning.vadar"
_PARAMETERS = ("Image", "Box", "list[Box]", "str", "float", "int", "bool")


@cache
def picture_methods() -> MethodApi:
    """On the five predefined functions."""
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
