"""One thing or several, confirmed or not, and "those too": in words, on a real journal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scenemind.memory import MapObject
from scenemind.reasoning import Alignment, Router
from scenemind.reasoning.dialogue import Dialogues
from tests.tables import read_table
from tests.unit.language.notation import notation

from ..scene import ROOM, SmallMemory, query, room_memory, snapshot_of, thing

TABLE = read_table(__file__, "corrections")


def align(memory: SmallMemory, text: str, *marked: int) -> Alignment:
    return Router(memory).align(query(text, marked_object_ids=marked), "anna")


def with_points(obj: MapObject, *boxes: tuple[float, float]) -> MapObject:
    """Points spread over stretches of x."""
    rng = np.random.default_rng(3)
    low, high = obj.box.bounds()
    parts = [rng.uniform((a, *low[1:]), (b, *high[1:]), (300, 3)) for a, b in boxes]
    return replace(obj, points=np.concatenate(parts).astype(np.float32))


@pytest.mark.parametrize(("text", "row"), TABLE["edits"].items())
def test_sentences_become_edits(text: str, row: dict[str, Any]) -> None:
    memory = room_memory()
    assert align(memory, text, *row["marked"]).failure is None
    assert [notation(correction.edit) for correction in memory.corrections()] == [row["edit"]]


def test_object_confirmed_under_another_name_is_renamed() -> None:
    memory = room_memory()
    align(memory, "object 4 really is a stool")
    assert [c.edit.kind for c in memory.corrections()] == ["rename", "confirm"]
    assert memory.snapshot().objects[4].label == "stool"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("objects 1 and 2 are the same chair", ()),
        ("the two chairs are really one chair", ()),
        ("these are the same chair", (1, 2)),
    ],
)
def test_things_far_apart_become_one_only_by_an_order(text: str, marked: tuple[int, ...]) -> None:
    def chairs(at_m: float) -> SmallMemory:
        places = ((0.0, 0.0, 0.5), (at_m, 0.0, 0.5))
        things = [thing(i, "chair", place, (0.5, 0.5, 1.0)) for i, place in enumerate(places, 1)]
        return SmallMemory(snapshot_of(things))

    close, far = chairs(0.8), chairs(3.0)
    assert align(close, text, *marked).failure is None
    asked = align(far, text, *marked).failure
    assert asked is not None
    assert "are 2.50 m apart" in asked.text
    assert far.corrections() == []
    assert align(far, asked.suggestion).failure is None
    assert [c.edit.kind for c in far.corrections()] == ["merge"]


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
def test_object_without_a_gap_is_not_split(obj: MapObject, said: str) -> None:
    memory = SmallMemory(snapshot_of([obj]))
    alignment = align(memory, "object 8 is two sofas")
    assert alignment.failure is not None
    assert said in alignment.response
    assert memory.corrections() == []


@pytest.mark.parametrize(("text", "said"), TABLE["numbers with units"].items())
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
    align(memory, "merge objects 4 and 5")
    align(memory, "undo")
    assert len(memory.snapshot().objects) == len(ROOM)
    again = align(memory, "redo")
    assert again.response == 'Correction 1 ("merge objects 4 and 5") stands again.'
    assert len(memory.snapshot().objects) == len(ROOM) - 1


def test_undo_takes_back_all_that_one_sentence_wrote_and_redo_does_all_again() -> None:
    memory = room_memory()
    align(memory, "the sofa is a bench")
    align(memory, "these are stools", 4, 5)
    undone = align(memory, "undo")
    assert undone.response == (
        'I took back both corrections of "these are stools": 2 (the name of object 4)'
        " and 3 (the name of object 5)."
    )
    assert sorted(undone.correction_ids) == [2, 3]
    assert [c.undone for c in memory.corrections()] == [False, True, True]
    again = align(memory, "redo")
    assert again.response.startswith('I did both corrections of "these are stools": 2 (')
    assert [memory.snapshot().objects[i].label for i in (4, 5, 8)] == ["stool", "stool", "bench"]
    align(memory, "undo correction 2")
    assert [c.undone for c in memory.corrections()] == [False, True, False]
    assert "there is no correction 999" in align(memory, "redo 999").response


@pytest.mark.parametrize("row", TABLE["explained"], ids=lambda row: row["text"])
def test_impossible_correction_is_explained_and_not_written(row: dict[str, str]) -> None:
    memory = room_memory()
    if row["before"]:
        assert align(memory, row["before"]).failure is None
    count = len(memory.corrections())
    alignment = align(memory, row["text"])
    assert alignment.failure is not None
    assert row["answer"] in alignment.response
    assert len(memory.corrections()) == count


def similar_chairs() -> SmallMemory:
    """Three chairs that look the same, and a table."""
    chairs = [thing(i, "chair", (i, 0, 0.5), (0.5, 0.5, 1.0), color="red") for i in (1, 2, 3)]
    return SmallMemory(snapshot_of([*chairs, thing(4, "table", (5, 2, 0.4), (1.6, 0.9, 0.8))]))


def test_similar_ones_are_shown_first_and_corrected_when_that_is_said() -> None:
    memory = similar_chairs()
    router = Router(memory, dialogues=Dialogues(1, 6))

    def say(text: str) -> Alignment:
        return router.align(query(text, dialogue_id="a"), "anna")

    say("object 1 is a stool")
    preview = say("the same goes for the similar ones")
    assert preview.failure is None
    assert preview.correction_ids == ()
    assert preview.object_ids == (2, 3)
    assert preview.response.startswith(
        "Objects 2 and 3 are similar (the chair (object 2): also perceived as chair, same color"
    )
    assert preview.response.endswith("Rename them to stool?")
    assert len(memory.corrections()) == 1
    done = say("yes, those too")
    assert done.response == "Done. Now the chair (object 2) and the chair (object 3) are stools."
    assert done.object_ids == (2, 3)
    assert [o.label for o in memory.snapshot().objects.values()] == ["stool"] * 3 + ["table"]
    assert len(say("undo").correction_ids) == 2
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
