"""A scene as what methods can be learned on."""

from __future__ import annotations

from functools import cache
from typing import Any

from scenemind.reasoning.learned_methods import MethodApi
from scenemind.reasoning.learned_methods.method_api import is_one_of
from scenemind.reasoning.llm_tpc.probes import TOLD, scene_probes
from scenemind.reasoning.programs import documentation, prelude
from scenemind.reasoning.prompts import read_prompt

_PROMPTS = "scenemind.reasoning.llm_tpc"
_OBJECT, _SET, _LIST = "ObjectAttribute", "Set[ObjectAttribute]", "List[ObjectAttribute]"
_GIVE_SETS = ("scene", "building", "filter", "relate", "relate_agent")
_PARAMETERS = (_OBJECT, _SET, "Category", "Relation", "str", "float", "int", "bool")


@cache
def scene_methods() -> MethodApi:
    """On the functions of `reasoning/programs`."""
    return MethodApi(
        name="scene",
        questions="a place and the things in it: where they are, how they lie to each other and to"
        " who asks, and what they are like",
        design=read_prompt(_PROMPTS, "design_advice"),
        writing=read_prompt(_PROMPTS, "writing_advice"),
        documentation=documentation().strip(),
        prelude=prelude() + TOLD,
        parameters=_PARAMETERS,
        returns={
            _OBJECT: lambda value: value is None or _is_object(value),  # None: there is no such
            _SET: lambda value: _is_of("set", value) and all(map(_is_object, value["set"])),
            _LIST: lambda value: isinstance(value, list) and all(map(_is_object, value)),
            "str": is_one_of(str),
            "List[str]": lambda value: isinstance(value, list) and all(map(_is_str, value)),
            "float": is_one_of(int, float),
            "int": is_one_of(int),
            "bool": lambda value: isinstance(value, bool),
            "Any": lambda _: True,
        },
        guess_type=_guess_type,
        probes=scene_probes,
    )


def _is_of(kind: str, value: Any) -> bool:
    return isinstance(value, dict) and kind in value


def _is_object(value: Any) -> bool:
    return _is_of("object", value)


def _is_str(value: Any) -> bool:
    return isinstance(value, str)


def _guess_type(name: str) -> str:
    if "relation" in name:
        return "Relation"
    if name in ("category", "kind", "label"):
        return "Category"
    if name.endswith(("_set", "objects", "things")) or name in _GIVE_SETS:
        return _SET
    return "str" if name in ("color", "material", "shape", "state", "") else _OBJECT
