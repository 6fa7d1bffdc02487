"""The journal: sticky, later wins, undone at will, errors that teach."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory import Edit, MapObject, Relation, SceneMemoryError
from scenemind.memory.graph.corrections import LONGEST_TEXT, CorrectionsJournal
from tests.unit.memory.things import thing

OBJECTS = {
    value.object_id: value
    for value in (
        thing(1, "table", (0, 0, 0.4), (1, 1, 0.8)),
        thing(2, "cup", (0, 0, 0.85), (0.1, 0.1, 0.1)),
        thing(7, "chair", (2, 0, 0.4), (0.5, 0.5, 0.9)),
    )
}
RELATIONS = (
    Relation(1, "near", 7),
    Relation(2, "on", 1),
    Relation(7, "near", 1),
)


def new_journal() -> CorrectionsJournal:
    """Parts that are split off count from 100."""
    return CorrectionsJournal(count(100).__next__)


def apply(journal: CorrectionsJournal, *edits: Edit) -> list[int]:
    written = journal.apply(edits, "Ada", "I say so", OBJECTS, stamp_ns=5)
    return [entry.correction_id for entry in written]


def seen(journal: CorrectionsJournal) -> dict[int, MapObject]:
    return journal.lay_over(OBJECTS).objects


def said(journal: CorrectionsJournal) -> list[tuple[int, str, int, str]]:
    return [
        (r.subject_id, r.predicate, r.object_id, r.source)
        for r in journal.relations(RELATIONS, journal.lay_over(OBJECTS).objects)
    ]


def rename(object_id: int, name: str) -> Edit:
    return Edit("rename", (object_id,), value=name)


def test_an_empty_journal_changes_nothing() -> None:
    journal = new_journal()
    assert journal.lay_over(OBJECTS).objects == OBJECTS
    assert journal.relations(RELATIONS, OBJECTS) == RELATIONS


def test_a_new_name_is_laid_over_what_perception_says() -> None:
    journal = new_journal()
    apply(journal, rename(2, "  coffee   mug "))
    mug = seen(journal)[2]
    assert (mug.label, mug.perceived_label, mug.corrected) == ("coffee mug", "cup", True)
    assert OBJECTS[2].label == "cup"
    assert not seen(journal)[1].corrected


def test_who_when_and_why_are_kept() -> None:
    journal = new_journal()
    apply(journal, rename(2, "mug"))
    (entry,) = journal.entries()
    assert (entry.correction_id, entry.by, entry.reason, entry.stamp_ns) == (
        1,
        "Ada",
        "I say so",
        5,
    )


def test_later_entries_win_and_undo_brings_the_earlier_one_back() -> None:
    journal = new_journal()
    apply(journal, rename(2, "mug"), rename(2, "glass"))
    assert seen(journal)[2].label == "glass"
    assert journal.undo().correction_id == 2
    assert seen(journal)[2].label == "mug"
    journal.undo()
    assert seen(journal)[2].label == "cup"
    with pytest.raises(SceneMemoryError, match="no correction to undo"):
        journal.undo()
    assert [entry.undone for entry in journal.entries()] == [True, True]


def test_undo_by_number() -> None:
    journal = new_journal()
    apply(journal, rename(2, "mug"), rename(7, "stool"))
    journal.undo(1)
    assert (seen(journal)[2].label, seen(journal)[7].label) == ("cup", "stool")
    with pytest.raises(SceneMemoryError, match="undone already"):
        journal.undo(1)
    with pytest.raises(SceneMemoryError, match=r"no correction 9; those that stand: \[2\]"):
        journal.undo(9)


def test_attributes_are_added_to_those_perceived() -> None:
    journal = new_journal()
    apply(journal, Edit("set_attribute", (7,), "Color", "dark brown"))
    assert seen(journal)[7].attributes == {"color": "dark brown"}


def test_a_deleted_object_goes() -> None:
    journal = new_journal()
    apply(journal, Edit("delete_object", (7,)))
    assert list(seen(journal)) == [1, 2]


def test_relations_are_added_and_taken_out_in_both_directions() -> None:
    journal = new_journal()
    apply(
        journal,
        Edit("delete_relation", (7, 1), "near"),
        Edit("add_relation", (2, 7), "left of"),
    )
    assert said(journal) == [
        (2, "on", 1, "geometry"),
        (2, "left of", 7, "user"),
        (7, "right of", 2, "user"),
    ]


def test_an_object_that_comes_back_has_its_correction() -> None:
    journal = new_journal()
    apply(journal, rename(2, "mug"))
    without = {k: v for k, v in OBJECTS.items() if k != 2}
    assert 2 not in journal.lay_over(without).objects
    assert journal.lay_over(OBJECTS).objects[2].label == "mug"


def test_entries_follow_a_merge() -> None:
    journal = new_journal()
    apply(journal, rename(7, "stool"), Edit("add_relation", (2, 7), "near"))
    rewritten = journal.follow({7: 1})
    assert [entry.correction_id for entry in rewritten] == [1, 2]
    assert rewritten == journal.entries()
    assert seen(journal)[1].label == "stool"
    assert (2, "near", 1, "user") in said(journal)
    assert journal.follow({50: 40}) == []


def test_a_relation_between_two_that_became_one_is_not_shown() -> None:
    journal = new_journal()
    apply(journal, Edit("add_relation", (2, 7), "near"))
    journal.follow({7: 2})
    assert said(journal) == [(r.subject_id, r.predicate, r.object_id, r.source) for r in RELATIONS]


def test_deleting_a_duplicate_does_not_delete_what_it_is_merged_into() -> None:
    journal = new_journal()
    apply(journal, Edit("delete_object", (7,)))
    journal.follow({7: 1})
    assert 1 in seen(journal)


def test_a_restored_journal_goes_on() -> None:
    journal, restored = new_journal(), new_journal()
    apply(journal, rename(2, "mug"))
    restored.restore(journal.entries())
    assert apply(restored, rename(7, "stool")) == [2]
    assert seen(restored)[2].label == "mug"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (rename(6, "mug"), r"no object 6; the nearest ids are 1 \(table\), 2 \(mug\), 7 \(chair\)"),
        (rename(2, "   "), "new name of 1 to"),
        (rename(2, "x" * (LONGEST_TEXT + 1)), "characters, not 121"),
        (Edit("rename", (), value="mug"), "at least one object"),
        (Edit("set_attribute", (2,), "", "red"), "attribute name"),
        (Edit("set_attribute", (2,), "color", "x" * 121), "value for 'color' of 0 to 120"),
        (Edit("add_relation", (2, 2), "on"), "two different objects"),
        (Edit("add_relation", (2,), "on"), "two different objects"),
        (Edit("delete_relation", (2, 1), ""), "predicate"),
        (Edit("paint", (2,), "red"), "unknown edit 'paint'"),  # type: ignore[arg-type]
    ],
)
def test_an_impossible_edit_is_an_error_and_nothing_is_written(edit: Edit, message: str) -> None:
    journal = new_journal()
    with pytest.raises(SceneMemoryError, match=message):
        apply(journal, rename(2, "mug"), edit)
    assert journal.entries() == []


def test_a_deleted_object_must_come_back_before_it_is_renamed() -> None:
    journal = new_journal()
    (number,) = apply(journal, Edit("delete_object", (7,)))
    with pytest.raises(SceneMemoryError, match=f"undo correction {number} first"):
        apply(journal, rename(7, "stool"))
    journal.undo(number)
    apply(journal, rename(7, "stool"))


edit_values = st.one_of(
    st.builds(rename, st.sampled_from([1, 2, 7]), st.sampled_from(["a", "b", "c"])),
    st.builds(
        Edit,
        st.sampled_from(["add_relation", "delete_relation"]),
        st.sampled_from([(1, 2), (2, 7), (7, 1)]),
        st.sampled_from(["on", "near", "above"]),
    ),
)


@given(st.lists(edit_values, max_size=8), st.data())
def test_undoing_everything_gives_perception_back(edits: list[Edit], data: st.DataObject) -> None:
    journal = new_journal()
    numbers = apply(journal, *edits)
    for number in data.draw(st.permutations(numbers)):
        journal.undo(number)
    assert journal.lay_over(OBJECTS).objects == OBJECTS
    assert journal.relations(RELATIONS, OBJECTS) == RELATIONS
    assert len(journal.entries()) == len(edits)
