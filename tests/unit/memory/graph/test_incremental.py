"""The graph after any updates equals a new one, and its statements are consistent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.memory.graph.relations import CARRYING
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.graph.statements import contradictions
from scenemind.memory.types import StructurePlane
from tests.unit.memory.things import surface_points, thing

Structure = Sequence[StructurePlane]


def fresh(objects: Mapping[int, MapObject], structure: Structure) -> SceneGraph:
    graph = SceneGraph(RelationConfig())
    graph.refresh(objects, objects, structure)
    return graph


def grid(low: int, high: int) -> st.SearchStrategy[float]:
    return st.integers(low, high).map(lambda i: i * 0.1)


parts = st.tuples(
    st.sampled_from(["table", "cup", "shelf", "picture", "chair", "door", "wall", "floor"]),
    st.tuples(grid(-15, 15), grid(-15, 15), grid(0, 12)),
    st.tuples(grid(0, 9), grid(0, 9), grid(0, 9)),
    st.sampled_from([0.0, 0.5]),
    st.integers(0, 3),
)
walls = st.builds(
    lambda number, x, yaw: StructurePlane(
        -number, "wall", Box3D((x, 0.3, 0.8), (2.0, 0.04, 1.6), yaw), (1.0, 0.0, 0.0), 3.0
    ),
    st.integers(3, 5),
    grid(-10, 10),
    st.sampled_from([0.0, 0.6, np.pi / 2]),
)
levels = st.builds(
    lambda number, kind, z: StructurePlane(
        -number, kind, Box3D((0.0, 0.0, z), (2.0, 2.0, 0.02)), (0.0, 0.0, 1.0), 4.0
    ),
    st.integers(1, 2),
    st.sampled_from(["floor", "ceiling"]),
    grid(-2, 14),
)
structures = st.lists(st.one_of(walls, levels), max_size=4, unique_by=lambda plane: plane.plane_id)


def made(object_id: int, part: tuple) -> MapObject:
    """A thing whose points, if any, are drawn with its seed."""
    *box, seed = part
    value = thing(object_id, *box)
    if not seed:
        return value
    return replace(value, points=surface_points(value.box.center, value.box.size, 60, seed))


edits = st.lists(st.tuples(st.integers(1, 12), st.one_of(st.none(), parts)), max_size=8)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.tuples(edits, structures), min_size=1, max_size=6), st.booleans())
def test_kept_up_to_date_it_is_the_graph_from_scratch(
    history: list[tuple[list[tuple[int, tuple | None]], Structure]], read_often: bool
) -> None:
    objects: dict[int, MapObject] = {}
    graph = SceneGraph(RelationConfig())
    for changes, structure in history:
        for object_id, part in changes:
            if part is None:
                objects.pop(object_id, None)
            else:
                objects[object_id] = made(object_id, part)
        graph.refresh(objects, [object_id for object_id, _ in changes], structure)
        if read_often:
            assert graph.relations() == fresh(objects, structure).relations()
    assert graph.relations() == fresh(objects, structure).relations()
    assert graph.levels() == fresh(objects, structure).levels()


@settings(deadline=None, max_examples=80)
@given(st.lists(parts, max_size=12), structures)
def test_statements_are_consistent(boxes: list[tuple], structure: Structure) -> None:
    objects = {number: made(number, part) for number, part in enumerate(boxes)}
    graph = fresh(objects, structure)
    stated, levels_of = graph.relations(), graph.levels()
    assert contradictions(stated) == []
    assert len({(r.subject_id, r.predicate, r.object_id) for r in stated}) == len(stated)
    building = {i for i in objects if objects[i].label in ("wall", "floor")}
    building |= {plane.plane_id for plane in structure}
    assert set(levels_of) == set(objects)
    for relation in stated:
        subject, other = relation.subject_id, relation.object_id
        assert subject != other
        assert 0.0 < relation.confidence <= 1.0
        if building & {subject, other}:
            assert all(levels_of[i] == 0 for i in {subject, other} - building)
        else:
            assert abs(levels_of[subject] - levels_of[other]) <= 1


@settings(deadline=None, max_examples=60)
@given(st.lists(parts, max_size=12), structures)
def test_a_level_is_one_more_than_the_supports(boxes: list[tuple], structure: Structure) -> None:
    objects = {number: made(number, part) for number, part in enumerate(boxes)}
    graph = fresh(objects, structure)
    carriers: dict[int, set[int]] = {number: set() for number in objects}
    for relation in graph.relations():
        carrier = objects.get(relation.object_id)
        if relation.predicate in CARRYING and carrier and carrier.label not in ("wall", "floor"):
            carriers[relation.subject_id].add(relation.object_id)
    for number, level in graph.levels().items():
        assert level == 0 or level in {graph.levels()[c] + 1 for c in carriers[number]}
