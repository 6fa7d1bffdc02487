"""Corrections in plain words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.geometry import Box3D
from scenemind.memory import Correction, Edit
from scenemind.memory.types import ObjectAnchor
from scenemind.report.journal import told_corrections

BOX = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
NAMES = {3: "couch", 4: "cup", 9: "table", -1: "floor"}


def entry(edit: Edit, number: int = 1) -> Correction:
    anchors = tuple(ObjectAnchor(i, NAMES[i], BOX) for i in edit.object_ids if i in NAMES)
    return Correction(number, edit, "Ada", "so it is", 0, anchors=anchors)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (Edit("rename", (3,), value="sofa bed"), "couch 3 is called sofa bed"),
        (Edit("rename", (3, 9), value="bench"), "couch 3 and table 9 are called bench"),
        (Edit("set_attribute", (3,), "color", "grey"), "the color of couch 3 is grey"),
        (Edit("set_attribute", (3,), "color", ""), "the color of couch 3 was forgotten"),
        (Edit("set_attribute", (4,), "owner", "Bob"), "cup 4 belongs to Bob"),
        (Edit("set_attribute", (4,), "note", "is hot"), "note on cup 4: is hot"),
        (Edit("add_relation", (4, -1), "on"), "cup 4 is on the floor"),
        (Edit("delete_relation", (4, 9), "on"), "cup 4 is not on table 9"),
        (Edit("merge", (3, 9)), "couch 3 and table 9 are one thing"),
        (
            Edit("split", (3,), places=((0, 0, 0), (1, 0, 0)), new_ids=(12,)),
            "couch 3 is 2 things: 3 and 12",
        ),
        (Edit("delete_object", (7,)), "object 7 is not there"),
        (Edit("confirm", (4,)), "cup 4 is certain"),
    ],
)
def test_an_entry_tells_what_it_changed(edit: Edit, told: str) -> None:
    assert told_corrections([entry(edit)]) == [told]


def test_things_bear_the_names_that_stand() -> None:
    renamed = entry(Edit("rename", (3,), value="bench"))
    grey = entry(Edit("set_attribute", (3,), "color", "grey"), 2)
    assert told_corrections([renamed, grey])[1] == "the color of bench 3 is grey"
    undone = replace(renamed, undone_ns=1)
    assert told_corrections([undone, grey])[1] == "the color of couch 3 is grey"
