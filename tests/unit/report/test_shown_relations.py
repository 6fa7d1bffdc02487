"""A picture shows one relation between two things."""

from __future__ import annotations

from scenemind.memory import MemorySnapshot, Relation
from scenemind.memory.graph.relations.names import STORED
from scenemind.report import neighbourhood, shown_relations


def scene(*relations: Relation) -> MemorySnapshot:
    return MemorySnapshot(1, 0, {}, relations, None)


CUP_ON_TABLE = Relation(1, "on", 2, 0.5)
TABLE_NEAR_CHAIR = Relation(2, "near", 3, 0.9)
CHAIR_NEAR_TABLE = Relation(3, "near", 2, 0.9)
CHAIR_NEXT_TO_TABLE = Relation(3, "next to", 2, 0.7)


def test_by_default_only_what_carries() -> None:
    assert shown_relations(scene(CUP_ON_TABLE, TABLE_NEAR_CHAIR)) == [CUP_ON_TABLE]


def test_the_most_telling_one_of_two_things_is_shown_once() -> None:
    snapshot = scene(TABLE_NEAR_CHAIR, CHAIR_NEAR_TABLE, CHAIR_NEXT_TO_TABLE)
    assert shown_relations(snapshot, STORED) == [CHAIR_NEXT_TO_TABLE]
    assert shown_relations(snapshot, ["near"]) == [TABLE_NEAR_CHAIR]


def test_relations_of_one_object_begin_with_it() -> None:
    snapshot = scene(CUP_ON_TABLE, TABLE_NEAR_CHAIR, CHAIR_NEAR_TABLE)
    assert shown_relations(snapshot, STORED, object_id=3) == [CHAIR_NEAR_TABLE]
    assert shown_relations(snapshot, STORED, object_id=2) == [CUP_ON_TABLE, TABLE_NEAR_CHAIR]


def test_what_people_said_is_always_shown() -> None:
    tied = Relation(3, "tied to", 2, source="user")
    assert shown_relations(scene(tied, CHAIR_NEXT_TO_TABLE), STORED) == [tied]
    assert shown_relations(scene(tied)) == [tied]


def test_an_objects_neighbourhood() -> None:
    assert neighbourhood(2, [CUP_ON_TABLE, TABLE_NEAR_CHAIR, Relation(8, "near", 9)]) == {1, 2, 3}
    assert neighbourhood(7, []) == {7}
