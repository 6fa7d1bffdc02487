"""Where a thing carries others, from points whose surfaces are known."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.memory.graph.relations.level_surface import level_surface_z


def seat_and_back(count: int) -> np.ndarray:
    """Surface of a chair: a level seat at 0.45 m, and a back and legs spread over its height."""
    rng = np.random.default_rng(0)
    seat = np.column_stack((rng.uniform(-0.25, 0.25, (count, 2)), rng.normal(0.45, 0.005, count)))
    rest = np.column_stack((rng.uniform(-0.25, 0.25, (count, 2)), rng.uniform(0.0, 0.9, count)))
    return np.vstack((seat, rest)).astype(np.float32)


def test_the_level_surface_of_a_chair_is_its_seat() -> None:
    assert level_surface_z(seat_and_back(200)) == pytest.approx(0.45, abs=0.015)


def test_a_wall_a_bowl_and_a_few_points_have_no_level_surface() -> None:
    rng = np.random.default_rng(0)
    wall = rng.uniform(0.0, 2.0, (300, 3)).astype(np.float32)
    bowl = rng.uniform(0.0, 0.1, (300, 3)).astype(np.float32)
    assert level_surface_z(wall) is None
    assert level_surface_z(bowl) is None
    assert level_surface_z(wall[:5]) is None


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_a_wrong_point_leaves_the_surface_unknown(bad: float) -> None:
    points = seat_and_back(200)
    points[7, 2] = bad
    assert level_surface_z(points) is None
