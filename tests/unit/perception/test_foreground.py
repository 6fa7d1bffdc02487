"""Which layer of depths is the object's."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.perception.foreground import foreground_ranges

GAP = 0.05


def range_of(depth_m: np.ndarray) -> tuple[float, float]:
    depth = depth_m.astype(np.float32)
    nearest, farthest = foreground_ranges(depth, np.zeros(len(depth), int), 1, GAP)
    return float(nearest[0]), float(farthest[0])


def around(depth_m: float, count: int, spread_m: float = 0.01, seed: int = 0) -> np.ndarray:
    return depth_m + np.random.default_rng(seed).uniform(-spread_m, spread_m, count)


def test_the_object_before_a_wall_with_more_samples() -> None:
    nearest, farthest = range_of(np.concatenate((around(2.0, 100), around(4.0, 200))))
    assert 1.9 < nearest < 1.99
    assert 2.01 < farthest < 2.2


def test_a_few_near_samples_are_not_the_object() -> None:
    nearest, farthest = range_of(np.concatenate((around(1.0, 10), around(2.0, 200))))
    assert nearest > 1.9
    assert farthest < 2.2


def test_a_tail_along_the_floor_is_cut() -> None:
    tail = np.linspace(2.02, 4.0, 60)
    _, farthest = range_of(np.concatenate((around(2.0, 200), tail)))
    assert farthest < 2.2


def test_a_surface_that_goes_back_evenly_is_kept() -> None:
    nearest, farthest = range_of(np.linspace(1.5, 3.0, 300))
    assert nearest < 1.5
    assert farthest > 3.0


def test_who_has_no_depths_has_an_empty_range() -> None:
    nearest, farthest = foreground_ranges(np.full(5, 2.0, np.float32), np.full(5, 1), 3, GAP)
    assert (nearest > farthest).tolist() == [True, False, True]
    nearest, farthest = foreground_ranges(np.zeros(0, np.float32), np.zeros(0, int), 2, GAP)
    assert (nearest > farthest).all()


@given(st.integers(0, 2**16), st.lists(st.integers(0, 50), min_size=1, max_size=5))
def test_objects_have_the_ranges_that_they_have_alone(seed: int, counts: list[int]) -> None:
    depth = np.random.default_rng(seed).gamma(2.0, 1.0, sum(counts)).astype(np.float32) + 0.1
    owner = np.repeat(np.arange(len(counts)), counts)
    nearest, farthest = foreground_ranges(depth, owner, len(counts), GAP)
    for number, count in enumerate(counts):
        if count:
            alone = range_of(depth[owner == number])
            np.testing.assert_allclose((nearest[number], farthest[number]), alone, rtol=1e-6)
            inside = depth[owner == number]
            assert ((inside >= nearest[number]) & (inside <= farthest[number])).any()
