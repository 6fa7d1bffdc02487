"""Time to update the scene graph of many rooms, and to query it from programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.relation_profiles import PROFILES
from scenemind.bench.machine import machine, versions
from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.memory.finding.finder import ObjectFinder
from scenemind.memory.graph.relation_query import RelationContext, relate, relate_agent
from scenemind.memory.graph.relations import RELATION_NAMES
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.types import StructurePlane
from scenemind.simulation import make_room
from scenemind.simulation.room import Room, SimObject

_OBJECTS, _QUERY_POINTS = 40, 2000
_ROOM_M = 6.0
_LABELS = ("table", "chair", "cup", "shelf", "box", "monitor", "bin", "plant")
# Number of anchors for each relation's queries.
_ANCHORS = 5
_OF_AGENT = ("left of", "3 o'clock", "closest", "farthest", "within reach", "near", "far")
Ends = MapObject | tuple[MapObject, MapObject]


def slowest_relation(profile: str = "llm_tpc") -> tuple[str, float]:
    """The relation whose query takes longest, and its milliseconds."""
    times = relate_times_ms(profile)
    slowest = max(times, key=lambda name: times[name])
    return slowest, times[slowest]


def relate_times_ms(profile: str = "llm_tpc") -> Mapping[str, float]:
    """Milliseconds of a query by relation, about an object and about the agent ("left of, agent").

    Medians over the anchors of the whole call, from objects with points to a sorted result.
    """
    things = room_of_things()
    viewpoint = Viewpoint(np.array((0.5, 0.5, 1.2)), np.array((0.6, 0.8)), "the door")
    context = RelationContext(PROFILES[profile], viewpoint)
    anchors = things[:_ANCHORS]
    pairs = list(zip(anchors, things[-_ANCHORS:], strict=True))

    def about_object(name: str, end: Ends) -> object:
        return relate(things, end, name, context)

    def about_agent(name: str, _: Ends) -> object:
        return relate_agent(things, name, context)

    times = {}
    for name in RELATION_NAMES:
        times[name] = _median_query_ms(about_object, name, pairs if name == "between" else anchors)
    for name in _OF_AGENT:
        times[f"{name}, agent"] = _median_query_ms(about_agent, name, anchors)
    return times


def _median_query_ms(
    query: Callable[[str, Ends], object], name: str, ends: Sequence[Ends]
) -> float:
    """Median time after a first query that only loads code and tables."""
    query(name, ends[0])
    seconds = []
    for end in ends:
        started = time.perf_counter()
        query(name, end)
        seconds.append(time.perf_counter() - started)
    return 1e3 * median(seconds)


def room_of_things() -> tuple[MapObject, ...]:
    """Objects of random sizes in a room, some inside each other: the hard case of nearest."""
    rng = np.random.default_rng(0)
    return tuple(
        _query_thing(
            number,
            np.append(rng.uniform(0.0, _ROOM_M, 2), rng.uniform(0.2, 1.0)),
            rng.uniform(0.1, 1.5, 3),
            rng,
        )
        for number in range(_OBJECTS)
    )


def _query_thing(
    object_id: int,
    center: NDArray[np.float64],
    size: NDArray[np.float64],
    rng: np.random.Generator,
) -> MapObject:
    unit = rng.uniform(-0.5, 0.5, (_QUERY_POINTS, 3))
    unit[np.arange(_QUERY_POINTS), rng.integers(0, 3, _QUERY_POINTS)] = rng.choice(
        (-0.5, 0.5), _QUERY_POINTS
    )
    points = (center + unit * size).astype(np.float32)
    label = _LABELS[object_id % len(_LABELS)]
    return MapObject(
        object_id=object_id,
        label=label,
        perceived_label=label,
        attributes={},
        confidence=0.9,
        box=Box3D.from_bounds(points.min(axis=0), points.max(axis=0)),
        points=points,
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=10,
        track_ids=(),
    )


FEW, MANY = 200, 2000
_OBJECTS_A_ROOM = 50
# Furnish again; then the same objects return.
_DIFFERENT_ROOMS = 8
_SPACING_M = 14.0
_POINTS = 400
_MOVE_M = 0.03
# Changes, and lookups of each phrase, in a round.
_CHANGES = 20
_PHRASES = ("chair", "settee", "red cup", "wooden table", "botle", "something green", "xyzzy")
_FOUND = 10
Scene = dict[int, MapObject]


def bench_relations(rounds: int = 5) -> dict[str, Any]:
    """Milliseconds, medians over rounds.

    - `scratch_200_ms`, `scratch_2000_ms`: all relations and levels of a building of that many
      objects with floors and walls;
    - `update_2000_ms`: the same after one of the objects has moved by 3 cm;
    - `lookup_2000_ms`: taking in one changed object and finding objects by words, of the slowest
      phrase;
    - `relate_40x2000_ms`: the slowest relation query of a program on 40 objects of 2,000 points.
    """
    few, many = make_building(FEW), make_building(MANY)
    phrase, lookup_ms = _slowest_lookup(many[0], rounds)
    relation, relate_ms = slowest_relation()
    return {
        "scratch_200_ms": _scratch_ms(*few, rounds),
        "scratch_2000_ms": _scratch_ms(*many, rounds),
        "update_2000_ms": _update_ms(*many, rounds * _CHANGES),
        "lookup_2000_ms": lookup_ms,
        "relate_40x2000_ms": relate_ms,
        "relations_of_2000": len(_graph(*many).relations()),
        "slowest_lookup": phrase,
        "slowest_relation": relation,
        "machine": machine(),
        "versions": versions(),
    }


def _scratch_ms(scene: Scene, structure: Sequence[StructurePlane], rounds: int) -> float:
    return _median_ms(lambda: _graph(scene, structure), rounds)


def _update_ms(scene: Scene, structure: Sequence[StructurePlane], changes: int) -> float:
    graph, rng = _graph(scene, structure), np.random.default_rng(0)
    times = []
    for object_id in rng.choice(list(scene), changes).tolist():
        scene = scene | {object_id: _moved(scene[object_id])}
        times.append(_median_ms(lambda: _refresh(graph, scene, [object_id], structure), 1))  # noqa: B023
    return median(times)


def _slowest_lookup(scene: Scene, rounds: int) -> tuple[str, float]:
    finder = ObjectFinder()
    finder.refresh(scene)
    times: dict[str, float] = {}
    for phrase in _PHRASES:
        finder.find(phrase, _FOUND)
        of_phrase = []
        for object_id in islice(scene, rounds):
            scene = scene | {object_id: _moved(scene[object_id])}
            of_phrase.append(_median_ms(lambda: _look_up(finder, scene, phrase), 1))  # noqa: B023
        times[phrase] = median(of_phrase)
    slowest = max(times, key=lambda phrase: times[phrase])
    return slowest, times[slowest]


def _look_up(finder: ObjectFinder, scene: Scene, phrase: str) -> None:
    finder.refresh(scene)
    finder.find(phrase, _FOUND)


def _graph(scene: Scene, structure: Sequence[StructurePlane]) -> SceneGraph:
    graph = SceneGraph(RelationConfig())
    _refresh(graph, scene, list(scene), structure)
    return graph


def _refresh(
    graph: SceneGraph, scene: Scene, changed: list[int], structure: Sequence[StructurePlane]
) -> None:
    graph.refresh(scene, changed, structure)
    graph.relations()
    graph.levels()


def _median_ms(work: Callable[[], object], rounds: int) -> float:
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return 1e3 * median(seconds)


def _moved(thing: MapObject) -> MapObject:
    x, y, z = thing.box.center
    box = replace(thing.box, center=(x + _MOVE_M, y, z))
    return replace(thing, box=box, points=thing.points + np.array((_MOVE_M, 0, 0), np.float32))


def make_building(count: int) -> tuple[Scene, list[StructurePlane]]:
    """Make that number of objects in rooms side by side, with their floors and walls."""
    rooms = [make_room(seed, _OBJECTS_A_ROOM) for seed in range(_DIFFERENT_ROOMS)]
    scene: Scene = {}
    structure: list[StructurePlane] = []
    for number in range(-(-count // _OBJECTS_A_ROOM)):
        room = rooms[number % _DIFFERENT_ROOMS]
        row, column = divmod(number, 8)
        offset = (column * _SPACING_M, row * _SPACING_M, 0.0)
        for item in room.objects:
            object_id = len(scene) + 1
            scene[object_id] = _thing(object_id, item, offset)
        structure += _structure(room, offset, first_id=-1 - len(structure))
    return dict(islice(scene.items(), count)), structure


def _structure(
    room: Room, offset: tuple[float, float, float], first_id: int
) -> list[StructurePlane]:
    x, y, z = room.size
    floor = Box3D((0.0, 0.0, -0.01), (x, y, 0.02))
    walls = [Box3D((side * x / 2, 0.0, z / 2), (0.02, y, z)) for side in (1.0, -1.0)] + [
        Box3D((0.0, side * y / 2, z / 2), (x, 0.02, z)) for side in (1.0, -1.0)
    ]
    return [
        StructurePlane(
            first_id - number,
            "wall" if number else "floor",
            _shifted(box, offset),
            (0.0, 0.0, 1.0) if not number else (1.0, 0.0, 0.0),
            10.0,
        )
        for number, box in enumerate((floor, *walls))
    ]


def _thing(object_id: int, item: SimObject, offset: tuple[float, float, float]) -> MapObject:
    box = _shifted(item.box, offset)
    rng = np.random.default_rng(object_id)
    unit = rng.uniform(-0.5, 0.5, (_POINTS, 3))
    unit[np.arange(_POINTS), rng.integers(0, 3, _POINTS)] = rng.choice((-0.5, 0.5), _POINTS)
    return MapObject(
        object_id=object_id,
        label=item.label,
        perceived_label=item.label,
        attributes={"color": item.color},
        confidence=0.9,
        box=box,
        points=(np.asarray(box.center) + unit * box.size).astype(np.float32),
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=10,
        track_ids=(object_id,),
    )


def _shifted(box: Box3D, offset: tuple[float, float, float]) -> Box3D:
    x, y, z = (float(v) for v in np.add(box.center, offset))
    return replace(box, center=(x, y, z))
