"""A journal replayed onto a rebuilt map: by geometry, and never by guessing."""

from __future__ import annotations

import pytest

from scenemind.memory import Correction, Edit
from scenemind.memory.graph.corrections import Seen
from scenemind.memory.graph.corrections.laying_over import LayingOver
from scenemind.memory.graph.corrections.replay import Replay, preview, replay
from tests.unit.memory.graph.corrections.room import (
    LEFT,
    OBJECTS,
    RIGHT,
    delete,
    merge,
    new_journal,
    relate,
    rename,
    seen,
    set_attribute,
    solid,
    split,
    write,
)

# The same room mapped again: other ids, a few centimetres off, in another order.
REBUILT = {
    o.object_id: o
    for o in (
        solid(11, "monitor", (0.03, 4.02, 1.0), (1.25, 0.12, 0.42), seed=5),
        solid(12, "chair", (2.04, -0.03, 0.45), (0.5, 0.55, 0.9), seed=6),
        solid(13, "cup", (0.03, 0.02, 0.86), (0.1, 0.11, 0.1), seed=7),
        solid(15, "dining table", (0.02, 0.01, 0.4), (1.02, 1.0, 0.8), seed=8),
        solid(16, "shelf", (-3.05, 0.02, 1.0), (1, 0.3, 2.0), seed=9),
    )
}


def replayed(*edits: Edit, objects=REBUILT) -> tuple[Replay, dict]:
    """What was said of the room, said of the rebuilt one."""
    old, new = new_journal(), new_journal()
    write(old, *edits)
    done = replay(new, old.entries(), objects, {}, {})
    return done, dict(seen(new, objects))


def test_every_kind_of_correction_finds_its_objects() -> None:
    done, objects = replayed(
        rename(1, "desk"),
        set_attribute(2, "color", "red"),
        relate(2, "on", 4),
        Edit("confirm", (4,)),
        split(8, LEFT, RIGHT),
        rename(100, "television"),
        delete(7),
    )
    assert done.left_out == ()
    assert [entry.edit.object_ids for entry in done.applied] == [
        *((15,), (13,), (13, 16), (16,), (11,), (100,), (12,))
    ]
    assert {i: o.label for i, o in objects.items()} == {
        11: "monitor",
        13: "cup",
        15: "desk",
        16: "shelf",
        100: "television",
    }
    assert objects[13].attributes["color"] == "red"


def test_merged_objects_are_merged_again() -> None:
    done, objects = replayed(merge(1, 7), rename(1, "furniture"))
    assert [entry.edit.object_ids for entry in done.applied] == [(15, 12), (15,)]
    assert objects[15].label == "furniture"


def test_who_when_and_why_go_along() -> None:
    old, new = new_journal(), new_journal()
    old.apply([rename(1, "desk")], "Ada", "I work at it", OBJECTS, 77)
    (entry,) = replay(new, old.entries(), REBUILT, {}, {}, by="bob").applied
    assert (entry.by, entry.reason, entry.stamp_ns) == ("Ada", "I work at it; replayed by bob", 77)


def test_what_is_not_there_is_reported() -> None:
    without = {i: o for i, o in REBUILT.items() if i != 12}
    done, _ = replayed(rename(7, "stool"), rename(2, "mug"), objects=without)
    assert [entry.edit.object_ids for entry in done.applied] == [(13,)]
    (left,) = done.left_out
    assert left.correction.correction_id == 1
    assert "nothing like object 7 (chair at 2.00 0.00 0.45)" in left.reason


def test_what_may_be_one_of_several_is_reported() -> None:
    twin = solid(17, "chair", (1.96, 0.03, 0.45), (0.5, 0.5, 0.9))
    done, _ = replayed(rename(7, "stool"), objects={**REBUILT, 17: twin})
    assert done.applied == ()
    assert "may be any of" in done.left_out[0].reason


def test_parts_of_a_split_that_was_left_out_are_left_out() -> None:
    without = {i: o for i, o in REBUILT.items() if i != 11}
    done, _ = replayed(split(8, LEFT, RIGHT), rename(100, "television"), objects=without)
    assert [left.correction.correction_id for left in done.left_out] == [1, 2]


def test_two_that_are_one_there_are_not_merged() -> None:
    old, new = new_journal(), new_journal()
    twin = solid(5, "cup", (0.02, 0.0, 0.85), (0.1, 0.1, 0.1))
    write(old, merge(2, 5), objects={**OBJECTS, 5: twin})
    done = replay(new, old.entries(), {13: REBUILT[13]}, {}, {})
    assert "are one object here" in done.left_out[0].reason


def test_replaying_twice_says_nothing_twice() -> None:
    old, new = new_journal(), new_journal()
    write(old, rename(1, "desk"), delete(7), split(8, LEFT, RIGHT), merge(2, 4))
    assert len(replay(new, old.entries(), REBUILT, {}, {}).applied) == 4
    again = replay(new, old.entries(), REBUILT, {}, {})
    assert again.applied == ()
    assert len(again.left_out) == 4
    assert again.left_out[0].reason == "correction 1 says so already"


def test_undone_entries_and_those_without_a_place_are_not_replayed() -> None:
    old, new = new_journal(), new_journal()
    write(old, rename(1, "desk"))
    old.undo()
    placeless = Correction(2, rename(7, "stool"), "", "", 0)
    done = replay(new, [*old.entries(), placeless], REBUILT, {}, {})
    assert done.applied == ()
    assert [left.reason for left in done.left_out] == ["nothing says where object 7 stood"]


def test_preview_changes_nothing() -> None:
    old, new = new_journal(), new_journal()
    write(old, rename(1, "desk"), split(8, LEFT, RIGHT), rename(100, "television"))
    shown = preview(new.entries(), old.entries(), REBUILT, {}, {})
    assert [entry.edit.kind for entry in shown.applied] == ["rename", "split", "rename"]
    assert new.entries() == []
    assert write(new, split(11, LEFT, RIGHT), objects=REBUILT) == [1]
    assert new.largest_id == 100  # no id was used up


@pytest.mark.parametrize("seed", range(5))
def test_the_rebuilt_map_may_be_noisy(seed: int) -> None:
    noisy = {
        i: solid(i, o.label, o.box.center, [s + 0.02 * (seed - 2) for s in o.box.size], seed)
        for i, o in REBUILT.items()
    }
    done, _ = replayed(rename(1, "desk"), rename(2, "mug"), rename(7, "stool"), objects=noisy)
    assert [entry.edit.object_ids for entry in done.applied] == [(15,), (13,), (12,)]


def test_a_long_journal_is_laid_over_once(monkeypatch) -> None:
    """Not once for each entry, which would take time that grows with the square of their number."""
    old, new = new_journal(), new_journal()
    write(old, *(set_attribute(1, "color", f"shade {n}") for n in range(50)))
    write(new, rename(15, "desk"), objects=REBUILT)
    laid: list[int] = []
    lay = LayingOver._lay

    def counted(self, entry: Correction, *things) -> None:
        laid.append(entry.correction_id)
        lay(self, entry, *things)

    monkeypatch.setattr(LayingOver, "_lay", counted)
    assert len(replay(new, old.entries(), REBUILT, {}, {}).applied) == 50
    assert laid == list(range(1, 52))


def test_what_is_laid_over_entry_by_entry_is_what_all_of_them_make() -> None:
    gone = {7: OBJECTS[7]}
    there = {i: o for i, o in OBJECTS.items() if i != 7}
    journal = new_journal()
    write(journal, rename(1, "desk"), split(8, LEFT, RIGHT), rename(100, "television"))
    write(journal, relate(2, "on", 4), delete(100), merge(1, 4), set_attribute(1, "color", "red"))
    write(journal, Edit("confirm", (7,)), delete(2))
    whole, by_one = journal.lay_over(there, gone), Seen(there, gone)
    laying_over = LayingOver()
    for entry in journal.standing():
        by_one = laying_over.one_more(by_one, entry)
    for ours, theirs in ((by_one.objects, whole.objects), (by_one.gone, whole.gone)):
        assert list(ours) == list(theirs)
        for i, thing in ours.items():
            assert (thing.label, thing.corrected, dict(thing.attributes), thing.box) == (
                theirs[i].label,
                theirs[i].corrected,
                dict(theirs[i].attributes),
                theirs[i].box,
            )
