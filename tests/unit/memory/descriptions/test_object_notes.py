"""Notes about objects: one of a kind each, through merges, and to disk once."""

from __future__ import annotations

from dataclasses import replace

from scenemind.memory.descriptions.object_notes import ObjectNotes
from scenemind.memory.types import Description

CHAIR = Description(1, {"material": "wood"}, "seer", "chair", 0, 5)
STOOL = Description(2, {"material": "steel"}, "seer", "stool", 0, 5)


def notes(*kept: Description) -> ObjectNotes[Description]:
    """By whom they are tells their kinds apart."""
    made = ObjectNotes[Description](lambda note: note.by)
    made.restore(kept)
    return made


def test_a_new_note_takes_the_place_of_the_old_one_of_its_kind() -> None:
    table = notes(CHAIR)
    newer, other = replace(CHAIR, observation_count=9), replace(CHAIR, by="another")
    table.put(newer)
    table.put(other)
    assert set(map(id, table)) == {id(newer), id(other)}
    assert len(table) == 2
    assert table.find(1, "seer") is newer
    assert table.find(1, "nobody") is None
    assert table.find(3, "seer") is None


def test_only_what_is_new_is_to_be_stored_and_only_once() -> None:
    table = notes(CHAIR)
    assert table.take_changes() == ()
    table.put(STOOL)
    assert table.take_changes() == (STOOL,)
    assert table.take_changes() == ()


def test_what_could_not_be_stored_comes_again_as_it_is_then() -> None:
    table = notes()
    table.put(CHAIR)
    table.put(STOOL)
    failed = table.take_changes()
    newer = replace(CHAIR, observation_count=9)
    table.put(newer)
    table.follow({}, [2])
    table.give_back(failed)
    assert table.take_changes() == (newer,)


def test_a_merged_objects_note_goes_over_where_there_is_none() -> None:
    table = notes(STOOL)
    table.follow({2: 1}, [2])
    assert table.take_changes() == (replace(STOOL, object_id=1),)
    assert table.find(2, "seer") is None


def test_the_kept_objects_own_note_stays() -> None:
    table = notes(CHAIR, STOOL)
    table.follow({2: 1}, [2])
    assert list(table) == [CHAIR]
    assert table.take_changes() == ()


def test_a_removed_objects_notes_go() -> None:
    table = notes(CHAIR, STOOL)
    table.follow({}, [1, 7])
    assert list(table) == [STOOL]
