"""The queries of programs, about a small room made by hand.

Seen from above (x to the right, y up; metres): a wall along y = 3; a picture on it; a table at the
origin with a cup and, below it, a bin; chairs left (x = -1.5), right (x = 1.2) and far (x = 4).
The viewer stands at (0, -3) and looks along +y.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.relation_profiles import PROFILES
from scenemind.geometry import Box3D, Pose
from scenemind.memory import MapObject, MemorySnapshot, Relation, SceneMemoryError, StructurePlane
from scenemind.memory.graph.relation_query import (
    RelationContext,
    query_relation,
    query_relation_agent,
    relate,
    relate_agent,
)
from scenemind.memory.graph.relations import RELATION_NAMES
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.memory.graph.scene_graph import SceneGraph
from tests.unit.memory.things import surface_points, thing

TABLE = thing(1, "table", (0.0, 0.0, 0.4), (1.6, 0.8, 0.8))
CUP = thing(2, "cup", (0.3, 0.1, 0.85), (0.1, 0.1, 0.1))
BIN = thing(3, "bin", (-0.4, 0.0, 0.15), (0.3, 0.3, 0.3))
LEFT = thing(4, "chair", (-1.5, 0.0, 0.45), (0.5, 0.5, 0.9))
RIGHT = thing(5, "chair", (1.2, 0.0, 0.45), (0.5, 0.5, 0.9))
FAR = thing(6, "chair", (4.0, 0.0, 0.45), (0.5, 0.5, 0.9))
PICTURE = thing(7, "picture", (-0.5, 2.97, 1.6), (0.8, 0.05, 0.6))
THINGS = (TABLE, CUP, BIN, LEFT, RIGHT, FAR, PICTURE)
CHAIRS = (LEFT, RIGHT, FAR)
WALL = StructurePlane(
    -2, "wall", Box3D((0.0, 3.05, 1.25), (8.0, 0.1, 2.5)), (0.0, -1.0, 0.0), seen_m2=20.0
)
FLOOR = StructurePlane(
    -1, "floor", Box3D((0.0, 0.0, -0.05), (9.0, 9.0, 0.1)), (0.0, 0.0, 1.0), seen_m2=60.0
)
VIEWER = Viewpoint(np.array((0.0, -3.0, 1.5)), np.array((0.0, 1.0)), "a test")
CONTEXT = RelationContext(viewpoint=VIEWER)


def names(found: object) -> list[int]:
    return [related.thing.object_id for related in found]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("anchor", "relation", "expected"),
    [
        (TABLE, "on", {2}),
        (TABLE, "on top of", {2}),  # a peer accepts it and never finds anything
        (TABLE, "below", {3}),
        (CUP, "supports", {1}),
        (CUP, "below", {1}),
        (BIN, "above", {1}),
        (TABLE, "left", {4, 3}),
        (TABLE, "right", {5, 6, 2}),
        (TABLE, "back", {7}),
        (TABLE, "behind", {7}),
        (TABLE, "three o'clock", {5, 6, 2}),
        (TABLE, "3 o'clock", {5, 6, 2}),
        (TABLE, "9 o'clock", {4, 3}),
        (TABLE, "closest", {3}),  # it touches the table's box, as the cup does
        (TABLE, "farthest", {6}),
        (TABLE, "within reach", {2, 3, 4, 5}),
        (TABLE, "around", {2, 3, 4, 5}),
        (TABLE, "far", {6, 7}),
        (TABLE, "higher than", {2, 7}),
        (PICTURE, "lower than", {1, 2, 3, 4, 5, 6}),
        (RIGHT, "next to", {1, 2}),
    ],
)
def test_related_things_about_an_anchor(
    anchor: MapObject, relation: str, expected: set[int]
) -> None:
    assert set(names(relate(THINGS, anchor, relation, CONTEXT))) == expected


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("left", set()),
        ("front", {1, 2, 3, 4, 5, 7}),
        ("behind", set()),
        ("twelve o'clock", {1, 2, 3, 4, 5, 7}),
        ("closest", {1}),
        ("within reach", set()),
        ("lower than", {1, 2, 3, 4, 5, 6}),
    ],
)
def test_related_things_about_the_agent(relation: str, expected: set[int]) -> None:
    assert set(names(relate_agent(THINGS, relation, CONTEXT))) == expected


def test_a_mug_below_the_camera_is_within_reach_of_the_agent() -> None:
    """The height of the camera does not limit the agent's reach."""
    tall = replace_position(VIEWER, (0.3, -0.8, 2.5))
    assert CUP.object_id in names(
        relate_agent(THINGS, "within reach", RelationContext(viewpoint=tall))
    )


def replace_position(viewer: Viewpoint, position: tuple[float, float, float]) -> Viewpoint:
    return Viewpoint(np.array(position), viewer.ahead, viewer.origin)


def test_results_are_ordered_by_score() -> None:
    found = relate(CHAIRS, TABLE, "near", CONTEXT)
    assert names(found) == [5, 4]
    assert found[0].score > found[1].score


def test_between_takes_two_anchors() -> None:
    assert set(names(relate(THINGS, (LEFT, RIGHT), "between", CONTEXT))) == {1, 2, 3}
    with pytest.raises(SceneMemoryError, match="'between' needs two anchors, got 1"):
        relate(THINGS, TABLE, "between", CONTEXT)
    with pytest.raises(SceneMemoryError, match="'on' needs one anchor, got 2"):
        relate(THINGS, (TABLE, LEFT), "on", CONTEXT)


@pytest.mark.parametrize("name", [name for name in RELATION_NAMES if name != "between"])
@pytest.mark.parametrize("profile", PROFILES)
def test_every_relation_can_be_asked_about_an_object(name: str, profile: str) -> None:
    context = RelationContext(PROFILES[profile], VIEWER)
    for related in relate(THINGS, TABLE, name, context):
        assert 0.0 < related.score <= 1.0
        assert related.thing is not TABLE
    assert relate((), TABLE, name, context) == ()


@pytest.mark.parametrize("relation", ["", "closets", "x" * 10_000, "table"])
def test_an_unknown_relation_is_an_error_that_lists_all(relation: str) -> None:
    with pytest.raises(SceneMemoryError, match=r"the relations are on, .*12 o'clock") as caught:
        relate(THINGS, TABLE, relation, CONTEXT)
    assert len(str(caught.value)) < 1000


def test_relations_that_depend_on_a_viewer_need_one() -> None:
    for relation in ("left", "three o'clock"):
        with pytest.raises(SceneMemoryError, match="give the context a viewpoint"):
            relate(THINGS, TABLE, relation)
    with pytest.raises(SceneMemoryError, match="give the context a viewpoint"):
        relate_agent(THINGS, "closest", RelationContext())


def test_nothing_is_on_or_inside_the_agent() -> None:
    with pytest.raises(SceneMemoryError, match="name an object as the anchor"):
        relate_agent(THINGS, "inside", CONTEXT)


def test_the_directions_of_one_thing() -> None:
    """LLM-TPC's example: a chair is left of the table."""
    assert query_relation(LEFT, TABLE, context=CONTEXT) == ["left"]
    assert query_relation(PICTURE, TABLE, ["back", "left", "above"], CONTEXT) == ["back"]
    assert query_relation(CUP, TABLE, ["on top of", "within reach"], CONTEXT) == [
        "within reach",
        "on top of",
    ]


def test_the_directions_of_one_thing_about_the_agent() -> None:
    assert query_relation_agent(TABLE, context=CONTEXT) == ["front", "12 o'clock"]
    assert query_relation_agent(FAR, context=CONTEXT) == ["right", "2 o'clock"]
    assert query_relation_agent(TABLE, ["front", "behind"], CONTEXT) == ["front"]


def test_one_thing_alone_is_not_the_closest() -> None:
    with pytest.raises(SceneMemoryError, match=r"'nearest' compares .* relate\(\)"):
        query_relation(CUP, TABLE, ["nearest"], CONTEXT)


def test_the_building_can_be_an_anchor() -> None:
    assert set(names(relate(THINGS, FLOOR, "on", CONTEXT))) == {1, 3, 4, 5, 6}
    assert names(relate(THINGS, WALL, "hanging on", CONTEXT)) == [7]
    assert names(relate(THINGS, WALL, "on", CONTEXT)) == [7]
    assert names(relate(THINGS, WALL, "closest", CONTEXT)) == [7]


def test_a_detected_floor_is_the_floor() -> None:
    floor = thing(9, "floor", FLOOR.box.center, FLOOR.box.size)
    assert set(names(relate((*THINGS, floor), floor, "on", CONTEXT))) == {1, 3, 4, 5, 6}


class TestGraph:
    """A graph in the context: its statements are taken, other relations computed."""

    def snapshot(self, *also: Relation, without: int | None = None) -> MemorySnapshot:
        objects = {o.object_id: o for o in THINGS}
        graph = SceneGraph(CONTEXT.config)
        graph.refresh(objects, objects, (FLOOR, WALL))
        stated = tuple(r for r in graph.relations() if r.subject_id != without)
        camera = Pose(
            np.column_stack(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))),
            np.array((0.0, -3.0, 1.5)),
        )
        return MemorySnapshot(
            *(1, 0, objects, (*stated, *also), camera),
            structure={-1: FLOOR, -2: WALL},
            levels=graph.levels(),
        )

    def test_stated_relation_counts(self) -> None:
        says = Relation(BIN.object_id, "on", TABLE.object_id, 1.0, "user")
        context = RelationContext.of_snapshot(self.snapshot(says))
        assert set(names(relate(THINGS, TABLE, "on top of", context))) == {2, 3}
        assert set(names(relate(THINGS, BIN, "supporting", context))) == {1}

    def test_denied_relation_no_longer_holds(self) -> None:
        context = RelationContext.of_snapshot(self.snapshot(without=CUP.object_id))
        assert relate(THINGS, TABLE, "on", context) == ()

    def test_a_denied_relation_of_things_on_distant_levels_does_not_hold(self) -> None:
        """The graph states nothing of them, so that boxes decide unless somebody spoke."""
        snapshot = replace(self.snapshot(), levels={CUP.object_id: 2, TABLE.object_id: 0})
        snapshot = replace(snapshot, relations=())
        denied = (Relation(CUP.object_id, "near", TABLE.object_id, source="user"),)
        for said, holds in ((), True), (denied, False):
            context = RelationContext.of_snapshot(replace(snapshot, denied=said))
            assert (CUP in [one.thing for one in relate(THINGS, TABLE, "near", context)]) is holds

    def test_only_the_best_carrier_carries(self) -> None:
        context = RelationContext.of_snapshot(self.snapshot())
        assert set(names(relate(THINGS, FLOOR, "on", context))) == {1, 3, 4, 5, 6}

    def test_camera_is_the_default_viewpoint(self) -> None:
        context = RelationContext.of_snapshot(self.snapshot())
        assert set(names(relate(CHAIRS, TABLE, "left", context))) == {4}

    def test_relations_missing_from_the_graph_are_computed(self) -> None:
        """A spoon in the cup on the table is two levels up, and still near the chair."""
        spoon = thing(8, "spoon", (0.9, 0.0, 0.9), (0.02, 0.02, 0.1))
        snapshot = self.snapshot()
        levels = {**snapshot.levels, spoon.object_id: 2}
        context = RelationContext.of_snapshot(replace(snapshot, levels=levels))
        assert names(relate((spoon,), RIGHT, "near", context)) == [8]
        near_one_level_up = replace(snapshot, levels={**levels, spoon.object_id: 1})
        context = RelationContext.of_snapshot(near_one_level_up)
        assert names(relate((spoon,), RIGHT, "near", context)) == []


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("front", "in front of"),
        ("Forwards", "in front of"),
        ("back", "behind"),
        ("backwards", "behind"),
        ("left_of", "left of"),
        ("three o\u2019clock", "3 o'clock"),
        ("nearest", "closest"),
        ("on top of", "on"),
        ("supported-by", "on"),
    ],
)
def test_a_relation_is_the_same_however_it_is_spelled(spelled: str, name: str) -> None:
    anchor = PICTURE if name == "in front of" else TABLE
    found = names(relate(THINGS, anchor, spelled, CONTEXT))
    assert found == names(relate(THINGS, anchor, name, CONTEXT)) != []


@pytest.mark.parametrize("name", [name for name in RELATION_NAMES if name != "between"])
def test_boxes_that_coincide_are_no_trouble(name: str) -> None:
    twins = [thing(number, "x" * 10_000, (1.0, 2.0, 3.0), (0.0, 0.0, 0.0)) for number in range(3)]
    found = relate(twins, twins[0], name, CONTEXT)
    assert all(0.0 < related.score <= 1.0 for related in found)
    assert relate(twins, (twins[0], twins[1]), "between", CONTEXT) == ()


def test_points_say_more_than_boxes() -> None:
    """A chair pushed under the arm of an L-shaped desk touches its box, not its boards."""
    boards = np.vstack(
        (
            surface_points((1.5, 0.0, 0.7), (3.0, 0.1, 0.05), 1000, 1),
            surface_points((0.0, 1.5, 0.7), (0.1, 3.0, 0.05), 1000, 2),
        )
    )
    low, high = boards.min(axis=0), boards.max(axis=0)
    desk = replace(thing(1, "desk", (low + high) / 2, high - low), points=boards)
    inside_its_box = thing(2, "chair", (2.5, 2.5, 0.5), (0.4, 0.4, 0.9))
    beside_it = thing(3, "chair", (-0.6, 1.0, 0.5), (0.4, 0.4, 0.9))
    assert names(relate((inside_its_box, beside_it), desk, "closest")) == [3]
