"""Whether something fits: on a table beside what stands there, through a door as wide as it is."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from scenemind.geometry import Box3D
from scenemind.reasoning import Answer, Router
from scenemind.reasoning.symbolic.room_on import free_depth_m, largest_square_m
from tests.unit.reasoning.scene import ROOM, SmallMemory, query, snapshot_of, thing

TABLE = Box3D((2.0, 1.0, 0.4), (1.6, 0.8, 0.8))


@pytest.mark.parametrize("yaw", [0.0, 0.4, math.pi / 2])
def test_what_is_free_is_what_no_box_covers_however_the_table_is_turned(yaw: float) -> None:
    table = replace(TABLE, yaw=yaw)
    along = (math.cos(yaw), math.sin(yaw))
    at_end = (2.0 + 0.6 * along[0], 1.0 + 0.6 * along[1], 0.9)  # its last 40 cm
    box = Box3D(at_end, (0.4, 0.8, 0.2), yaw)
    assert free_depth_m(table, [box], 1.2) == pytest.approx(0.8, abs=0.021)
    assert free_depth_m(table, [box], 1.3) == 0.0
    assert free_depth_m(table, [box], 0.5) == pytest.approx(1.2, abs=0.021)  # across
    assert largest_square_m(table, [box]) == pytest.approx(0.8, abs=0.021)


def test_a_thing_in_the_middle_leaves_its_sides() -> None:
    cup = Box3D((2.0, 1.0, 0.85), (0.1, 0.1, 0.1))
    assert free_depth_m(TABLE, [cup], 1.6) == pytest.approx(0.35, abs=0.021)
    assert free_depth_m(TABLE, [cup], 0.8) == pytest.approx(0.75, abs=0.021)  # beside it
    assert free_depth_m(TABLE, [], 1.61) == 0.0
    assert largest_square_m(TABLE, []) == pytest.approx(0.8)


def ask(text: str) -> Answer:
    return Router(SmallMemory(snapshot_of(ROOM))).ask(query(text))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        # The laptop and the cup leave 0.49 m at its far end, and 1.6 m by 0.32 m beside them.
        ("is there room on the dining table for a 60 cm tray?", "Yes"),
        ("is there enough space left on the dining table for a 1.5 m board?", "No"),
        ("is there room on the dining table for the white cup?", "Yes"),
        ("is there a free spot on the dining table for the shelf?", "No"),
        # The door is 0.9 m wide and 2 m high.
        ("can I get the sofa through the door?", "Yes, the sofa"),
        ("would the dining table go out through the door without us taking a saw to it?", "Yes"),
        ("is the door wide enough for the shelf?", "Yes"),
        ("is the door big enough to get the sofa through?", "Yes"),
        ("could a 95 cm trolley get through the door?", "No"),
        ("is the door wide enough for a 70 cm wheelchair?", "Yes"),
    ],
)
def test_what_fits(text: str, word: str) -> None:
    answer = ask(text)
    assert answer.text.startswith(word)
    assert answer.confidence > 0.5


def test_what_has_no_known_size_is_answered_with_the_free_place() -> None:
    answer = ask("is there room on the dining table for a printer?")
    # Between the cup and the laptop are 0.575 m, in cells of 2 cm.
    assert "0.56 m by 0.56 m; I know no printer" in answer.text
    assert answer.confidence <= 0.5


def test_what_is_too_high_may_go_through_on_its_side() -> None:
    door = thing(1, "door", (0, 3, 1.0), (0.9, 0.1, 2.0))
    things = (
        door,
        thing(2, "cabinet", (0, 0, 1.1), (1.2, 0.8, 2.2)),
        thing(3, "table", (4, 0, 0.4), (1.8, 1.0, 0.8)),
        thing(4, "refrigerator", (8, 0, 1.1), (1.0, 1.1, 2.2)),
    )
    router = Router(SmallMemory(snapshot_of(things)))
    said = {
        each.label: router.ask(query(f"would the {each.label} go through the door?")).text
        for each in things[1:]
    }
    assert said["cabinet"].startswith("Yes if it is turned")
    assert said["table"].startswith("Yes if it is turned")
    assert said["refrigerator"].startswith("No")
