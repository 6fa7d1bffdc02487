"""The scene API as a base for learned methods, with made-up scenes to try them on.

The scenes are constant, so that the behaviour of methods on them can be compared.

The office, seen from above (x to the right, y ahead of a person who faces its desk, metres):

        y=3    window 9             door 10
        y=2    cabinet 4 with plant 5
        y=0    chair 6    desk 1 with laptop 2, mug 3    chair 7
        y=-1                                             trash can 8

The living room has its things on the other side, and other colors, materials and states.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot, StructurePlane
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.reasoning.learned_methods import MethodApi, Probe
from scenemind.reasoning.learned_methods.method_api import is_one_of, plain_source
from scenemind.reasoning.programs import SceneApi, documentation, prelude
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.sandbox import SandboxApi

_PROMPTS = "scenemind.reasoning.llm_tpc"
_OBJECT, _SET, _LIST = "ObjectAttribute", "Set[ObjectAttribute]", "List[ObjectAttribute]"
_GIVE_SETS = ("scene", "building", "filter", "relate", "relate_agent")
_PARAMETERS = (_OBJECT, _SET, "Category", "Relation", "str", "float", "int", "bool")


@cache
def scene_methods() -> MethodApi:
    """The `MethodApi` of the scene functions (`reasoning/programs`)."""
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


_CALLS = 6  # in one scene from one place
_RELATIONS = ("on", "near", "left", "right", "closest", "behind", "front", "farthest")
_WORDS = ("red", "wood", "round", "black", "empty")
Row = tuple[str, tuple[float, float, float], tuple[float, float, float], str]
OFFICE: tuple[Row, ...] = (
    ("desk", (0.0, 0.0, 0.375), (1.6, 0.8, 0.75), "brown wood rectangular clean"),
    ("laptop", (0.2, 0.0, 0.77), (0.35, 0.25, 0.04), "black metal flat on"),
    ("mug", (-0.5, 0.1, 0.8), (0.1, 0.1, 0.1), "red ceramic round empty"),
    ("cabinet", (-2.0, 2.0, 0.5), (1.0, 0.5, 1.0), "white wood rectangular closed"),
    ("plant", (-2.0, 2.0, 1.2), (0.3, 0.3, 0.4), "green leaf round dry"),
    ("chair", (-1.3, 0.0, 0.45), (0.5, 0.5, 0.9), "black plastic round occupied"),
    ("chair", (1.4, 0.0, 0.5), (0.55, 0.5, 1.0), "blue metal round empty"),
    ("trash can", (2.1, -1.0, 0.2), (0.3, 0.3, 0.4), "gray metal round full"),
    ("window", (-0.8, 2.95, 1.5), (1.2, 0.1, 1.0), "white glass square open"),
    ("door", (1.8, 2.95, 1.0), (0.9, 0.1, 2.0), "brown wood rectangular closed"),
)
LIVING_ROOM: tuple[Row, ...] = (
    ("couch", (1.6, 1.2, 0.4), (2.0, 0.9, 0.8), "gray fabric rectangular empty"),
    ("pillow", (2.1, 1.3, 0.85), (0.4, 0.3, 0.1), "red fabric square clean"),
    ("table", (-0.6, 0.9, 0.25), (0.9, 0.9, 0.5), "black glass round clean"),
    ("book", (-0.7, 1.0, 0.52), (0.2, 0.3, 0.04), "blue paper flat open"),
    ("lamp", (-0.4, 0.7, 0.7), (0.2, 0.2, 0.4), "white metal round on"),
    ("chair", (-0.6, -0.3, 0.45), (0.5, 0.5, 0.9), "brown wood square empty"),
    ("chair", (-1.9, 0.8, 0.4), (0.5, 0.6, 0.8), "red fabric square occupied"),
    ("chair", (2.4, -1.4, 0.55), (0.6, 0.5, 1.1), "brown leather round empty"),
    ("shelf", (-2.5, -1.5, 0.9), (0.4, 1.2, 1.8), "white wood rectangular full"),
    ("tv", (0.2, 2.95, 1.4), (1.2, 0.1, 0.7), "black plastic flat off"),
)


def standing(x: float, y: float, toward: tuple[float, float]) -> Viewpoint:
    """The viewpoint of a person at (x, y) who looks towards a point of the floor."""
    ahead = np.subtract(toward, (x, y))
    return Viewpoint(np.array((x, y, 1.6)), ahead / np.linalg.norm(ahead), "a made-up place")


_WORLDS: tuple[tuple[Sequence[Row], Viewpoint], ...] = (
    (OFFICE, standing(0.0, -1.0, (0.0, 0.0))),
    (OFFICE, standing(2.5, 1.5, (-1.0, 0.5))),
    (LIVING_ROOM, standing(-2.0, 2.2, (0.5, 0.5))),
    (LIVING_ROOM, standing(0.5, -2.0, (0.5, 1.0))),
)
# Runs after the API's own prelude.
TOLD = f"""
_things = {{thing.id: thing for thing in scene()}}
{plain_source("ObjectAttribute", "id")}
"""


def scene_probes(types: Sequence[str]) -> list[Probe]:
    """Probes for parameters of these types: four in furnished rooms, and one in a room with a
    single box."""
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
    """All ids on every other call, else a random part of them."""
    return ids if call % 2 == 0 else [i for i in ids if dice >> i & 1] or ids


"""Category, centre, size, and colour, material, shape and state."""
NOTHING: tuple[Row, ...] = (("box", (1.0, 0.5, 0.2), (0.4, 0.4, 0.4), "brown paper square closed"),)
_ATTRIBUTES = ("color", "material", "shape", "state")
_NO_POINTS = np.zeros((0, 3), np.float32)
_BUILDING = (
    StructurePlane(-1, "floor", Box3D((0, 0, -0.01), (8, 8, 0.02)), (0, 0, 1), 30.0),
    StructurePlane(-2, "wall", Box3D((0, 3.05, 1.25), (8, 0.1, 2.5)), (0, -1, 0), 12.0),
)


@cache
def scene_of(rows: Sequence[Row]) -> MemorySnapshot:
    """A snapshot of these objects, with relations; ids count from 1."""
    things = {i: _thing(i, row) for i, row in enumerate(rows, start=1)}
    graph = SceneGraph(RelationConfig())
    graph.refresh(things, things, _BUILDING)
    structure = {plane.plane_id: plane for plane in _BUILDING}
    relations, levels = graph.relations(), graph.levels()
    return MemorySnapshot(1, 1, things, relations, None, structure=structure, levels=levels)


def _thing(object_id: int, row: Row) -> MapObject:
    label, center, size_m, words = row
    return MapObject(
        object_id=object_id,
        label=label,
        perceived_label=label,
        attributes=dict(zip(_ATTRIBUTES, words.split(), strict=True)),
        confidence=1.0,
        box=Box3D(center, size_m),
        points=_NO_POINTS,
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=1,
        track_ids=(),
    )
