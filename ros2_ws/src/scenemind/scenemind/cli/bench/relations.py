"""`scenemind bench relations`: the scene graph of many rooms, and what programs ask of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from statistics import median
from typing import Any

import numpy as np

from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.bench.relate import slowest_relation
from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.memory.finding.finder import ObjectFinder
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.types import StructurePlane
from scenemind.simulation import make_room
from scenemind.simulation.room import Room, SimObject

FEW, MANY = 200, 2000
_OBJECTS_A_ROOM = 50
# Furnished anew; then the same ones come again.
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
    few, many = _building(FEW), _building(MANY)
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


def _building(count: int) -> tuple[Scene, list[StructurePlane]]:
    """So many objects in rooms side by side, with their floors and walls."""
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
