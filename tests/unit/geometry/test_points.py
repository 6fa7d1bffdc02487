"""Voxels, bounds and segments of point clouds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry.points import (
    evenly,
    quantiles_within,
    sorted_within,
    starts_of,
    trimmed_bounds,
    voxel_keys,
)

seeds = st.integers(0, 2**16)


def test_a_voxel_has_one_key_and_its_neighbours_others() -> None:
    points = np.array([(0.01, 0, 0), (0.05, 0, 0), (0.11, 0, 0), (-0.01, 0, 0), (0.02, 0, 0)])
    first, same, right, left, again = voxel_keys(points, 0.1).tolist()
    assert first == same == again
    assert len({first, right, left}) == 3


@given(seeds, st.floats(0.005, 0.5))
def test_keys_tell_the_voxels_of_a_plain_loop_apart(seed: int, voxel_m: float) -> None:
    points = np.random.default_rng(seed).normal(0.0, 1.0, (200, 3))
    cells = np.floor(points * (1.0 / voxel_m)).astype(int)
    keys = voxel_keys(points, voxel_m)
    pairs = set(zip(keys.tolist(), map(tuple, cells.tolist()), strict=True))
    assert len(pairs) == len(np.unique(keys)) == len(np.unique(cells, axis=0))


@given(seeds)
def test_far_voxels_do_not_collide(seed: int) -> None:
    index = np.random.default_rng(seed).integers(-500_000, 500_000, (500, 3))
    keys = voxel_keys((index + 0.5) * 0.02, 0.02)
    assert len(np.unique(keys)) == len(np.unique(index, axis=0))


def test_trimmed_bounds_leave_out_a_share_at_every_end() -> None:
    columns = np.stack((np.arange(101.0), np.arange(101.0) * 2, np.zeros(101)))
    columns[2, 0], columns[2, 1] = -50.0, 50.0
    low, high = trimmed_bounds(columns, np.zeros(101, int), np.array([101]), 0.02)
    np.testing.assert_allclose(low[:, 0], (2, 4, 0))
    np.testing.assert_allclose(high[:, 0], (98, 196, 0))


@given(seeds, st.lists(st.integers(1, 60), min_size=1, max_size=5), st.floats(0.0, 0.2))
def test_clouds_have_the_trimmed_bounds_that_they_have_alone(
    seed: int, counts: list[int], share: float
) -> None:
    columns = np.random.default_rng(seed).normal(0.0, 5.0, (3, sum(counts))).astype(np.float32)
    owner = np.repeat(np.arange(len(counts)), counts)
    low, high = trimmed_bounds(columns, owner, np.array(counts), share)
    for number, count in enumerate(counts):
        ordered, spare = np.sort(columns[:, owner == number], axis=1), int(share * count)
        np.testing.assert_allclose(low[:, number], ordered[:, spare], rtol=1e-6)
        np.testing.assert_allclose(high[:, number], ordered[:, count - 1 - spare], rtol=1e-6)


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


@given(st.lists(st.lists(st.floats(-50, 50), min_size=1, max_size=9), min_size=1, max_size=5))
def test_quantiles_of_segments_are_those_of_each_alone(parts: list[list[float]]) -> None:
    counts = np.array([len(part) for part in parts])
    owner = np.repeat(np.arange(len(parts)), counts)
    for share in (0.0, 0.1, 0.5, 1.0):
        found = quantiles_within(np.concatenate(parts), owner, counts, share)
        np.testing.assert_allclose(found, [np.quantile(part, share) for part in parts], atol=1e-9)
