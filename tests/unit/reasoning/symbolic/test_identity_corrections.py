"""One thing or several, confirmed or not, and "those too": in words, on a real journal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.memory import Edit, MapObject
from scenemind.reasoning import Alignment, Router

from ..scene import ROOM, SmallMemory, query, room_memory, snapshot_of, thing


def align(memory: SmallMemory, text: str, *marked: int) -> Alignment:
    return Router(memory).align(query(text, marked_object_ids=marked), "anna")


def with_points(obj: MapObject, *boxes: tuple[float, float]) -> MapObject:
    """Points spread over stretches of x."""
    rng = np.random.default_rng(3)
    low, high = obj.box.bounds()
    parts = [rng.uniform((a, *low[1:]), (b, *high[1:]), (300, 3)) for a, b in boxes]
    return replace(obj, points=np.concatenate(parts).astype(np.float32))


@pytest.mark.parametrize(
    ("text", "marked", "edit"),
    [
        ("merge object 4 and 5", (), Edit("merge", (4, 5))),
        ("object 5 is the same as object 4", (), Edit("merge", (5, 4))),
        ("these are the same chair", (4, 5), Edit("merge", (4, 5))),
        ("the red cup and the white cup are the same cup", (), Edit("merge", (2, 10))),
        ("yes, that is right", (8,), Edit("confirm", (8,))),
        ("object 4 really is a chair", (), Edit("confirm", (4,))),
        ("forget the colour of the sofa", (), Edit("set_attribute", (8,), "color")),
        ("the sofa is besides the door", (), Edit("add_relation", (8, 9), "besides")),
    ],
)
def test_sentences_become_edits(text: str, marked: tuple[int, ...], edit: Edit) -> None:
    memory = room_memory()
    assert align(memory, text, *marked).failure is None
    assert [correction.edit for correction in memory.corrections()] == [edit]


def test_what_is_confirmed_under_another_name_gets_it() -> None:
    memory = room_memory()
    align(memory, "object 4 really is a stool")
    assert [c.edit.kind for c in memory.corrections()] == ["rename", "confirm"]
    assert memory.snapshot().objects[4].label == "stool"


def test_two_things_that_were_taken_for_one_are_told_apart() -> None:
    double = with_points(thing(1, "chair", (0, 0, 0.5), (1.6, 0.5, 1.0)), (-0.8, -0.3), (0.3, 0.8))
    memory = SmallMemory(snapshot_of([double]))
    alignment = align(memory, "object 1 is two chairs")
    assert alignment.response == (
        "Now the chair (object 1) is two things, parted where there is a gap."
    )
    first, second = memory.snapshot().objects.values()
    assert alignment.object_ids == (first.object_id, second.object_id)
    middles = sorted(o.box.center[0] for o in (first, second))
    assert middles == pytest.approx([-0.55, 0.55], abs=0.02)


@pytest.mark.parametrize(
    ("obj", "said"),
    [
        (
            with_points(ROOM[7], (-2.9, -1.1)),
            "I see no gap in the sofa (object 8) that parts",
        ),
        (ROOM[7], "The surface of the sofa (object 8) is not known here"),
    ],
)
def test_what_does_not_part_stays_whole(obj: MapObject, said: str) -> None:
    memory = SmallMemory(snapshot_of([obj]))
    alignment = align(memory, "object 8 is two sofas")
    assert alignment.failure is not None
    assert said in alignment.response
    assert memory.corrections() == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the sofa is two metres", 'is not called "metres", so I changed nothing'),
        ("the sofa is 3 years", 'say "split object 8 in three"'),
        ("chair 4 is two tables", 'is not called "tables"'),
        ("the sofa is one metre away", '(the sofa (object 8)) is not called "metre away"'),
        ("the chairs are the same colour", 'is not called "colour", so I changed nothing'),
        ("the chairs are one metre away", 'is not called "metre away"'),
        ("object 4 and 5 are one year old", 'say "merge objects 4 and 5".'),
    ],
)
def test_a_number_with_a_unit_parts_and_joins_nothing(text: str, said: str) -> None:
    memory = room_memory()
    alignment = align(memory, text)
    assert alignment.failure is not None
    assert said in alignment.response
    assert memory.corrections() == []


def test_a_synonym_of_the_own_label_in_the_plural_parts() -> None:
    memory = SmallMemory(snapshot_of([with_points(ROOM[7], (-2.9, -2.3), (-1.7, -1.1))]))
    assert align(memory, "object 8 is two couches").failure is None
    assert [c.edit.kind for c in memory.corrections()] == ["split"]


def test_redo_lets_a_correction_stand_again() -> None:
    memory = room_memory()
    align(memory, "these are the same chair", 4, 5)
    align(memory, "undo")
    assert len(memory.snapshot().objects) == len(ROOM)
    again = align(memory, "redo")
    assert again.response == 'Correction 1 ("these are the same chair") stands again.'
    assert len(memory.snapshot().objects) == len(ROOM) - 1


def test_undo_takes_back_all_that_one_sentence_wrote_and_redo_does_all_again() -> None:
    memory = room_memory()
    align(memory, "the sofa is a bench")
    align(memory, "these are stools", 4, 5)
    undone = align(memory, "undo")
    assert undone.response == (
        'I took back all 2 corrections of "these are stools": 2 (the name of object 4)'
        " and 3 (the name of object 5)."
    )
    assert sorted(undone.correction_ids) == [2, 3]
    assert [c.undone for c in memory.corrections()] == [False, True, True]
    again = align(memory, "redo")
    assert again.response.startswith('I did all 2 corrections of "these are stools": 2 (')
    assert [memory.snapshot().objects[i].label for i in (4, 5, 8)] == ["stool", "stool", "bench"]
    align(memory, "undo correction 2")
    assert [c.undone for c in memory.corrections()] == [False, True, False]
    assert "there is no correction 999" in align(memory, "redo 999").response


@pytest.mark.parametrize(
    ("before", "text", "said"),
    [
        ("the laptop is on the sofa", "the sofa is on the laptop", "undo correction 1 first"),
        ("", "redo", "there is no correction to redo"),
        ("", "merge object 4", "I do not understand"),
        ("", "these are the same chair", "No object is marked"),
        ("", "yes, that is right", "No object is marked"),
        ("", "the same goes for the similar ones", "no correction yet that could hold for others"),
        ("merge object 4 and 5", "do that to all similar ones", "is about these things only"),
        ("the sofa is a bench", "yes, objects 4 and 77 too", "There is no object 77"),
    ],
)
def test_what_cannot_be_is_explained_and_not_written(before: str, text: str, said: str) -> None:
    memory = room_memory()
    if before:
        assert align(memory, before).failure is None
    count = len(memory.corrections())
    alignment = align(memory, text)
    assert alignment.failure is not None
    assert said in alignment.response
    assert len(memory.corrections()) == count


def similar_chairs() -> SmallMemory:
    """Three chairs that look the same, and a table."""
    chairs = [thing(i, "chair", (i, 0, 0.5), (0.5, 0.5, 1.0), color="red") for i in (1, 2, 3)]
    return SmallMemory(snapshot_of([*chairs, thing(4, "table", (5, 2, 0.4), (1.6, 0.9, 0.8))]))


def test_similar_ones_are_shown_first_and_corrected_when_that_is_said() -> None:
    memory = similar_chairs()
    align(memory, "object 1 is a stool")
    preview = align(memory, "the same goes for the similar ones")
    assert preview.failure is None
    assert preview.correction_ids == ()
    assert preview.object_ids == (2, 3)
    assert preview.response.startswith(
        "Objects 2 and 3 are similar (the chair (object 2): also perceived as chair, same color"
    )
    assert 'say "yes, those too" to call them stool' in preview.response
    assert len(memory.corrections()) == 1
    done = align(memory, "yes, those too")
    assert done.response == (
        "Done, too: the chair (object 2) and the chair (object 3) are stools now."
        ' "Undo" takes all of that back.'
    )
    assert done.object_ids == (2, 3)
    assert [o.label for o in memory.snapshot().objects.values()] == ["stool"] * 3 + ["table"]
    assert len(align(memory, "undo").correction_ids) == 2
    assert memory.snapshot().objects[1].label == "stool"


def test_only_some_of_the_similar_ones() -> None:
    memory = similar_chairs()
    align(memory, "object 1 is wooden")
    align(memory, "yes, object 3 too")
    materials = [o.attributes.get("material") for o in memory.snapshot().objects.values()]
    assert materials == ["wooden", None, "wooden", None]


def test_there_may_be_no_similar_ones() -> None:
    memory = room_memory()
    align(memory, "the sofa is a bench")
    for text in ("the same goes for the similar ones", "yes, those too"):
        alignment = align(memory, text)
        assert alignment.failure is not None
        assert "no similar ones" in alignment.response
