"""Medians over a window, counts over everything."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.mapping import StageTimings


@given(st.lists(st.floats(0.0, 1e4), min_size=1, max_size=50), st.integers(1, 20))
def test_statistics_are_those_of_the_last_frames(values, window):
    timings = StageTimings(window)
    for ms in values:
        timings.add({"detect": ms, "track": 1.0})
    stats = timings.stats()
    assert list(stats) == ["detect", "track"]
    assert stats["detect"].median_ms == np.median(values[-window:])
    assert stats["detect"].p99_ms == np.percentile(values[-window:], 99)
    assert stats["detect"].count == len(values)


def test_no_frames_no_statistics():
    assert StageTimings().stats() == {}
