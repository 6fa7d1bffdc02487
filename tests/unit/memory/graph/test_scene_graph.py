"""The graph of small scenes, built at once and by updates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D, GeometryError
from scenemind.memory import MapObject
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.types import StructurePlane
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


def test_nothing_stands_on_the_back_of_a_chair() -> None:
    """A cup over a tucked chair, which ends as high as the table whose box covers both."""
    table = thing(1, "table", (0, 0, 0.375), (1.6, 1.6, 0.75))
    chair = thing(2, "chair", (0.6, 0, 0.375), (0.5, 0.5, 0.75))
    found = facts(scene(table, chair, thing(3, "cup", (0.6, 0, 0.8), (0.1, 0.1, 0.1))))
    assert ("cup", "on", "table") in found
    assert ("cup", "on", "chair") not in found
    pillow = thing(3, "pillow", (0.6, 0, 0.55), (0.4, 0.4, 0.2))
    assert ("pillow", "on", "chair") in facts(scene(chair, pillow))


@pytest.mark.parametrize("label", ["couch", "chair"])
def test_a_thing_on_a_seat_is_as_surely_on_it_as_one_on_a_table(label: str) -> None:
    """Half as high as its back, as seats are; nothing is known of its surface."""
    seat = thing(1, label, (0, 0, 0.4), (1.6, 0.8, 0.8))
    bag = thing(2, "bag", (0, 0, 0.55), (0.3, 0.3, 0.3))
    (on,) = (r for r in fresh(scene(seat, bag)).relations() if r.predicate == "on")
    assert on.confidence > 0.9


@pytest.mark.parametrize(("gap_m", "stands"), [(0.0, True), (0.2, True), (0.4, False)])
def test_a_screen_stands_on_a_foot_that_its_box_leaves_out(gap_m: float, stands: bool) -> None:
    screen = thing(2, "tv", (0, 0, 0.95 + gap_m), (0.1, 0.6, 0.4))
    assert (("tv", "on", "table") in facts(scene(TABLE, screen))) == stands
    cup = thing(2, "cup", (0, 0, 0.95 + gap_m), (0.1, 0.1, 0.4))
    assert (("cup", "on", "table") in facts(scene(TABLE, cup))) == (gap_m == 0.0)


def test_somebody_behind_a_table_is_next_to_it() -> None:
    """The table hides the legs; a picture at the same place hangs, and is no neighbour."""
    who = thing(2, "person", (1.0, 0, 1.0), (0.4, 0.5, 0.6))
    assert ("person", "next to", "table") in facts(scene(TABLE, who))
    picture = thing(2, "picture", (1.0, 0, 1.0), (0.4, 0.5, 0.6))
    assert ("picture", "next to", "table") not in facts(scene(TABLE, picture))


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


def test_graphs_of_no_object_and_of_one() -> None:
    assert fresh({}).relations() == ()
    assert fresh({}).levels() == {}
    assert fresh(scene(TABLE)).relations() == ()
    assert fresh(scene(TABLE)).levels() == {1: 0}


def test_of_coincident_boxes_none_carries_or_contains_another() -> None:
    twins = [thing(i, "box", (0, 0, 0.5), (1, 1, 1)) for i in range(5)]
    graph = fresh(scene(*twins))
    assert {r.predicate for r in graph.relations()} == {"next to", "besides", "near"}
    assert set(graph.levels().values()) == {0}


def test_a_box_without_extent_is_near_things() -> None:
    """Seen once, a thing may be a line or a point."""
    point = thing(2, "cup", (0, 0, 0.8), (0, 0, 0))
    assert ("cup", "near", "table") in facts(scene(TABLE, point))


def test_a_box_of_nan_is_an_error_before_it_gets_here() -> None:
    with pytest.raises(GeometryError, match="NaN"):
        thing(1, "cup", (0, float("nan"), 0), (1, 1, 1))


def test_points_of_nan_have_no_level_surface() -> None:
    bad = replace(TABLE, points=np.full((100, 3), np.nan, np.float32))
    assert facts(scene(bad, CUP)) == facts(scene(TABLE, CUP))


def test_a_label_of_10000_letters_is_a_label() -> None:
    long = thing(2, "very " * 2000 + "old cup", CUP.box.center, CUP.box.size)
    graph = fresh(scene(TABLE, replace(CUP, object_id=2)))
    assert fresh(scene(TABLE, long)).relations() == graph.relations()


def test_a_renamed_thing_has_the_relations_of_its_new_name() -> None:
    """A bin that a person calls a desk no longer contains what stands within its box."""
    cabinet = thing(1, "cabinet", TABLE.box.center, TABLE.box.size)
    objects = scene(cabinet, BIN)
    graph = fresh(objects)
    assert ("bin", "inside", "cabinet") in facts(objects)
    objects[1] = replace(cabinet, label="desk", corrected=True)
    graph.refresh(objects, [1])
    assert graph.relations() == fresh(objects).relations()
    assert ("bin", "below", "desk") in facts(objects)


FLOOR = StructurePlane(-1, "floor", Box3D((0, 0, -0.01), (8, 8, 0.02)), (0, 0, 1), 60.0)
WALL = StructurePlane(-2, "wall", Box3D((0, 2, 1.2), (8, 0.02, 2.4)), (0, -1, 0), 15.0)


def stated(
    objects: Mapping[int, MapObject], *structure: StructurePlane
) -> set[tuple[int, str, int]]:
    graph = SceneGraph(CONFIG)
    graph.refresh(objects, objects, structure)
    return {(r.subject_id, r.predicate, r.object_id) for r in graph.relations()}


def test_levels_count_supporters_from_the_floor_up() -> None:
    graph = SceneGraph(CONFIG)
    picture = thing(6, "picture", (1, 1.97, 1.5), (0.6, 0.03, 0.4))
    objects = scene(TABLE, BOOK, CUP, BIN, picture)
    graph.refresh(objects, objects, [FLOOR, WALL])
    assert graph.levels() == {1: 0, 2: 1, 3: 2, 4: 0, 6: 0}
    carriers = {(1, "on", -1), (2, "on", 1), (3, "on", 2), (4, "on", -1), (6, "hanging on", -2)}
    assert carriers <= stated(objects, FLOOR, WALL)


def test_floor_and_walls_are_neighbours_of_the_lowest_level_only() -> None:
    table = thing(1, "table", (0, 1.5, 0.375), (1.6, 0.8, 0.75))
    cup = thing(2, "cup", (0, 1.8, 0.8), (0.1, 0.1, 0.1))
    found = stated(scene(table, cup), FLOOR, WALL)
    assert {(1, "next to", -2), (-2, "next to", 1), (1, "near", -2)} <= found
    assert not {(s, o) for s, _, o in found if 2 in (s, o)} - {(2, 1), (1, 2)}


def test_a_floor_that_is_found_later_changes_levels_and_relations() -> None:
    graph = fresh(scene(TABLE))
    graph.refresh(scene(TABLE), [], [FLOOR])
    assert [(r.subject_id, r.predicate, r.object_id) for r in graph.relations()] == [(1, "on", -1)]
    graph.refresh(scene(TABLE), [])
    assert graph.relations() == ()


@pytest.mark.parametrize("floor_z", [-40.0, 0.0, 12.5])
def test_the_graph_is_the_same_wherever_the_floor_of_the_map_is(floor_z: float) -> None:
    """A peer measures heights from the middle of the scene: a cup above it is on nothing."""
    up = np.array((0, 0, floor_z))
    raised = scene(
        *(
            replace(o, box=Box3D(tuple(np.add(o.box.center, up).tolist()), o.box.size))
            for o in (TABLE, BOOK, CUP, BIN, CHAIR)
        )
    )
    floor = replace(FLOOR, box=Box3D((0, 0, floor_z - 0.01), (8, 8, 0.02)))
    assert stated(raised, floor) == stated(scene(TABLE, BOOK, CUP, BIN, CHAIR), FLOOR)


def test_a_wall_that_perception_detects_is_structure() -> None:
    wall = thing(7, "wall", (0, 2, 1.2), (8, 0.1, 2.4))
    tv = thing(8, "tv", (0, 1.9, 1.4), (1.2, 0.1, 0.7))
    graph = fresh(scene(wall, tv))
    assert (8, "mounted on", 7) in {
        (r.subject_id, r.predicate, r.object_id) for r in graph.relations()
    }
    assert graph.levels() == {7: 0, 8: 0}


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
