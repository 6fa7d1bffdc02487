"""Trajectories in few points: evenly thinned while they grow, by their shape once they are over."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from scenemind.memory.tree.trajectory import Trajectory, simplify

trajectories = npst.arrays(
    np.float32,
    st.tuples(st.integers(0, 40), st.just(3)),
    elements=st.floats(-5.0, 5.0, width=32),
)


@settings(deadline=None)
@given(count=st.integers(1, 500), bound=st.integers(2, 40))
def test_trajectory_is_an_even_bounded_subsequence(count, bound):
    trajectory = Trajectory(bound)
    for i in range(count):
        trajectory.add((i, 0.0, 0.0))
    kept = trajectory.array()[:, 0].astype(int).tolist()
    assert 1 <= len(kept) <= bound
    assert kept[0] == 0
    assert len({b - a for a, b in pairwise(kept)}) <= 1
    assert len(kept) * 2 >= min(count, bound)


def test_straight_way_is_two_points_and_a_corner_a_third():
    way = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 2, 0)], np.float32)
    assert simplify(way[:3], 0.1, 8).tolist() == way[[0, 2]].tolist()
    assert simplify(way, 0.1, 8).tolist() == way[[0, 2, 4]].tolist()


def test_way_there_and_back_keeps_its_far_end():
    way = np.array([(0, 0, 0), (3, 0, 0), (7, 0, 0), (4, 0, 0), (0, 0, 0)], np.float32)
    assert simplify(way, 0.1, 8).tolist() == way[[0, 2, 4]].tolist()


def test_thing_at_rest_is_two_points():
    way = np.random.default_rng(1).normal(0.0, 0.01, (32, 3)).astype(np.float32)
    assert simplify(way, 0.1, 8).tolist() == way[[0, 31]].tolist()


@settings(deadline=None)
@given(trajectories, st.floats(0.01, 2.0), st.integers(2, 12))
def test_simplified_trajectory_is_near_to_every_point_or_full(points, tolerance_m, most):
    kept = simplify(points, tolerance_m, most)
    assert len(kept) <= max(most, min(len(points), 2))
    if not len(points):
        return
    assert kept[[0, -1]].tolist() == points[[0, -1]].tolist()
    if len(kept) < most:
        assert max(distance_m(point, kept) for point in points) <= tolerance_m + 1e-4


def distance_m(point: np.ndarray, line: np.ndarray) -> float:
    """To a broken line, each of its pieces sampled."""
    share = np.linspace(0.0, 1.0, 2001)[:, None]
    pieces = [a + share * (b - a) for a, b in pairwise(line.astype(float))] or [line]
    return min(float(np.linalg.norm(piece - point, axis=1).min()) for piece in pieces)


def test_all_points_of_a_given_trajectory_are_kept():
    points = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert Trajectory.through(points).array().tolist() == points.tolist()
    assert Trajectory.through(points[:0]).array().shape == (0, 3)
    with pytest.raises(ValueError, match="read-only"):
        Trajectory.through(points).array()[0] = 1.0
