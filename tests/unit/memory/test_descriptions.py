"""Notes on objects, descriptions of objects, and image vectors against words."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.memory.descriptions import SENTENCE, DescribedObjects, ObjectNotes, match_words
from scenemind.memory.types import Description, Embedding
from tests.unit.memory.things import thing

CHAIR = Description(1, {"material": "wood"}, "seer", "chair", 0, 5)
STOOL = Description(2, {"material": "steel"}, "seer", "stool", 0, 5)


def notes(*kept: Description) -> ObjectNotes[Description]:
    """Notes of two kinds, distinguished by author."""
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


def test_new_notes_are_taken_for_storing_once() -> None:
    table = notes(CHAIR)
    assert table.take_changes() == ()
    table.put(STOOL)
    assert table.take_changes() == (STOOL,)
    assert table.take_changes() == ()


def test_notes_that_could_not_be_stored_come_again_in_their_newest_state() -> None:
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


CUP = replace(thing(1, "cup", (0, 0, 1), (0.1, 0.1, 0.1)), attributes={"color": "red"})
BOX = thing(2, "box", (1, 0, 1), (0.3, 0.3, 0.3))
SAID = Description(1, {"color": "pink", "material": "clay"}, "seer", "cup", 0, 5)


def described(*said: Description) -> tuple[ObjectNotes[Description], DescribedObjects]:
    notes = ObjectNotes[Description](lambda _: "")
    notes.restore(said)
    return notes, DescribedObjects(notes)


def test_measured_attributes_count_and_the_rest_is_marked() -> None:
    _, objects = described(SAID)
    cup = objects.describe({1: CUP, 2: BOX})[1]
    assert dict(cup.attributes) == {"color": "red", "material": "clay"}
    assert dict(cup.attribute_sources) == {"material": "model"}
    assert (cup.label, cup.box) == (CUP.label, CUP.box)


def test_values_stay_the_same_until_something_changes() -> None:
    notes, objects = described(SAID)
    first = objects.describe({1: CUP, 2: BOX})
    again = objects.describe({1: CUP, 2: BOX})
    assert again[1] is first[1]
    assert again[2] is BOX
    notes.put(replace(SAID, attributes={"material": "glass"}))
    assert objects.describe({1: CUP})[1].attributes["material"] == "glass"
    moved = replace(CUP, observation_count=99)
    assert objects.describe({1: moved})[1].observation_count == 99


def test_objects_without_notes_are_not_copied() -> None:
    perceived = {1: CUP}
    assert described()[1].describe(perceived) is perceived


def test_notes_on_a_missing_object_change_no_other() -> None:
    assert described(SAID)[1].describe({2: BOX}) == {2: BOX}


def test_removed_objects_are_freed() -> None:
    notes, objects = described(SAID)
    points = np.zeros((5, 3), np.float32)
    kept = weakref.ref(points)
    objects.describe({1: replace(CUP, points=points)})
    del points
    assert kept() is not None
    notes.follow({}, [1])
    notes.put(replace(SAID, object_id=2))
    objects.describe({2: BOX})
    assert kept() is None


class Compass:
    """An `ImageTextEncoder` of two words."""

    name = "compass"
    dimension = 2

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        of = {SENTENCE.format("east"): (1.0, 0.0), SENTENCE.format("north"): (0.0, 1.0)}
        return np.array([of[text] for text in texts], np.float32).reshape(-1, 2)

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        return np.zeros((len(images), 2), np.float32)


def pointing(object_id: int, degrees: float, encoder: str = "compass") -> Embedding:
    turn = np.deg2rad(degrees)
    return Embedding(object_id, encoder, np.array((np.cos(turn), np.sin(turn)), np.float32), 1)


def test_cosines_stand_by_object_and_word() -> None:
    known = [pointing(7, 60.0), pointing(2, 0.0), pointing(3, 10.0, "another encoder")]
    matches = match_words(known, ["east", "north"], Compass())
    assert (matches.object_ids, matches.words) == ((2, 7), ("east", "north"))
    assert matches.cosines == pytest.approx(np.array([(1.0, 0.0), (0.5, 0.75**0.5)]), abs=1e-6)


@pytest.mark.parametrize(("count", "words"), [(0, ["east"]), (2, []), (0, [])])
def test_nothing_to_compare_is_an_empty_table(count: int, words: list[str]) -> None:
    known = [pointing(n, 0.0) for n in range(count)]
    assert match_words(known, words, Compass()).cosines.shape == (count, len(words))
