"""Corrections that contradict the map or an earlier one: refused, with a remedy in the error."""

from __future__ import annotations

import pytest

from scenemind.memory import Edit, SceneMemoryError
from scenemind.memory.graph.corrections import PerceivedMap
from tests.unit.memory.graph.corrections.room import (
    LEFT,
    MIDDLE,
    OBJECTS,
    RIGHT,
    delete,
    merge,
    new_journal,
    relate,
    rename,
    seen,
    solid,
    split,
    tell,
    write,
)
from tests.unit.memory.things import thing


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ((delete(7),), rename(7, "stool"), "object 7 is deleted; undo correction 1 first"),
        ((delete(7),), merge(1, 7), "object 7 is deleted; undo correction 1 first"),
        ((delete(7),), delete(7), "object 7 is deleted"),
        ((merge(1, 7),), rename(7, "stool"), "7 is part of object 1: .* or undo correction 1"),
        ((merge(1, 7), merge(4, 1)), delete(7), "7 is part of object 4"),
        ((merge(8, 7),), split(8, LEFT, RIGHT), "put together by a person: .* undo correction 1"),
        ((split(8, LEFT, RIGHT),), merge(8, 100), "told apart by a person: .* undo correction 1"),
        ((split(8, LEFT, MIDDLE, RIGHT),), merge(100, 101), "told apart by a person: .* undo"),
        ((relate(2, "on", 7),), relate(7, "inside", 2), "7 cannot be inside object 2, which it"),
        ((relate(2, "on", 7),), relate(2, "supports", 7), "undo correction 1 first"),
        (
            (relate(2, "on", 7), relate(7, "on", 1)),
            relate(1, "hanging on", 2),
            "1 cannot be hanging on object 2, .* undo correction 2 first",
        ),
    ],
)
def test_a_contradiction_is_refused(first: tuple[Edit, ...], second: Edit, message: str) -> None:
    journal = new_journal()
    write(journal, *first)
    with pytest.raises(SceneMemoryError, match=message):
        write(journal, second)
    assert len(journal.entries()) == len(first)
    for number in range(len(first), 0, -1):
        journal.undo(number)
    if 100 not in second.object_ids:
        write(journal, second)


def test_remedy_within_one_request_is_to_leave_the_edit_out() -> None:
    journal = new_journal()
    with pytest.raises(SceneMemoryError, match="object 7 is deleted; leave out that edit"):
        tell(journal, delete(7), rename(7, "stool"))
    assert 7 in seen(journal)


@pytest.mark.parametrize(
    ("object_id", "message"),
    [
        (6, r"no object 6; the nearest ids are 1 \(table\), 2 \(cup\), 4 \(shelf\), 7 \(chair\)"),
        (-2, "-2 is structure .* only say what it carries"),
        (10**30, "no object 1000000"),
    ],
)
def test_unknown_objects_are_named(object_id: int, message: str) -> None:
    with pytest.raises(SceneMemoryError, match=message):
        write(new_journal(), rename(object_id, "mug"))


def test_error_names_objects_that_are_gone() -> None:
    journal = new_journal()
    gone = {9: thing(9, "vase", (0, 0, 0), (1, 1, 1))}
    with pytest.raises(SceneMemoryError, match=r"object 9 \(vase\) is gone"):
        journal.apply([rename(9, "jug")], "", "", PerceivedMap(OBJECTS, gone), 0)


def test_an_empty_map_has_nothing_to_correct() -> None:
    with pytest.raises(SceneMemoryError, match="the map has no objects yet"):
        write(new_journal(), rename(1, "mug"), objects={})


def test_a_place_outside_of_the_object_makes_no_part() -> None:
    with pytest.raises(SceneMemoryError, match=r"\(0.0, 8.0, 1.0\).*not within 0.25 m of it"):
        write(new_journal(), split(8, LEFT, (0.0, 8.0, 1.0)))
    # Behind the other place: every point is nearer to that.
    with pytest.raises(SceneMemoryError, match=r"nearest to \(0.3, 4.28, 1.0\)"):
        write(new_journal(), split(8, LEFT, RIGHT, (0.3, 4.28, 1.0)))


def test_an_object_without_surface_is_not_split() -> None:
    flat = {3: thing(3, "sofa", (0, 0, 0), (2, 1, 1))}
    with pytest.raises(SceneMemoryError, match="object 3 has no surface points"):
        write(new_journal(), split(3, (-0.5, 0, 0), (0.5, 0, 0)), objects=flat)


def test_redo_is_refused_when_something_later_contradicts_it() -> None:
    journal = new_journal()
    write(journal, relate(2, "on", 7))
    journal.undo()
    write(journal, relate(7, "on", 2))
    with pytest.raises(SceneMemoryError, match="undo correction 2 first"):
        journal.redo(1)
    journal.undo(2)
    journal.redo(1)


@pytest.mark.parametrize("part", [8, 7])
def test_redo_does_not_merge_objects_that_were_split_since(part: int) -> None:
    journal = new_journal()
    objects = {**OBJECTS, 7: solid(7, "monitor", (0, 4, 1.0), (1.2, 0.1, 0.4))}
    write(journal, merge(8, 7), objects=objects)
    journal.undo()
    write(journal, split(part, LEFT, RIGHT), objects=objects)
    with pytest.raises(SceneMemoryError, match=rf"object {part} was split .* undo correction 2"):
        journal.redo(1)
    journal.undo(2)
    journal.redo(1)
    assert 7 not in seen(journal, objects)


def test_undone_entry_is_no_contradiction() -> None:
    journal = new_journal()
    write(journal, relate(2, "on", 7), Edit("delete_relation", (2, 7), "on"), relate(7, "on", 2))
    assert [entry.correction_id for entry in journal.standing()] == [1, 2, 3]


@pytest.mark.parametrize(("by", "reason"), [("x" * 121, ""), ("", "x" * 2001), ("a\x00", "")])
def test_speaker_and_reason_have_a_longest_length(by: str, reason: str) -> None:
    with pytest.raises(SceneMemoryError, match="a correction needs a"):
        new_journal().apply([rename(2, "mug")], by, reason, PerceivedMap(OBJECTS), 0)


def test_error_about_a_ring_names_its_newest_statement() -> None:
    journal = new_journal()
    tell(journal, relate(2, "on", 1), relate(2, "inside", 1), rename(4, "rack"))
    with pytest.raises(SceneMemoryError, match=r"1 cannot be on object 2, .* undo correction 2"):
        tell(journal, rename(7, "stool"), relate(1, "on", 2))
    assert [entry.correction_id for entry in journal.standing()] == [1, 2, 3]
    assert seen(journal)[7].label == "chair"
    journal.undo(2)
    journal.undo(1)
    tell(journal, relate(1, "on", 2))


def test_statement_about_two_merged_objects_can_be_redone() -> None:
    journal = new_journal()
    write(journal, relate(2, "on", 1))
    journal.undo(1)
    write(journal, merge(1, 2))
    assert not journal.redo(1)[0].undone
