"""The graph of small scenes, and that keeping it up to date gives what a new one would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.memory import MapObject
from scenemind.memory.graph.relations import INVERSE
from scenemind.memory.graph.scene_graph import SceneGraph
from tests.unit.memory.things import thing

CONFIG = RelationConfig()


def scene(*things: MapObject) -> dict[int, MapObject]:
    return {value.object_id: value for value in things}


def fresh(objects: Mapping[int, MapObject]) -> SceneGraph:
    graph = SceneGraph(CONFIG)
    graph.refresh(objects, objects)
    return graph


def facts(objects: Mapping[int, MapObject]) -> set[tuple[str, str, str]]:
    return {
        (objects[r.subject_id].label, r.predicate, objects[r.object_id].label)
        for r in fresh(objects).relations()
    }


TABLE = thing(1, "table", (0, 0, 0.375), (1.6, 0.8, 0.75))
BOOK = thing(2, "book", (0.3, 0, 0.77), (0.2, 0.3, 0.04))
CUP = thing(3, "cup", (0.3, 0, 0.84), (0.08, 0.08, 0.1))
BIN = thing(4, "bin", (-0.3, 0, 0.2), (0.3, 0.3, 0.4))
CHAIR = thing(5, "chair", (1.3, 0, 0.45), (0.5, 0.5, 0.9))


def test_a_cup_on_a_book_on_a_table() -> None:
    """The cup is close enough to the table's top to stand on it, but the book carries it better.

    Two levels lie between the cup and the table, so nothing is said of these two.
    """
    assert facts(scene(TABLE, BOOK, CUP)) == {("cup", "on", "book"), ("book", "on", "table")}


def test_where_one_carries_the_other_nothing_else_is_said_of_the_two() -> None:
    assert facts(scene(TABLE, BOOK)) == {("book", "on", "table")}


def test_a_bin_under_a_table_is_below_it_and_not_inside() -> None:
    found = facts(scene(TABLE, BIN))
    assert {("bin", "below", "table"), ("table", "above", "bin")} <= found
    assert ("bin", "inside", "table") not in found


def test_the_same_bin_in_a_cabinet_is_inside() -> None:
    cabinet = thing(1, "cabinet", TABLE.box.center, TABLE.box.size)
    assert facts(scene(cabinet, BIN)) == {("bin", "inside", "cabinet")}


def test_neighbours_are_stated_both_ways() -> None:
    found = facts(scene(TABLE, CHAIR))
    assert {("chair", "next to", "table"), ("table", "next to", "chair")} <= found
    assert {("chair", "near", "table"), ("table", "near", "chair")} <= found


def test_a_cup_is_on_the_table_whose_box_reaches_up_to_a_monitor() -> None:
    """The tucked chair's back ends nearer to the cup than the table's box, but it has its seat."""
    rng = np.random.default_rng(0)

    def level(z: float, count: int) -> np.ndarray:
        return np.column_stack((rng.uniform(-0.25, 0.25, (count, 2)), np.full(count, z)))

    tall = thing(1, "table", (0, 0, 0.55), (1.6, 0.8, 1.1))
    table = replace(tall, points=np.vstack((level(0.75, 90), level(1.1, 9))).astype(np.float32))
    seat = np.vstack((level(0.45, 60), level(0.0, 20), level(0.85, 20))).astype(np.float32)
    chair = replace(thing(5, "chair", (0.3, 0, 0.425), (0.5, 0.5, 0.85)), points=seat)
    cup = thing(3, "cup", (0.3, 0, 0.8), (0.1, 0.1, 0.1))
    objects = scene(table, chair, cup)
    assert ("cup", "on", "table") in facts(objects)
    assert ("cup", "on", "chair") not in facts(objects)
    graph = fresh(scene(tall, chair, cup))
    graph.refresh(objects, [1])
    assert graph.relations() == fresh(objects).relations()


def test_taking_the_book_away_puts_the_cup_on_the_table() -> None:
    objects = scene(TABLE, BOOK, CUP)
    graph = fresh(objects)
    graph.relations()
    del objects[BOOK.object_id]
    graph.refresh(objects, [BOOK.object_id])
    assert [(r.subject_id, r.predicate, r.object_id) for r in graph.relations()] == [(3, "on", 1)]


def test_an_object_that_only_got_more_evidence_changes_nothing() -> None:
    objects = scene(TABLE, CUP)
    graph = fresh(objects)
    before = graph.relations()
    graph.refresh(objects, [1, 3])
    assert graph.relations() is before


def test_nothing_one_and_coincident_objects() -> None:
    assert fresh({}).relations() == ()
    assert fresh(scene(TABLE)).relations() == ()
    twin = thing(2, "table", TABLE.box.center, TABLE.box.size)
    graph = fresh(scene(TABLE, twin))
    assert "on" not in {r.predicate for r in graph.relations()}


def grid(low: int, high: int) -> st.SearchStrategy[float]:
    return st.integers(low, high).map(lambda i: i * 0.1)


boxes = st.tuples(
    st.sampled_from(["table", "cup", "shelf"]),
    st.tuples(grid(-15, 15), grid(-15, 15), grid(0, 12)),
    st.tuples(grid(0, 9), grid(0, 9), grid(0, 9)),
    st.sampled_from([0.0, 0.5]),
)
edits = st.lists(st.tuples(st.integers(1, 12), st.one_of(st.none(), boxes)), min_size=1, max_size=8)


@settings(deadline=None, max_examples=60)
@given(st.lists(edits, min_size=1, max_size=6), st.booleans())
def test_kept_up_to_date_it_is_the_graph_from_scratch(
    history: list[list[tuple[int, tuple | None]]], read_often: bool
) -> None:
    objects: dict[int, MapObject] = {}
    graph = SceneGraph(CONFIG)
    for step in history:
        for object_id, box in step:
            if box is None:
                objects.pop(object_id, None)
            else:
                objects[object_id] = thing(object_id, *box)
        graph.refresh(objects, [object_id for object_id, _ in step])
        if read_often:
            assert graph.relations() == fresh(objects).relations()
    assert graph.relations() == fresh(objects).relations()


@settings(deadline=None, max_examples=80)
@given(st.lists(boxes, max_size=10))
def test_what_is_said_is_said_the_other_way_round_too(parts: list[tuple]) -> None:
    graph = fresh(scene(*(thing(i, *part) for i, part in enumerate(parts))))
    said = {(r.subject_id, r.predicate, r.object_id) for r in graph.relations()}
    assert len(said) == len(graph.relations())
    for subject, predicate, other in said:
        assert subject != other
        if predicate in INVERSE:
            assert (other, INVERSE[predicate], subject) in said
    carried = [s for s, p, _ in said if p == "on"]
    assert len(carried) == len(set(carried))


def test_relations_are_ordered() -> None:
    graph = fresh(scene(CHAIR, CUP, TABLE, BOOK))
    order = [(r.subject_id, r.object_id) for r in graph.relations()]
    assert order == sorted(order)
    assert all(0.0 < r.confidence <= 1.0 and r.source == "geometry" for r in graph.relations())


@pytest.mark.parametrize("yaw", [0.0, 0.7, 3.1])
def test_a_turned_table_carries_its_cup(yaw: float) -> None:
    table = thing(1, "table", (0, 0, 0.375), (1.6, 0.8, 0.75), yaw)
    assert ("cup", "on", "table") in facts(
        scene(table, thing(3, "cup", (0, 0, 0.8), (0.1, 0.1, 0.1)))
    )
