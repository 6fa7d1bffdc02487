"""The journal of corrections: precedence of later entries, undo and redo."""

from __future__ import annotations

import time
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory import Edit, SceneMemoryError
from tests.unit.memory.graph.corrections.room import (
    LEFT,
    OBJECTS,
    RELATIONS,
    RIGHT,
    delete,
    merge,
    new_journal,
    relate,
    rename,
    said,
    seen,
    set_attribute,
    split,
    tell,
    write,
)


def test_an_empty_journal_changes_nothing() -> None:
    journal = new_journal()
    assert seen(journal) is OBJECTS
    assert journal.relations(RELATIONS, OBJECTS) == RELATIONS


def test_speaker_time_and_reason_are_kept() -> None:
    journal = new_journal()
    write(journal, rename(2, "mug"))
    (entry,) = journal.entries()
    assert (entry.correction_id, entry.by, entry.reason, entry.stamp_ns) == (
        1,
        "Ada",
        "I say so",
        5,
    )


def test_entry_keeps_its_objects_and_their_places() -> None:
    journal = new_journal()
    write(journal, rename(2, "mug"), rename(2, "glass"))
    for entry in journal.entries():
        (anchor,) = entry.anchors
        assert (anchor.object_id, anchor.label, anchor.box) == (2, "cup", OBJECTS[2].box)


def test_later_entries_win_and_undo_brings_the_earlier_one_back() -> None:
    journal = new_journal()
    write(journal, rename(2, "mug"), rename(2, "glass"))
    assert seen(journal)[2].label == "glass"
    assert [entry.correction_id for entry in journal.undo()] == [2]
    assert seen(journal)[2].label == "mug"
    journal.undo()
    assert seen(journal)[2].label == "cup"
    with pytest.raises(SceneMemoryError, match="no correction to undo"):
        journal.undo()
    assert [entry.undone for entry in journal.entries()] == [True, True]


def test_undo_by_number() -> None:
    journal = new_journal()
    write(journal, rename(2, "mug"), rename(7, "stool"))
    journal.undo(1)
    assert (seen(journal)[2].label, seen(journal)[7].label) == ("cup", "stool")
    with pytest.raises(SceneMemoryError, match="undone already"):
        journal.undo(1)
    with pytest.raises(SceneMemoryError, match=r"no correction 9; those that stand: \[2\]"):
        journal.undo(9)


def test_redo_takes_back_undo_the_last_one_first() -> None:
    journal = new_journal()
    write(journal, rename(2, "mug"), rename(7, "stool"))
    journal.undo()
    journal.undo()
    assert [entry.correction_id for entry in journal.redo()] == [1]
    assert (seen(journal)[2].label, seen(journal)[7].label) == ("mug", "chair")
    assert [entry.undone_ns for entry in journal.redo()] == [0]
    assert seen(journal)[7].label == "stool"
    with pytest.raises(SceneMemoryError, match="no correction to redo"):
        journal.redo()
    with pytest.raises(SceneMemoryError, match="correction 2 stands"):
        journal.redo(2)
    with pytest.raises(SceneMemoryError, match="no correction 9"):
        journal.redo(9)


def test_entries_undone_in_one_tick_of_the_clock_are_redone_in_turn(monkeypatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 5)
    journal = new_journal()
    write(journal, rename(2, "mug"), rename(7, "stool"))
    journal.undo()
    journal.undo()
    assert [entry.correction_id for _ in range(2) for entry in journal.redo()] == [1, 2]


def test_what_one_sentence_wrote_is_undone_and_redone_as_one(monkeypatch) -> None:
    monkeypatch.setattr(time, "time_ns", count(1).__next__)
    journal = new_journal()
    tell(journal, rename(2, "mug"))
    tell(journal, rename(4, "stool"), rename(7, "stool"))
    assert [entry.correction_id for entry in journal.undo()] == [2, 3]
    assert [entry.undone for entry in journal.entries()] == [False, True, True]
    assert [entry.correction_id for entry in journal.undo()] == [1]
    assert [entry.correction_id for entry in journal.redo()] == [1]
    assert [entry.correction_id for entry in journal.redo()] == [2, 3]
    journal.undo(2)
    journal.undo(3)
    assert [entry.correction_id for entry in journal.redo()] == [3]  # 2 was undone by itself


def test_numbered_entries_are_undone_and_redone_all_or_none() -> None:
    journal = new_journal()
    write(journal, rename(2, "mug"), rename(4, "stool"), rename(7, "stool"))
    with pytest.raises(SceneMemoryError, match="no correction 9"):
        journal.undo(1, 9)
    assert not any(entry.undone for entry in journal.entries())
    assert [entry.correction_id for entry in journal.undo(3, 1)] == [1, 3]
    with pytest.raises(SceneMemoryError, match="correction 2 stands"):
        journal.redo(1, 2, 3)
    assert [entry.undone for entry in journal.entries()] == [True, False, True]


def test_redone_entries_are_checked_against_one_another() -> None:
    journal = new_journal()
    write(journal, relate(2, "on", 1))
    journal.undo()
    write(journal, relate(1, "on", 2))
    journal.undo()
    with pytest.raises(SceneMemoryError, match="1 cannot be on object 2"):
        journal.redo(1, 2)
    assert all(entry.undone for entry in journal.entries())


def test_a_redone_entry_stands_where_it_stood() -> None:
    journal = new_journal()
    write(journal, rename(2, "mug"))
    journal.undo()
    write(journal, rename(2, "glass"))
    journal.redo(1)
    assert seen(journal)[2].label == "glass"


def test_entries_on_an_object_that_an_entry_made_wait_for_that_entry() -> None:
    journal = new_journal()
    write(journal, split(8, LEFT, RIGHT), rename(100, "television"))
    journal.undo(1)
    assert 100 not in seen(journal)
    journal.redo(1)
    assert seen(journal)[100].label == "television"


def test_an_object_that_comes_back_has_its_correction() -> None:
    journal = new_journal()
    write(journal, rename(2, "mug"))
    without = {k: v for k, v in OBJECTS.items() if k != 2}
    assert 2 not in seen(journal, without)
    assert seen(journal)[2].label == "mug"


def test_entries_follow_a_merge() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"), relate(2, "near", 7))
    rewritten = journal.follow({7: 1})
    assert [entry.correction_id for entry in rewritten] == [1, 2]
    assert rewritten == journal.entries()
    assert seen(journal)[1].label == "stool"
    assert (2, "near", 1, "user") in said(journal)
    assert journal.follow({50: 40}) == []


def test_a_relation_between_two_that_became_one_is_not_shown() -> None:
    journal = new_journal()
    write(journal, relate(2, "near", 7))
    journal.follow({7: 2})
    assert said(journal) == [(r.subject_id, r.predicate, r.object_id, r.source) for r in RELATIONS]


def test_deleting_a_duplicate_keeps_the_object_that_it_is_merged_into() -> None:
    journal = new_journal()
    write(journal, delete(7))
    assert journal.follow({7: 1}) == []
    assert 1 in seen(journal)


def test_object_that_returns_to_a_deleted_place_is_deleted() -> None:
    journal = new_journal()
    write(journal, delete(7))
    (entry,) = journal.follow({7: 1}, returned={1: OBJECTS[1]})
    assert entry.edit.object_ids == (1,)
    assert 1 not in seen(journal)


def test_a_restored_journal_goes_on() -> None:
    journal, restored = new_journal(), new_journal()
    write(journal, rename(2, "mug"), split(8, LEFT, RIGHT))
    restored.restore(journal.entries())
    assert write(restored, rename(7, "stool")) == [3]
    assert seen(restored)[2].label == "mug"
    assert restored.largest_id == 100
    assert restored.edited_ids == {2, 7, 8}


def test_changes_are_taken_once_in_their_newest_state() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"), delete(2))
    journal.undo()
    journal.follow({7: 1})
    renamed, deleted = journal.take_changes()
    assert (renamed.edit.object_ids, deleted.undone) == ((1,), True)
    assert journal.take_changes() == ()
    journal.give_back([deleted])
    journal.redo()
    assert [(e.correction_id, e.undone) for e in journal.take_changes()] == [(2, False)]


def test_entries_that_could_not_be_written_are_removed() -> None:
    """Other entries keep the objects that they followed meanwhile."""
    journal = new_journal()
    write(journal, rename(7, "stool"))
    journal.take_changes()
    was_undone = {e.correction_id: e.undone_ns for e in journal.entries()}
    write(journal, rename(2, "mug"))
    journal.undo(1)
    journal.follow({7: 1})
    journal.take_back(was_undone)
    (entry,) = journal.take_changes()
    assert (entry.edit.object_ids, entry.undone) == ((1,), False)
    assert [e.correction_id for e in journal.entries()] == [1]


def test_impossible_edit_cancels_the_edits_before_it() -> None:
    journal = new_journal()
    with pytest.raises(SceneMemoryError, match="no object 6"):
        tell(journal, rename(2, "mug"), split(8, LEFT, RIGHT), rename(6, "mug"))
    assert journal.entries() == []
    assert seen(journal) is OBJECTS


single_edits = st.one_of(
    st.builds(rename, st.sampled_from([1, 2, 7]), st.sampled_from(["a", "b", "c"])),
    st.builds(set_attribute, st.sampled_from([1, 2, 7]), st.just("color"), st.sampled_from("ab")),
    st.builds(Edit, st.just("confirm"), st.sampled_from([(1,), (2, 7)])),
    st.builds(delete, st.sampled_from([1, 2, 4, 7, 8])),
    st.builds(merge, st.sampled_from([1, 2, 4]), st.sampled_from([7, 8])),
    st.just(split(8, LEFT, RIGHT)),
    st.builds(
        Edit,
        st.sampled_from(["add_relation", "delete_relation"]),
        st.sampled_from([(1, 2), (2, 7), (7, 1), (7, 4)]),
        st.sampled_from(["on", "near", "above", "inside"]),
    ),
)


@given(st.lists(single_edits, max_size=10), st.data())
def test_undoing_everything_gives_perception_back(edits: list[Edit], data: st.DataObject) -> None:
    journal = new_journal()
    written: list[int] = []
    for edit in edits:
        try:
            written += write(journal, edit)
        except SceneMemoryError:
            continue  # it contradicts an earlier one
    before = seen(journal), said(journal)
    for number in data.draw(st.permutations(written)):
        journal.undo(number)
    assert seen(journal) == OBJECTS
    assert journal.relations(RELATIONS, OBJECTS) == RELATIONS
    for number in sorted(written):  # in the order of writing: no entry contradicts those before it
        journal.redo(number)
    assert len(journal.entries()) == len(written)
    assert [(i, o.label) for i, o in seen(journal).items()] == [
        (i, o.label) for i, o in before[0].items()
    ]
    assert said(journal) == before[1]
