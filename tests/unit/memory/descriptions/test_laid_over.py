"""A model's words over what the camera measured."""

from __future__ import annotations

import weakref
from dataclasses import replace

import numpy as np

from scenemind.memory.descriptions.laid_over import DescribedObjects
from scenemind.memory.descriptions.object_notes import ObjectNotes
from scenemind.memory.types import Description
from tests.unit.memory.things import thing

CUP = replace(thing(1, "cup", (0, 0, 1), (0.1, 0.1, 0.1)), attributes={"color": "red"})
BOX = thing(2, "box", (1, 0, 1), (0.3, 0.3, 0.3))
SAID = Description(1, {"color": "pink", "material": "clay"}, "seer", "cup", 0, 5)


def described(*said: Description) -> tuple[ObjectNotes[Description], DescribedObjects]:
    notes = ObjectNotes[Description](lambda _: "")
    notes.restore(said)
    return notes, DescribedObjects(notes)


def test_measured_attributes_count_and_the_rest_is_marked() -> None:
    _, objects = described(SAID)
    cup = objects.lay_over({1: CUP, 2: BOX})[1]
    assert dict(cup.attributes) == {"color": "red", "material": "clay"}
    assert dict(cup.attribute_sources) == {"material": "model"}
    assert (cup.label, cup.box) == (CUP.label, CUP.box)


def test_values_stay_the_same_until_something_changes() -> None:
    notes, objects = described(SAID)
    first = objects.lay_over({1: CUP, 2: BOX})
    again = objects.lay_over({1: CUP, 2: BOX})
    assert again[1] is first[1]
    assert again[2] is BOX
    notes.put(replace(SAID, attributes={"material": "glass"}))
    assert objects.lay_over({1: CUP})[1].attributes["material"] == "glass"
    moved = replace(CUP, observation_count=99)
    assert objects.lay_over({1: moved})[1].observation_count == 99


def test_nothing_is_copied_where_nothing_was_said() -> None:
    perceived = {1: CUP}
    assert described()[1].lay_over(perceived) is perceived


def test_what_was_said_of_something_that_is_not_there_waits() -> None:
    assert described(SAID)[1].lay_over({2: BOX}) == {2: BOX}


def test_nothing_is_kept_of_objects_that_are_no_more() -> None:
    notes, objects = described(SAID)
    points = np.zeros((5, 3), np.float32)
    kept = weakref.ref(points)
    objects.lay_over({1: replace(CUP, points=points)})
    del points
    assert kept() is not None
    notes.follow({}, [1])
    notes.put(replace(SAID, object_id=2))
    objects.lay_over({2: BOX})
    assert kept() is None
