"""When the camera was there."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory.history import TimeSpan, Visit, find_visits

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
