"""What people say of floor, walls and ceiling: what they carry, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory import Edit, Relation, SceneMemoryError
from scenemind.memory.graph.corrections import CorrectionsJournal
from scenemind.memory.graph.corrections.exchange import corrections_from_json, corrections_to_json
from scenemind.memory.graph.corrections.replay import replay
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.types import StructurePlane
from tests.unit.memory.graph.corrections.room import (
    OBJECTS,
    delete,
    merge,
    new_journal,
    relate,
    rename,
    seen,
    set_attribute,
    solid,
    split,
)

FLOOR = StructurePlane(-1, "floor", Box3D((0, 0, -0.01), (8, 10, 0.02)), (0.0, 0.0, 1.0), 80.0)
# Behind the shelf, and behind the monitors.
WEST = StructurePlane(-2, "wall", Box3D((-4, 0, 1.5), (0.02, 10, 3)), (1.0, 0.0, 0.0), 30.0)
NORTH = StructurePlane(-3, "wall", Box3D((0, 5, 1.5), (8, 0.02, 3)), (0.0, -1.0, 0.0), 24.0)
PLANES = {plane.plane_id: plane for plane in (FLOOR, WEST, NORTH)}


def write(journal: CorrectionsJournal, *edits: Edit) -> None:
    journal.apply(edits, "Ada", "I say so", OBJECTS, 5, structure=PLANES)


def test_a_wall_carries_what_a_person_says_until_it_is_gone() -> None:
    computed = (Relation(8, "on", 4), Relation(8, "near", 4))
    journal = new_journal()
    write(journal, relate(8, "mounted on", -3), relate(-1, "supports", 7))
    relations = journal.relations(computed, seen(journal), PLANES)
    assert set(relations) == {
        Relation(8, "near", 4),
        Relation(8, "mounted on", -3, source="user"),
        Relation(7, "on", -1, source="user"),
    }
    assert journal.levels({4: 0, 7: 0, 8: 1}, relations, OBJECTS) == {4: 0, 7: 0, 8: 0}
    waiting = journal.relations(computed, seen(journal), [-1, -2])
    assert set(waiting) == {*computed, Relation(7, "on", -1, source="user")}
    assert journal.find_again({**OBJECTS, 20: OBJECTS[8]}, {}) == []


def test_a_wall_does_not_carry_what_a_person_denies() -> None:
    computed = (Relation(4, "hanging on", -2), Relation(4, "near", -2))
    journal = new_journal()
    write(journal, Edit("delete_relation", (4, -2), "hanging on"))
    assert journal.relations(computed, OBJECTS, PLANES) == (Relation(4, "near", -2),)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (relate(8, "on", -9), r"no floor, wall or ceiling -9; known are -1 \(floor\), -2 \(wall\)"),
        (relate(-3, "on", 1), "-3 is structure, which nothing carries: .* the other way round"),
        (relate(1, "supports", -1), "-1 is structure, which nothing carries"),
        (relate(-3, "near", -2), "both structure"),
        (rename(-3, "pillar"), "-3 is structure .* by add_relation and delete_relation"),
        (set_attribute(-3, "color", "red"), "-3 is structure"),
        (merge(1, -3), "-3 is structure"),
        (split(-3, (0, 0, 0), (1, 0, 0)), "-3 is structure"),
        (delete(-3), "-3 is structure"),
        (Edit("confirm", (-3,)), "-3 is structure"),
    ],
)
def test_other_corrections_of_the_building_are_refused(edit: Edit, message: str) -> None:
    with pytest.raises(SceneMemoryError, match=message):
        write(new_journal(), edit)


def test_a_statement_finds_its_wall_on_a_rebuilt_map() -> None:
    old, new = new_journal(), new_journal()
    write(old, relate(8, "mounted on", -3))
    entries = corrections_from_json(corrections_to_json(old.entries()))
    rebuilt = {11: solid(11, "monitor", (0.03, 4.02, 1.0), (1.2, 0.1, 0.4), seed=5)}
    east = replace(WEST, plane_id=-2, box=replace(WEST.box, center=(4, 0, 1.5)))
    north = replace(NORTH, plane_id=-7, box=Box3D((1.0, 5.05, 1.4), (5, 0.02, 2.8), 0.03))
    walls = {-1: FLOOR, -2: east, -7: north}
    (entry,) = replay(new, entries, rebuilt, {}, walls).applied
    assert entry.edit.object_ids == (11, -7)

    opposite = replace(north, plane_id=-8, box=replace(north.box, center=(1.0, 5.08, 1.4)))
    for planes, reason in ((PLANES | {-3: east}, "nothing like"), (walls | {-8: opposite}, "-7, ")):
        (left_out,) = replay(new_journal(), entries, rebuilt, {}, planes).left_out
        assert reason in left_out.reason


def test_relations_are_those_of_the_levels_that_people_say() -> None:
    """A cup on a table is one level above the box beside the table, and two levels from it once a
    person says that the box carries the table."""
    things = {
        o.object_id: o
        for o in (
            solid(1, "table", (0, 0, 0.4), (1, 1, 0.8)),
            solid(2, "cup", (0.3, 0, 0.85), (0.1, 0.1, 0.1)),
            solid(3, "box", (0.9, 0, 0.5), (0.5, 0.5, 1.0)),
        )
    }
    graph, journal = SceneGraph(RelationConfig()), new_journal()
    graph.refresh(things, list(things), [FLOOR])
    assert graph.levels() == {1: 0, 2: 1, 3: 0}
    between = {(r.subject_id, r.object_id) for r in graph.relations()}
    assert (2, 3) in between

    journal.apply([relate(1, "on", 3)], "", "", things, 0)
    relations = journal.relations(graph.relations(), things, [-1])
    levels = journal.levels(graph.levels(), relations, things)
    assert levels == {1: 1, 2: 2, 3: 0}
    relations = journal.relations(graph.relations_at(levels), things, [-1])
    between = {(r.subject_id, r.object_id) for r in relations}
    assert Relation(2, "on", 1) in [replace(r, confidence=1.0) for r in relations]
    assert {(1, 3), (2, 1)} <= between
    assert not {(2, 3), (3, 2), (1, -1)} & between
    assert graph.relations_at(graph.levels()) == graph.relations()


def test_levels_may_bring_relations_that_geometry_left_out() -> None:
    """The lamp on a cup on a table is two levels above the box beside it, unless a person says that
    it hangs on the wall."""
    things = {
        o.object_id: o
        for o in (
            solid(1, "table", (0, 0, 0.4), (1, 1, 0.8)),
            solid(2, "box", (0.3, 0, 0.85), (0.2, 0.2, 0.1)),
            solid(3, "lamp", (0.3, 0, 1.0), (0.1, 0.1, 0.2)),
            solid(4, "cabinet", (0.9, 0, 0.6), (0.5, 0.5, 1.2)),
        )
    }
    graph, journal = SceneGraph(RelationConfig()), new_journal()
    graph.refresh(things, list(things), [FLOOR, NORTH])
    assert graph.levels() == {1: 0, 2: 1, 3: 2, 4: 0}
    assert (3, 4) not in {(r.subject_id, r.object_id) for r in graph.relations()}
    journal.apply([relate(3, "hanging on", -3)], "", "", things, 0, structure=PLANES)
    relations = journal.relations(graph.relations(), things, PLANES)
    levels = journal.levels(graph.levels(), relations, things)
    assert levels == {1: 0, 2: 1, 3: 0, 4: 0}
    relations = journal.relations(graph.relations_at(levels), things, PLANES)
    assert (3, 4) in {(r.subject_id, r.object_id) for r in relations}
