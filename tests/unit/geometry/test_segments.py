"""Segments of one array against a loop over the segments."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry.segments import evenly, sorted_within, starts_of

seeds = st.integers(0, 2**16)
sizes = st.lists(st.integers(0, 40), min_size=1, max_size=6)


@given(seeds, sizes)
def test_every_segment_is_sorted_by_itself(seed: int, counts: list[int]) -> None:
    values = np.random.default_rng(seed).normal(0.0, 100.0, sum(counts)).astype(np.float32)
    owner = np.repeat(np.arange(len(counts)), counts)
    expected = [np.sort(values[owner == number]) for number in range(len(counts))]
    np.testing.assert_array_equal(sorted_within(values, owner), np.concatenate(expected))


def test_rows_are_sorted_alike() -> None:
    values = np.array([(3, 1, 9, 5), (0, -1, -8, -7)], np.float32)
    found = sorted_within(values, np.array([0, 0, 1, 1]))
    np.testing.assert_array_equal(found, [(1, 3, 5, 9), (-1, 0, -8, -7)])


@given(sizes, st.integers(1, 30))
def test_a_segment_keeps_as_many_as_allowed_from_all_of_it(counts: list[int], most: int) -> None:
    kept = evenly(np.array(counts), most)
    for start, count in zip(starts_of(np.array(counts)).tolist(), counts, strict=True):
        rows = np.flatnonzero(kept[start : start + count])
        assert len(rows) == min(count, most)
        steps = np.diff(np.append(rows, count + rows[:1]))
        assert len(steps) == 0 or np.ptp(steps) <= 1
