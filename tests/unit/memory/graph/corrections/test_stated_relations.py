"""Stated relations, of objects and of the building."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from graphlib import TopologicalSorter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory import Edit, Relation, SceneMemoryError
from scenemind.memory.graph.corrections import CorrectionsJournal, PerceivedMap
from scenemind.memory.graph.corrections.replay import (
    corrections_from_json,
    corrections_to_json,
    replay,
)
from scenemind.memory.graph.relations import CARRYING
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.types import StructurePlane
from tests.unit.memory.graph.corrections.room import (
    OBJECTS,
    delete,
    merge,
    new_journal,
    relate,
    rename,
    said,
    seen,
    set_attribute,
    solid,
    split,
    write,
)


def test_relations_are_added_and_taken_out_in_both_directions() -> None:
    journal = new_journal()
    write(journal, Edit("delete_relation", (7, 1), "near"), relate(2, "left of", 7))
    assert said(journal) == [
        (2, "on", 1, "geometry"),
        (2, "left of", 7, "user"),
        (7, "right of", 2, "user"),
    ]


def test_support_is_stored_in_one_direction_however_it_is_stated() -> None:
    journal = new_journal()
    write(journal, relate(4, "supports", 7))
    assert (7, "on", 4, "user") in said(journal)
    assert not any(predicate == "supports" for _, predicate, _, _ in said(journal))


def test_stated_supporter_replaces_that_of_geometry() -> None:
    journal = new_journal()
    write(journal, relate(2, "inside", 4))
    assert [r for r in said(journal) if r[0] == 2] == [(2, "inside", 4, "user")]


def test_later_statement_about_a_supporter_wins() -> None:
    journal = new_journal()
    write(journal, relate(2, "on", 4), relate(2, "on", 7))
    assert [r for r in said(journal) if r[0] == 2] == [(2, "on", 7, "user")]
    journal.undo()
    assert [r for r in said(journal) if r[0] == 2] == [(2, "on", 4, "user")]


def test_geometry_that_would_close_a_ring_goes() -> None:
    """Geometry: 2 on 1, 7 on 2. A person: 1 on 7."""
    computed = (Relation(2, "on", 1), Relation(7, "on", 2))
    journal = new_journal()
    write(journal, relate(1, "on", 7))
    carried = {
        r.subject_id: (r.object_id, r.source) for r in journal.relations(computed, seen(journal))
    }
    assert carried[1] == (7, "user")
    assert carried == {1: (7, "user"), 7: (2, "geometry")}


def test_of_a_ring_that_a_merge_closes_the_oldest_statement_goes() -> None:
    """Cup 2 on chair 7 on table 1 on shelf 4; then the cup turns out to be the shelf."""
    journal = new_journal()
    write(journal, relate(2, "on", 7), relate(7, "on", 1), relate(1, "on", 4), merge(4, 2))
    carried = {r.subject_id: r.object_id for r in journal.relations((), seen(journal))}
    assert carried == {7: 1, 1: 4}


ids = st.sampled_from(list(OBJECTS))
carried = st.sampled_from(["on", "inside", "hanging on", "supports", "contains"])
claims = st.builds(relate, ids, carried, ids) | st.builds(merge, ids, ids)


@given(st.lists(claims, max_size=8), st.permutations(list(OBJECTS)))
def test_support_has_no_cycles(claims: list[Edit], pile: list[int]) -> None:
    """Geometry gives a pile; statements of people that contradict one another are refused."""
    journal = new_journal()
    for claim in claims:
        with suppress(SceneMemoryError):
            write(journal, claim)
    there = [i for i in pile if i in seen(journal)]
    computed = tuple(Relation(top, "on", below) for below, top in pairwise(there))
    carriers: dict[int, set[int]] = {i: set() for i in OBJECTS}
    for relation in journal.relations(computed, seen(journal)):
        assert relation.predicate in CARRYING
        carriers[relation.subject_id].add(relation.object_id)
    TopologicalSorter(carriers).prepare()  # raises where there is a ring


def test_opposites_exclude_each_other_and_the_later_one_wins() -> None:
    computed = (Relation(2, "above", 1), Relation(1, "below", 2))
    journal = new_journal()
    write(journal, relate(2, "below", 1))
    stated = {
        (r.subject_id, r.predicate, r.object_id) for r in journal.relations(computed, OBJECTS)
    }
    assert stated == {(2, "below", 1), (1, "above", 2)}
    write(journal, relate(2, "above", 1))
    stated = {
        (r.subject_id, r.predicate, r.object_id) for r in journal.relations(computed, OBJECTS)
    }
    assert stated == {(2, "above", 1), (1, "below", 2)}


def test_what_was_denied_and_not_stated_since_is_known() -> None:
    def denied() -> set[tuple[int, str, int]]:
        return {(r.subject_id, r.predicate, r.object_id) for r in journal.denied(OBJECTS)}

    journal = new_journal()
    assert denied() == set()
    write(journal, Edit("delete_relation", (1, 2), key="supports"))
    write(journal, Edit("delete_relation", (2, 7), key="next to"))
    sides = {(a, name, b) for name in ("next to", "besides") for a, b in ((2, 7), (7, 2))}
    assert denied() == {(2, "on", 1), *sides}
    write(journal, relate(2, "on", 1))
    assert denied() == sides
    journal.undo()
    assert denied() == {(2, "on", 1), *sides}


def test_a_statement_about_a_part_speaks_of_the_whole() -> None:
    journal = new_journal()
    write(journal, relate(2, "on", 7), merge(4, 7))
    assert (2, "on", 4, "user") in said(journal)


def test_a_statement_waits_while_one_of_its_objects_is_not_there() -> None:
    journal = new_journal()
    write(journal, relate(2, "on", 7))
    without = {i: o for i, o in OBJECTS.items() if i != 7}
    computed = (Relation(2, "on", 1),)
    assert journal.relations(computed, without) == computed


def test_levels_follow_stated_supports() -> None:
    """Geometry: cup 2 on table 1, chair 7 on the floor (-1); a person: the table on the chair."""
    computed = (Relation(2, "on", 1), Relation(1, "on", -1), Relation(7, "on", -1))
    levels = {1: 0, 2: 1, 4: 0, 7: 0, 8: 0}
    journal = new_journal()
    assert journal.levels(levels, computed, OBJECTS) is levels
    write(journal, relate(1, "on", 7))
    relations = journal.relations(computed, seen(journal))
    assert journal.levels(levels, relations, OBJECTS) == {1: 1, 2: 2, 4: 0, 7: 0, 8: 0}
    journal.undo()
    write(journal, Edit("delete_relation", (2, 1), "on"))
    relations = journal.relations(computed, seen(journal))
    assert journal.levels(levels, relations, OBJECTS) == {1: 0, 2: 0, 4: 0, 7: 0, 8: 0}


def test_denied_next_to_denies_besides() -> None:
    journal = new_journal()
    write(journal, relate(7, "next to", 4), relate(7, "besides", 4))
    write(journal, Edit("delete_relation", (4, 7), "next to"))
    assert not {(7, 4), (4, 7)} & {(subject, other) for subject, _, other, _ in said(journal)}


FLOOR = StructurePlane(-1, "floor", Box3D((0, 0, -0.01), (8, 10, 0.02)), (0.0, 0.0, 1.0), 80.0)
# Behind the shelf, and behind the monitors.
WEST = StructurePlane(-2, "wall", Box3D((-4, 0, 1.5), (0.02, 10, 3)), (1.0, 0.0, 0.0), 30.0)
NORTH = StructurePlane(-3, "wall", Box3D((0, 5, 1.5), (8, 0.02, 3)), (0.0, -1.0, 0.0), 24.0)
PLANES = {plane.plane_id: plane for plane in (FLOOR, WEST, NORTH)}


def write_about_building(journal: CorrectionsJournal, *edits: Edit) -> None:
    journal.apply(edits, "Ada", "I say so", PerceivedMap(OBJECTS, structure=PLANES), 5)


def test_a_stated_object_stays_on_the_wall_until_the_wall_is_gone() -> None:
    computed = (Relation(8, "on", 4), Relation(8, "near", 4))
    journal = new_journal()
    write_about_building(journal, relate(8, "mounted on", -3), relate(-1, "supports", 7))
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


def test_a_denied_support_by_a_wall_is_removed() -> None:
    computed = (Relation(4, "hanging on", -2), Relation(4, "near", -2))
    journal = new_journal()
    write_about_building(journal, Edit("delete_relation", (4, -2), "hanging on"))
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
        write_about_building(new_journal(), edit)


def test_a_statement_finds_its_wall_on_a_rebuilt_map() -> None:
    old, new = new_journal(), new_journal()
    write_about_building(old, relate(8, "mounted on", -3))
    entries = corrections_from_json(corrections_to_json(old.entries()))
    rebuilt = {11: solid(11, "monitor", (0.03, 4.02, 1.0), (1.2, 0.1, 0.4), seed=5)}
    east = replace(WEST, plane_id=-2, box=replace(WEST.box, center=(4, 0, 1.5)))
    north = replace(NORTH, plane_id=-7, box=Box3D((1.0, 5.05, 1.4), (5, 0.02, 2.8), 0.03))
    walls = {-1: FLOOR, -2: east, -7: north}
    (entry,) = replay(new, entries, PerceivedMap(rebuilt, structure=walls)).applied
    assert entry.edit.object_ids == (11, -7)

    opposite = replace(north, plane_id=-8, box=replace(north.box, center=(1.0, 5.08, 1.4)))
    for planes, reason in (
        (PLANES | {-3: east}, "no object like"),
        (walls | {-8: opposite}, "-7, "),
    ):
        (left_out,) = replay(
            new_journal(), entries, PerceivedMap(rebuilt, structure=planes)
        ).left_out
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

    journal.apply([relate(1, "on", 3)], "", "", PerceivedMap(things), 0)
    relations = journal.relations(graph.relations(), things, [-1])
    levels = journal.levels(graph.levels(), relations, things)
    assert levels == {1: 1, 2: 2, 3: 0}
    relations = journal.relations(graph.relations_at(levels), things, [-1])
    between = {(r.subject_id, r.object_id) for r in relations}
    assert Relation(2, "on", 1) in [replace(r, confidence=1.0) for r in relations]
    assert {(1, 3), (2, 1)} <= between
    assert not {(2, 3), (3, 2), (1, -1)} & between
    assert graph.relations_at(graph.levels()) == graph.relations()


def test_stated_level_adds_relations_that_geometry_left_out() -> None:
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
    journal.apply([relate(3, "hanging on", -3)], "", "", PerceivedMap(things, structure=PLANES), 0)
    relations = journal.relations(graph.relations(), things, PLANES)
    levels = journal.levels(graph.levels(), relations, things)
    assert levels == {1: 0, 2: 1, 3: 0, 4: 0}
    relations = journal.relations(graph.relations_at(levels), things, PLANES)
    assert (3, 4) in {(r.subject_id, r.object_id) for r in relations}
