"""Voxels and bounds of point clouds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry.points import trimmed_bounds, voxel_keys

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
