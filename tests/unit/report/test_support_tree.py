"""Who stands under whom."""

from __future__ import annotations

from itertools import pairwise

import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MemorySnapshot, Relation
from scenemind.memory.types import StructurePlane
from scenemind.report import support_tree

from .made import make_object

FLOOR = StructurePlane(-1, "floor", Box3D((0.0, 0.0, 0.0), (5.0, 5.0, 0.0)), (0.0, 0.0, 1.0), 20.0)
WALL = StructurePlane(-2, "wall", Box3D((0.0, 2.5, 1.2), (5.0, 0.0, 2.4)), (0.0, -1.0, 0.0), 9.0)


def make_scene(*relations: Relation, labels: dict[int, str], planes: tuple = ()) -> MemorySnapshot:
    objects = {i: make_object(i, label, (0.0, 0.0, 0.0)) for i, label in labels.items()}
    structure = {plane.plane_id: plane for plane in planes}
    return MemorySnapshot(1, 0, objects, relations, None, structure=structure)


def shape(snapshot: MemorySnapshot) -> list[tuple[int, int | None, str]]:
    return [(b.depth, b.node_id, b.predicate) for b in support_tree(snapshot)]


def test_each_node_is_followed_by_what_it_carries() -> None:
    scene = make_scene(
        Relation(1, "on", 2),
        Relation(2, "on", -1),
        Relation(3, "on", -1),
        Relation(4, "hanging on", -2),
        Relation(1, "near", 3),
        labels={1: "cup", 2: "table", 3: "chair", 4: "picture"},
        planes=(WALL, FLOOR),
    )
    assert shape(scene) == [
        (0, -1, ""),
        (1, 2, "on"),
        (2, 1, "on"),
        (1, 3, "on"),
        (0, -2, ""),
        (1, 4, "hanging on"),
    ]
    carries = {branch.node_id: branch.carries for branch in support_tree(scene)}
    assert carries == {-1: 2, 2: 1, 1: 0, 3: 0, -2: 1, 4: 0}


def test_objects_that_are_the_building_stand_with_it() -> None:
    scene = make_scene(Relation(2, "on", 7), labels={2: "table", 7: "floor"})
    assert shape(scene) == [(0, 7, ""), (1, 2, "on")]


def test_what_nothing_known_carries_comes_last() -> None:
    scene = make_scene(Relation(1, "on", 2), labels={1: "cup", 2: "table"}, planes=(FLOOR,))
    assert shape(scene) == [(0, -1, ""), (0, None, ""), (1, 2, ""), (2, 1, "on")]


def test_an_object_stands_once_under_its_surest_carrier() -> None:
    scene = make_scene(
        Relation(1, "on", 2, 0.4),
        Relation(1, "inside", 3, 0.9),
        Relation(2, "on", -1),
        Relation(3, "on", -1),
        labels={1: "cup", 2: "table", 3: "box"},
        planes=(FLOOR,),
    )
    assert (2, 1, "inside") in shape(scene)
    assert [node for _, node, _ in shape(scene)].count(1) == 1


@pytest.mark.parametrize("circle", [(1, 1), (1, 2, 1), (1, 2, 3, 1)])
def test_a_circle_that_a_person_said_loses_no_object(circle: tuple[int, ...]) -> None:
    said = [Relation(a, "on", b, source="user") for a, b in pairwise(circle)]
    scene = make_scene(*said, labels=dict.fromkeys((1, 2, 3), "box"))
    assert sorted(node for _, node, _ in shape(scene) if node is not None) == [1, 2, 3]


def test_a_stack_may_be_high() -> None:
    count = 3000
    relations = [Relation(i + 1, "on", i) for i in range(count - 1)]
    scene = make_scene(*relations, labels=dict.fromkeys(range(count), "box"))
    assert max(branch.depth for branch in support_tree(scene)) == count


def test_nothing_is_an_empty_tree() -> None:
    assert shape(make_scene(labels={})) == []
