"""What is lost and found again under a new id keeps what people said of it."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.memory.graph.corrections.room import (
    CHAIR,
    OBJECTS,
    delete,
    merge,
    new_journal,
    rename,
    seen,
    solid,
    write,
)

AGAIN = solid(20, "chair", (2.05, 0.02, 0.45), (0.5, 0.5, 0.9), seed=1)
WITHOUT = {i: o for i, o in OBJECTS.items() if i != 7}


def test_a_renamed_object_that_was_lost_has_its_name_again() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"), merge(7, 1))
    assert journal.find_again(WITHOUT, {}) == []
    rewritten = journal.find_again({**WITHOUT, 20: AGAIN}, {})
    assert [e.edit.object_ids for e in rewritten] == [(20,), (20, 1)]
    assert seen(journal, {**WITHOUT, 20: AGAIN})[20].label == "stool"
    journal.undo(1)
    assert seen(journal, {**WITHOUT, 20: AGAIN})[20].label == "chair"


def test_it_may_be_lost_again() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    journal.find_again({**WITHOUT, 20: AGAIN}, {})
    third = {**WITHOUT, 33: replace(AGAIN, object_id=33)}
    assert len(journal.find_again(third, {})) == 1
    assert seen(journal, third)[33].label == "stool"


def test_what_is_gone_from_its_place_is_not_lost() -> None:
    """It may come back under its own id; what stands there now is another one."""
    journal = new_journal()
    write(journal, rename(7, "stool"))
    assert journal.find_again({**WITHOUT, 20: AGAIN}, {7: CHAIR}) == []
    assert seen(journal, {**WITHOUT, 20: AGAIN})[20].label == "chair"


def test_one_of_two_alike_is_not_guessed() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    twins = {20: AGAIN, 21: solid(21, "chair", (1.95, -0.02, 0.45), (0.5, 0.5, 0.9))}
    assert journal.find_again({**WITHOUT, **twins}, {}) == []


def test_an_object_that_somebody_spoke_of_is_nobody_elses() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    with_new = {**WITHOUT, 20: AGAIN}
    write(journal, rename(20, "armchair"), objects=with_new)
    assert journal.find_again(with_new, {}) == []
    assert seen(journal, with_new)[20].label == "armchair"


def test_a_deleted_reflection_stays_deleted_under_new_ids() -> None:
    journal = new_journal()
    write(journal, delete(7))
    assert journal.find_again(OBJECTS, {}) == []
    for there, gone in ((OBJECTS, {}), (WITHOUT, {7: CHAIR}), (WITHOUT, {})):
        restored = new_journal()
        restored.restore(journal.entries())
        (entry,) = restored.find_again({**there, 20: AGAIN}, gone)
        assert entry.edit.object_ids == (7, 20)
        assert 20 not in seen(restored, {**there, 20: AGAIN})
        assert restored.find_again({**there, 20: AGAIN}, gone) == []
        restored.undo()
        assert 20 in seen(restored, {**there, 20: AGAIN})


def test_what_a_person_saw_beside_it_is_not_deleted_with_it() -> None:
    journal = new_journal()
    both = {**OBJECTS, 20: AGAIN}
    write(journal, delete(7), objects=both)
    changed = {**OBJECTS, 20: replace(AGAIN, observation_count=6)}
    assert journal.find_again(both, {}) == []
    assert journal.find_again(changed, {}) == []
    assert 20 in seen(journal, changed)


def test_what_is_brought_to_a_deleted_place_is_something_else() -> None:
    journal = new_journal()
    write(journal, delete(7))
    old = solid(3, "chair", (2.0, 0.0, 0.45), (0.5, 0.5, 0.9))
    grown = replace(AGAIN, object_id=30, observation_count=200)
    other = solid(31, "plant", (2.2, 0.1, 0.5), (0.4, 0.4, 1.2))
    assert journal.find_again({**OBJECTS, 3: old, 30: grown, 31: other}, {}) == []


def test_what_firmly_is_another_thing_shows_in_a_deleted_place() -> None:
    """A plant is put where a reflection of a chair was deleted."""
    journal = new_journal()
    write(journal, delete(7))

    def see(label: str, views: int, directions: int) -> bool:
        thing = solid(30, label, (2.05, 0.02, 0.45), (0.5, 0.5, 0.9))
        now = replace(thing, observation_count=views, direction_count=directions)
        journal.find_again({**OBJECTS, 30: now}, {})
        return 30 in seen(journal, {**OBJECTS, 30: now})

    assert not see("plant", 3, 1)
    assert not see("plant", 200, 2)  # as often as can be, but from one side
    assert not see("plant", 20, 5)
    assert not see("Chair", 200, 9)  # it may be the reflection
    assert see("plant", 200, 3)
    assert journal.entries()[0].edit.object_ids == (7,)
    assert see("chair", 201, 3)  # once told apart, it stays so


def test_what_a_person_deleted_never_shows_by_itself() -> None:
    journal = new_journal()
    write(journal, delete(7))
    other = replace(CHAIR, perceived_label="plant", observation_count=200, direction_count=9)
    assert journal.find_again({**OBJECTS, 7: other}, {}) == []
    assert 7 not in seen(journal, {**OBJECTS, 7: other})
