"""Objects that a whole sentence speaks of."""

from __future__ import annotations

import pytest

from scenemind.memory import MemorySnapshot
from scenemind.memory.finding.named import objects_named
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
