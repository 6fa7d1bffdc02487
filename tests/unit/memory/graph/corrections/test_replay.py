"""The journal as JSON, and replayed onto another map."""

from __future__ import annotations

import json

import pytest

from scenemind.memory import Correction, Edit, SceneMemoryError
from scenemind.memory.graph.corrections import CorrectedObjects, PerceivedMap
from scenemind.memory.graph.corrections.overlay import CorrectionOverlay
from scenemind.memory.graph.corrections.replay import (
    MOST_VALUES,
    Replay,
    corrections_from_json,
    corrections_to_json,
    preview,
    replay,
)
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


def test_a_journal_comes_back_as_it_was() -> None:
    journal = new_journal()
    write(journal, rename(2, "Caf\u00e9-Tasse ☕"), split(8, LEFT, RIGHT), merge(1, 7))
    write(journal, relate(2, "on", 4), delete(100))
    journal.undo(3)
    text = corrections_to_json(journal.entries())
    assert corrections_from_json(text) == journal.entries()
    assert corrections_from_json(corrections_to_json([])) == []


def test_json_of_a_journal() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    written = json.loads(corrections_to_json(journal.entries()))
    assert (written["format"], written["version"]) == ("scenemind corrections", 1)
    (entry,) = written["corrections"]
    (anchor,) = entry.pop("anchors")
    assert entry == {
        "id": 1,
        "kind": "rename",
        "object_ids": [7],
        "key": "",
        "value": "stool",
        "places": [],
        "new_ids": [],
        "by": "Ada",
        "reason": "I say so",
        "stamp_ns": 5,
        "undone_ns": 0,
    }
    assert (anchor["object_id"], anchor["label"]) == (7, "chair")
    assert anchor["size"] == pytest.approx([0.5, 0.5, 0.9])


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("version",), 2, "version: Input should be 1"),
        (("format",), "a shopping list", "format"),
        (("corrections", 0, "kind"), "paint", "corrections.0.kind"),
        (("corrections", 0, "object_ids"), ["seven"], "corrections.0.object_ids.0"),
        (("corrections", 0, "value"), 7, "corrections.0.value"),
        (("corrections", 0, "stamp_ns"), 10**19, "corrections.0.stamp_ns"),
        (("corrections", 0, "stamp_ns"), -1, "corrections.0.stamp_ns"),
        (("corrections", 0, "undone_ns"), 2**31 * 10**9, "corrections.0.undone_ns"),
        (("corrections", 0, "object_ids"), [2**31], "corrections.0.object_ids.0"),
        (("corrections", 0, "new_ids"), [77], "corrections.0: .*1 new_ids for 0 new parts"),
        (("corrections", 0, "places"), [LEFT, RIGHT], "0 new_ids for 1 new parts"),
        (("corrections", 0, "mood"), "good", "corrections.0.mood"),
        (("corrections", 0, "anchors", 0, "center"), [0.0, 1.0], "anchors.0.center"),
        (("corrections", 0, "anchors", 0, "size"), [-1.0, 1.0, 1.0], "negative size"),
    ],
)
def test_error_names_the_wrong_value(path: tuple, value: object, message: str) -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    document = json.loads(corrections_to_json(journal.entries()))
    *outer, last = path
    inner = document
    for step in outer:
        inner = inner[step]
    inner[last] = value
    with pytest.raises(SceneMemoryError, match=message):
        corrections_from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "\ud800"])
def test_other_text_is_no_journal(text: str) -> None:
    with pytest.raises(SceneMemoryError, match="no journal of corrections"):
        corrections_from_json(text)


def test_a_journal_that_would_take_too_much_memory_is_refused_with_a_way_out() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    document = json.loads(corrections_to_json(journal.entries()))
    document["corrections"] *= MOST_VALUES // 20
    with pytest.raises(SceneMemoryError, match=f"more than {MOST_VALUES}: divide its list"):
        corrections_from_json(json.dumps(document))


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
    """The journal of the room, replayed onto the rebuilt room."""
    old, new = new_journal(), new_journal()
    write(old, *edits)
    done = replay(new, old.entries(), PerceivedMap(objects))
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


def test_speaker_time_and_reason_are_copied() -> None:
    old, new = new_journal(), new_journal()
    old.apply([rename(1, "desk")], "Ada", "I work at it", PerceivedMap(OBJECTS), 77)
    (entry,) = replay(new, old.entries(), PerceivedMap(REBUILT), by="bob").applied
    assert (entry.by, entry.reason, entry.stamp_ns) == ("Ada", "I work at it; replayed by bob", 77)


def test_missing_objects_are_reported() -> None:
    without = {i: o for i, o in REBUILT.items() if i != 12}
    done, _ = replayed(rename(7, "stool"), rename(2, "mug"), objects=without)
    assert [entry.edit.object_ids for entry in done.applied] == [(13,)]
    (left,) = done.left_out
    assert left.correction.correction_id == 1
    assert "no object like object 7 (chair at 2.00 0.00 0.45)" in left.reason


def test_ambiguous_objects_are_reported() -> None:
    twin = solid(17, "chair", (1.96, 0.03, 0.45), (0.5, 0.5, 0.9))
    done, _ = replayed(rename(7, "stool"), objects={**REBUILT, 17: twin})
    assert done.applied == ()
    assert "may be any of" in done.left_out[0].reason


def test_parts_of_a_split_that_was_left_out_are_left_out() -> None:
    without = {i: o for i, o in REBUILT.items() if i != 11}
    done, _ = replayed(split(8, LEFT, RIGHT), rename(100, "television"), objects=without)
    assert [left.correction.correction_id for left in done.left_out] == [1, 2]


def test_an_object_is_looked_for_where_it_was_corrected_last() -> None:
    """A chair was named, carried away, and painted there."""
    old, new = new_journal(), new_journal()
    size = 0.5, 0.5, 0.9
    write(old, rename(7, "stool"))
    carried = {**OBJECTS, 7: solid(7, "chair", (3, 3, 0.45), size)}
    write(old, set_attribute(7, "color", "red"), objects=carried)
    rebuilt = {**REBUILT, 12: solid(12, "chair", (3, 3, 0.45), size)}
    done = replay(new, old.entries(), PerceivedMap(rebuilt))
    assert [entry.edit.object_ids for entry in done.applied] == [(12,), (12,)]


def test_an_edit_that_was_repeated_later_counts_again() -> None:
    done, objects = replayed(rename(2, "mug"), rename(2, "glass"), rename(2, "mug"))
    assert len(done.applied) == 3
    assert objects[13].label == "mug"


def test_two_objects_that_are_one_in_the_rebuilt_room_are_not_merged() -> None:
    old, new = new_journal(), new_journal()
    twin = solid(5, "cup", (0.02, 0.0, 0.85), (0.1, 0.1, 0.1))
    write(old, merge(2, 5), objects={**OBJECTS, 5: twin})
    done = replay(new, old.entries(), PerceivedMap({13: REBUILT[13]}))
    assert "are one object here" in done.left_out[0].reason


def test_second_replay_adds_no_entry() -> None:
    old, new = new_journal(), new_journal()
    write(old, rename(1, "desk"), delete(7), split(8, LEFT, RIGHT), merge(2, 4))
    assert len(replay(new, old.entries(), PerceivedMap(REBUILT)).applied) == 4
    again = replay(new, old.entries(), PerceivedMap(REBUILT))
    assert again.applied == ()
    assert len(again.left_out) == 4
    assert again.left_out[0].reason == "correction 1 is the same already"


def test_undone_entries_and_those_without_a_place_are_not_replayed() -> None:
    old, new = new_journal(), new_journal()
    write(old, rename(1, "desk"))
    old.undo()
    placeless = Correction(2, rename(7, "stool"), "", "", 0)
    done = replay(new, [*old.entries(), placeless], PerceivedMap(REBUILT))
    assert done.applied == ()
    assert [left.reason for left in done.left_out] == ["the journal has no place for object 7"]


def test_preview_changes_nothing() -> None:
    old, new = new_journal(), new_journal()
    write(old, rename(1, "desk"), split(8, LEFT, RIGHT), rename(100, "television"))
    shown = preview(new.entries(), old.entries(), PerceivedMap(REBUILT))
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


def test_long_journal_is_applied_once(monkeypatch) -> None:
    """Once for each entry would take time that grows with the square of their number."""
    old, new = new_journal(), new_journal()
    write(old, *(set_attribute(1, "color", f"shade {n}") for n in range(50)))
    write(new, rename(15, "desk"), objects=REBUILT)
    laid: list[int] = []
    lay = CorrectionOverlay._lay

    def counted(self, entry: Correction, *things) -> None:
        laid.append(entry.correction_id)
        lay(self, entry, *things)

    monkeypatch.setattr(CorrectionOverlay, "_lay", counted)
    assert len(replay(new, old.entries(), PerceivedMap(REBUILT)).applied) == 50
    assert laid == list(range(1, 52))


def test_entries_applied_one_by_one_give_the_same_as_all_at_once() -> None:
    gone = {7: OBJECTS[7]}
    there = {i: o for i, o in OBJECTS.items() if i != 7}
    journal = new_journal()
    write(journal, rename(1, "desk"), split(8, LEFT, RIGHT), rename(100, "television"))
    write(journal, relate(2, "on", 4), delete(100), merge(1, 4), set_attribute(1, "color", "red"))
    write(journal, Edit("confirm", (7,)), delete(2))
    whole, by_one = journal.apply_to(there, gone), CorrectedObjects(there, gone)
    laying_over = CorrectionOverlay()
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
