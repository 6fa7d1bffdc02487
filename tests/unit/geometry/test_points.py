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
    points = np.column_stack((np.arange(101.0), np.arange(101.0) * 2, np.zeros(101)))
    points[0, 2], points[1, 2] = -50.0, 50.0
    low, high = trimmed_bounds(points, 0.02)
    np.testing.assert_allclose(low, (2, 4, 0))
    np.testing.assert_allclose(high, (98, 196, 0))


@given(seeds, st.integers(1, 60), st.floats(0.0, 0.2))
def test_trimmed_bounds_lie_within_the_points(seed: int, count: int, share: float) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 3))
    low, high = trimmed_bounds(points, share)
    assert (points.min(axis=0) <= low).all()
    assert (low <= high).all()
    assert (high <= points.max(axis=0)).all()
