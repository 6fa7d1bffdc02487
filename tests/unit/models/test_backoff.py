"""Pauses between tries."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from scenemind.models.backoff import Backoff


def pauses(backoff: Backoff, count: int) -> list[float]:
    made: list[float] = []
    for _ in range(count):
        made.append(backoff.next_s(made[-1] if made else None))
    return made


@given(st.integers(0, 1000), st.floats(0.01, 5.0))
def test_pauses_keep_within_their_bounds(seed: int, first_s: float) -> None:
    made = pauses(Backoff(first_s, seed), 12)
    assert 0.5 * first_s <= made[0] <= 1.5 * first_s
    for before, after in pairwise(made):
        assert 0.5 * first_s <= after <= min(30.0, 3.0 * before)


def test_they_grow_and_differ_between_callers() -> None:
    every = [pauses(Backoff(0.5, seed), 6) for seed in range(200)]
    means = [sum(made[i] for made in every) / len(every) for i in range(6)]
    assert means == sorted(means)
    assert 0.45 < means[0] < 0.55  # half of (0.25 + 0.75)
    assert len({made[0] for made in every}) == len(every)
    assert pauses(Backoff(0.5, 3), 6) == every[3]
