"""Where a thing was: a chair that was moved twice, and then taken away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.geometry import Box3D
from scenemind.memory.history import PlaceAt, find_place
from scenemind.memory.types import MapObject, Stay
from tests.unit.memory.things import thing

SIZE = (0.5, 0.5, 1.0)
DOOR, DESK, WINDOW = (Box3D((x, 0.0, 0.5), SIZE) for x in (0.0, 2.0, 4.0))
# By the door from 10 to 20, found to have left at 40; at the desk from 30; at the window from 60.
STAYS = (Stay(DOOR, 10, 20, 40), Stay(DESK, 30, 45, 50))
CHAIR: MapObject = replace(
    thing(7, "chair", WINDOW.center, SIZE),
    first_seen_ns=10,
    last_seen_ns=80,
    stays=STAYS,
    here_since_ns=60,
)


@pytest.mark.parametrize(
    ("stamp_ns", "box", "knowledge"),
    [
        (10, DOOR, "seen"),
        (20, DOOR, "seen"),
        (25, DOOR, "assumed"),  # it may have left already; nobody has seen it
        (30, DESK, "seen"),  # before anybody saw that it had left the door
        (42, DESK, "seen"),
        (47, DESK, "assumed"),
        (50, DESK, "gone"),  # the desk was seen without it, and it was nowhere yet
        (59, DESK, "gone"),
        (60, WINDOW, "seen"),
        (1000, WINDOW, "assumed"),
    ],
)
def test_where_it_was_and_how_that_is_known(stamp_ns: int, box: Box3D, knowledge: str) -> None:
    place = find_place(CHAIR, stamp_ns)
    assert place is not None
    assert (place.box, place.knowledge) == (box, knowledge)


def test_before_it_was_first_seen_it_was_nowhere() -> None:
    assert find_place(CHAIR, 9) is None


def test_a_place_tells_when_it_was_there() -> None:
    assert find_place(CHAIR, 15) == PlaceAt(DOOR, "seen", 10, 20, 40)
    assert find_place(CHAIR, 70) == PlaceAt(WINDOW, "seen", 60, 80, None)


def test_what_is_gone_stays_gone() -> None:
    gone = replace(CHAIR, box=DESK, last_seen_ns=45, here_since_ns=30)
    place = find_place(gone, 1000, is_gone=True)
    assert place == PlaceAt(DESK, "gone", 30, 45, 50)


def test_where_it_is_not_noted_it_came_when_it_had_left_the_place_before() -> None:
    unsure = replace(CHAIR, here_since_ns=None)
    first, second = find_place(unsure, 50), find_place(unsure, 49)
    assert first is not None and second is not None  # noqa: PT018
    assert (first.box, second.box) == (WINDOW, DESK)
