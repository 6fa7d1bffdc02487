"""Calls of new methods in made-up scenes."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.learned_methods import Probe
from scenemind.reasoning.learned_methods.method_api import told_source
from scenemind.reasoning.llm_tpc.probe_scenes import (
    LIVING_ROOM,
    NOTHING,
    OFFICE,
    Row,
    scene_of,
    standing,
)
from scenemind.reasoning.programs import SceneApi
from scenemind.reasoning.sandbox import SandboxApi

_CALLS = 6  # in one scene from one place
_RELATIONS = ("on", "near", "left", "right", "closest", "behind", "front", "farthest")
_WORDS = ("red", "wood", "round", "black", "empty")
_WORLDS: tuple[tuple[Sequence[Row], Viewpoint], ...] = (
    (OFFICE, standing(0.0, -1.0, (0.0, 0.0))),
    (OFFICE, standing(2.5, 1.5, (-1.0, 0.5))),
    (LIVING_ROOM, standing(-2.0, 2.2, (0.5, 0.5))),
    (LIVING_ROOM, standing(0.5, -2.0, (0.5, 1.0))),
)
# Runs after the API's own prelude.
TOLD = f"""
_things = {{thing.id: thing for thing in scene()}}
{told_source("ObjectAttribute", "id")}
"""


def scene_probes(types: Sequence[str]) -> list[Probe]:
    """For parameters of these types: several of furnished rooms, and one of a room with a box."""
    probes = [_probe(types, number, *world) for number, world in enumerate(_WORLDS)]
    bare = _probe(types, len(_WORLDS), NOTHING, _WORLDS[0][1])
    return [*probes, replace(bare, calls=bare.calls[:1], is_bare=True)]


def _probe(types: Sequence[str], number: int, rows: Sequence[Row], place: Viewpoint) -> Probe:
    api = _api(rows, place)
    asked: list[str] = []
    functions = {name: _heard(asked, name, call) for name, call in api.functions.items()}
    calls = tuple(
        ", ".join(_argument(type_, rows, (number, call, i)) for i, type_ in enumerate(types))
        for call in range(_CALLS)
    )
    return Probe(replace(api, functions=functions), calls, lambda: asked)


def _api(rows: Sequence[Row], place: Viewpoint) -> SandboxApi:
    of_sandbox = SceneApi(scene_of(rows), place).of_sandbox
    return replace(of_sandbox, prelude=of_sandbox.prelude + TOLD)


def _heard(asked: list[str], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        asked.append(f"{name}{args!r}")
        return function(*args)

    return call


def _argument(type_: str, rows: Sequence[Row], seed: tuple[int, int, int]) -> str:
    """Source of a value for a parameter; different things in different places of one call."""
    number, call, place = seed
    dice = zlib.crc32(repr(seed).encode())
    ids = range(1, len(rows) + 1)
    start = zlib.crc32(repr((number, call)).encode())
    values = {
        "ObjectAttribute": f"_things[{ids[(start + place) % len(ids)]}]",
        "Set[ObjectAttribute]": _set_of(_some(ids, call + place, dice)),
        "Category": repr(rows[dice % len(rows)][0]),
        "Relation": repr(_RELATIONS[dice % len(_RELATIONS)]),
        "str": repr(_WORDS[dice % len(_WORDS)]),
        "float": str(0.5 + dice % 30 / 10),
        "int": str(1 + dice % 3),
        "bool": str(dice % 2 == 0),
    }
    return values[type_]


def _set_of(ids: Sequence[int]) -> str:
    return f"{{{', '.join(f'_things[{i}]' for i in ids)}}}"


def _some(ids: Sequence[int], call: int, dice: int) -> Sequence[int]:
    """All of them every other time."""
    return ids if call % 2 == 0 else [i for i in ids if dice >> i & 1] or ids
