"""Edits in canonical words, and errors that name the missing part."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scenemind.memory import Edit, SceneMemoryError
from scenemind.memory.graph.corrections import LONGEST_TEXT
from scenemind.memory.graph.corrections.edits import normalized_edit
from tests.unit.memory.graph.corrections.room import merge, relate, rename, set_attribute, split

ORIGIN, AWAY = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (rename(2, "  coffee   mug "), rename(2, "coffee mug")),
        (rename(2, "Cafe\u0301-Tasse ☕"), rename(2, "Caf\u00e9-Tasse ☕")),
        (Edit("rename", (2, 7, 2), "ignored", "mug"), Edit("rename", (2, 7), value="mug")),
        (set_attribute(2, "Color ", "dark  red"), set_attribute(2, "color", "dark red")),
        (set_attribute(2, "color", " "), set_attribute(2, "color", "")),
        (relate(2, "On Top Of", 1), relate(2, "on", 1)),
        (relate(2, "tied to", 1), relate(2, "tied to", 1)),
        (merge(2, 7, 2), merge(2, 7)),
        (
            Edit("split", (2,), "ignored", "ignored", (ORIGIN, AWAY), new_ids=(5,)),
            split(2, ORIGIN, AWAY),
        ),
        (Edit("confirm", (2, 2)), Edit("confirm", (2,))),
        (Edit("confirm", tuple(np.array([2, 7]))), Edit("confirm", (2, 7))),
    ],
)
def test_edits_are_written_in_canonical_words(edit: Edit, expected: Edit) -> None:
    assert normalized_edit(edit) == expected
    assert normalized_edit(expected) == expected
    assert {type(object_id) for object_id in normalized_edit(edit).object_ids} == {int}


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (rename(2, "   "), "new name of 1 to 120 characters, not 0"),
        (rename(2, "x" * (LONGEST_TEXT + 1)), "characters, not 121"),
        (rename(2, "x" * 10_000), "characters, not 10000"),
        (rename(2, "mug\x00"), "plain text, not 'mug"),
        (rename(2, "mug\ud800"), "plain text"),
        (Edit("rename", (), value="mug"), "at least one object"),
        (set_attribute(2, "", "red"), "attribute name"),
        (set_attribute(2, "color", "x" * 121), "value for 'color' of 0 to 120"),
        (relate(2, "on", 2), "two different objects"),
        (Edit("add_relation", (2,), "on"), "two different objects"),
        (Edit("add_relation", (2, 1, 7), "on"), "two different objects"),
        (Edit("delete_relation", (2, 1), ""), "predicate"),
        (merge(2), "two objects or more"),
        (merge(2, 2), "two objects or more"),
        (Edit("confirm", (2.0,)), "an object's id is an integer, not 2.0"),
        (split(2, ORIGIN), "2 to 16 parts, not 1"),
        (split(2, ORIGIN, (1.0, 0.0)), r"places \(x, y, z\), not"),
        (split(2, ORIGIN, (1.0, 0.0, "far")), r"places \(x, y, z\), not"),
        (Edit("split", (2, 7), places=(ORIGIN, AWAY)), "exactly one object"),
        (split(2, ORIGIN, AWAY, (0.0, 0.0, 0.001)), "apart"),
        (split(2, ORIGIN, (math.nan, 0.0, 0.0)), "places in metres"),
        (Edit("paint", (2,), "red"), "unknown edit 'paint': use rename,"),  # type: ignore[arg-type]
    ],
)
def test_error_names_the_missing_part(edit: Edit, message: str) -> None:
    with pytest.raises(SceneMemoryError, match=message):
        normalized_edit(edit)
