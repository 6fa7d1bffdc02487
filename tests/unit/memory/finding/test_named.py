"""Objects that a whole sentence speaks of."""

from __future__ import annotations

import pytest

from scenemind.memory import MemorySnapshot
from scenemind.memory.finding.named import named_objects, objects_named
from tests.unit.reasoning.scene import ROOM, snapshot_of, thing

SCENE: MemorySnapshot = snapshot_of((*ROOM, thing(20, "cup", (5, 5, 1), (0.1, 0.1, 0.1), 0.95)))


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Where is the laptop?", [3]),
        ("Where did I leave my notebook computer?", [3]),
        ("Is there a couch in front of the door?", [8, 9]),
        ("Which mugs are there?", [20, 2, 10]),  # surest first
        ("What is on the dining table, besides cups?", [20, 1, 2, 10]),
        ("Is it raining?", []),
        ("", []),
    ],
)
def test_objects_named_in_a_text(text: str, ids: list[int]) -> None:
    assert objects_named(SCENE, text) == ids


@pytest.mark.parametrize(
    ("text", "subjects", "others"),
    [
        ("Where is the laptop on the dining table?", {3}, {1}),
        ("What is on the dining table, besides cups?", {1}, {20, 2, 10}),
        ("Is the laptop or a mug nearer to the dining table?", {3, 20, 2, 10}, {1}),
        ("Laptop, cups and the dining table: where are they?", {1, 2, 3, 10, 20}, set()),
        ("Is there a cup beside the cup?", {20, 2, 10}, set()),
        ("Is it raining?", set(), set()),
    ],
)
def test_what_a_text_speaks_of_first_is_its_subject(
    text: str, subjects: set[int], others: set[int]
) -> None:
    named = named_objects(SCENE, text)
    assert (set(named.subjects), set(named.others)) == (subjects, others)


def test_a_longer_name_goes_before_those_within_it() -> None:
    size_m = 1.0, 1.0, 0.7
    tables = thing(1, "coffee table", (0, 0, 0), size_m), thing(2, "table", (2, 0, 0), size_m)
    scene = snapshot_of(tables)
    assert named_objects(scene, "Where is the coffee table?").subjects == (1,)
    assert set(named_objects(scene, "Where is the table?").subjects) == {1, 2}
