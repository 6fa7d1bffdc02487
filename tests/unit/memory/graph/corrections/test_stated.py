"""Relations with what people said of them: theirs win, and what contradicts them goes."""

from __future__ import annotations

from contextlib import suppress
from graphlib import TopologicalSorter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory import Edit, Relation, SceneMemoryError
from scenemind.memory.graph.relations import CARRYING
from tests.unit.memory.graph.corrections.room import (
    OBJECTS,
    merge,
    new_journal,
    relate,
    said,
    seen,
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


def test_what_carries_is_kept_one_way_however_it_is_said() -> None:
    journal = new_journal()
    write(journal, relate(4, "supports", 7))
    assert (7, "on", 4, "user") in said(journal)
    assert not any(predicate == "supports" for _, predicate, _, _ in said(journal))


def test_a_person_says_what_carries_a_thing_and_geometry_does_not() -> None:
    journal = new_journal()
    write(journal, relate(2, "inside", 4))
    assert [r for r in said(journal) if r[0] == 2] == [(2, "inside", 4, "user")]


def test_later_word_on_what_carries_a_thing_wins() -> None:
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


ids = st.sampled_from(list(OBJECTS))
carried = st.sampled_from(["on", "inside", "hanging on", "supports", "contains"])


claims = st.builds(relate, ids, carried, ids) | st.builds(merge, ids, ids)


@given(st.lists(claims, max_size=8), st.permutations(list(OBJECTS)))
def test_nothing_carries_what_carries_it(claims: list[Edit], pile: list[int]) -> None:
    """Geometry: a pile. Of what people claim, what contradicts itself is refused."""
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


def test_levels_follow_what_people_say_carries_a_thing() -> None:
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


def test_what_is_not_next_to_a_thing_is_not_besides_it() -> None:
    journal = new_journal()
    write(journal, relate(7, "next to", 4), relate(7, "besides", 4))
    write(journal, Edit("delete_relation", (4, 7), "next to"))
    assert not {(7, 4), (4, 7)} & {(subject, other) for subject, _, other, _ in said(journal)}
