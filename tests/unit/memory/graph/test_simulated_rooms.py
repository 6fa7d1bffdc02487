"""The graph of simulated rooms against the simulation's own record of supporters and walls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory.graph.relations import CARRYING
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.types import StructurePlane
from scenemind.simulation import make_room
from scenemind.simulation.room import Room, SimObject
from tests.unit.memory.things import thing

FLOOR, CEILING, FIRST_WALL = -1, -2, -3


def building(room: Room) -> Iterator[StructurePlane]:
    """A floor at 0, a ceiling, and four walls: ids -3 to -6."""
    x, y, z = room.size
    yield StructurePlane(FLOOR, "floor", Box3D((0, 0, -0.01), (x, y, 0.02)), (0, 0, 1), x * y)
    yield StructurePlane(CEILING, "ceiling", Box3D((0, 0, z), (x, y, 0.02)), (0, 0, -1), x * y)
    for number, side in enumerate((1.0, -1.0)):
        across_x = Box3D((side * x / 2, 0, z / 2), (0.02, y, z))
        across_y = Box3D((0, side * y / 2, z / 2), (x, 0.02, z))
        wall = FIRST_WALL - 2 * number
        yield StructurePlane(wall, "wall", across_x, (-side, 0, 0), y * z)
        yield StructurePlane(wall - 1, "wall", across_y, (0, -side, 0), x * z)


def graph_of(room: Room) -> SceneGraph:
    things = {
        item.instance_id: thing(item.instance_id, item.label, item.box.center, item.box.size)
        for item in room.objects
    }
    graph = SceneGraph(RelationConfig())
    graph.refresh(things, things, building(room))
    return graph


def true_level(room: Room, item: SimObject) -> int:
    by_id = {other.instance_id: other for other in room.objects}
    level = 0
    while item.supported_by is not None:
        level, item = level + 1, by_id[item.supported_by]
    return level


@pytest.mark.parametrize("count", [None, 50])
@pytest.mark.parametrize("seed", range(1, 6))
def test_supporters_are_those_of_the_simulation(seed: int, count: int | None) -> None:
    room = make_room(seed, count)
    graph = graph_of(room)
    carriers: dict[int, set[int]] = {item.instance_id: set() for item in room.objects}
    for relation in graph.relations():
        if relation.predicate in CARRYING:
            carriers[relation.subject_id].add(relation.object_id)
    for item in room.objects:
        found = carriers[item.instance_id]
        if item.supported_by is not None:
            assert item.supported_by in found, item.label
        elif item.on_wall or item.label == "door":  # which the simulation stands on the floor
            assert any(node <= FIRST_WALL for node in found), item.label
        else:
            assert found == {FLOOR}, item.label
        assert graph.levels()[item.instance_id] == true_level(room, item), item.label
