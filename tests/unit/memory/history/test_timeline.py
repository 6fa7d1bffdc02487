"""Visits, and places of objects at a moment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Box3D
from scenemind.memory.history import PlaceAt, TimeSpan, Visit, find_place, find_visits
from scenemind.memory.types import MapObject, Stay
from tests.unit.memory.things import thing

S = 1_000_000_000


def visits(*stamps_s: float, pause_s: float = 300.0) -> tuple[Visit, ...]:
    numbers = np.arange(10, 10 + len(stamps_s))
    stamps_ns = (np.array(stamps_s) * S).astype(np.int64)
    return find_visits(numbers, stamps_ns, pause_s)


def test_a_long_pause_ends_a_visit_and_a_short_one_does_not() -> None:
    assert visits(0, 1, 200, 501, 502) == (
        Visit(1, TimeSpan(0, 200 * S), (10, 12)),
        Visit(2, TimeSpan(501 * S, 502 * S), (13, 14)),
    )
    assert len(visits(0, 1, 200, 501, 502, pause_s=301.0)) == 1


def test_stamps_that_go_back_begin_another_visit() -> None:
    first, second = visits(5, 6, 1, 2)
    assert (first.span, second.span) == (TimeSpan(5 * S, 6 * S), TimeSpan(1 * S, 2 * S))


def test_no_frames_are_no_visit_and_one_is_one() -> None:
    assert visits() == ()
    assert visits(3) == (Visit(1, TimeSpan(3 * S, 3 * S), (10, 10)),)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=30), st.floats(0.5, 2000.0))
def test_every_frame_is_in_one_visit_without_a_pause(stamps_s: list[int], pause_s: float) -> None:
    found = visits(*stamps_s, pause_s=pause_s)
    in_visits = [n for v in found for n in range(v.frame_numbers[0], v.frame_numbers[1] + 1)]
    assert in_visits == list(range(10, 10 + len(stamps_s)))
    for visit in found:
        first, last = (number - 10 for number in visit.frame_numbers)
        steps = np.diff(stamps_s[first : last + 1])
        assert ((steps >= 0) & (steps <= pause_s)).all()
    assert [visit.number for visit in found] == list(range(1, len(found) + 1))


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
        (25, DOOR, "assumed"),  # it may have left already: no frame has seen the place
        (30, DESK, "seen"),  # before a frame showed that it had left the door
        (42, DESK, "seen"),
        (47, DESK, "assumed"),
        (50, DESK, "gone"),  # the desk was seen without it, and it was nowhere yet
        (59, DESK, "gone"),
        (60, WINDOW, "seen"),
        (1000, WINDOW, "assumed"),
    ],
)
def test_place_at_a_moment_and_its_evidence(stamp_ns: int, box: Box3D, knowledge: str) -> None:
    place = find_place(CHAIR, stamp_ns)
    assert place is not None
    assert (place.box, place.knowledge) == (box, knowledge)


def test_object_has_no_place_before_its_first_view() -> None:
    assert find_place(CHAIR, 9) is None


def test_place_has_its_times() -> None:
    assert find_place(CHAIR, 15) == PlaceAt(DOOR, "seen", 10, 20, 40)
    assert find_place(CHAIR, 70) == PlaceAt(WINDOW, "seen", 60, 80, None)


def test_object_that_is_gone_has_no_later_place() -> None:
    gone = replace(CHAIR, box=DESK, last_seen_ns=45, here_since_ns=30)
    place = find_place(gone, 1000, is_gone=True)
    assert place == PlaceAt(DESK, "gone", 30, 45, 50)


def test_unknown_arrival_is_the_departure_from_the_place_before() -> None:
    unsure = replace(CHAIR, here_since_ns=None)
    first, second = find_place(unsure, 50), find_place(unsure, 49)
    assert first is not None and second is not None  # noqa: PT018
    assert (first.box, second.box) == (WINDOW, DESK)
