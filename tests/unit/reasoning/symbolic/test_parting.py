"""Where an object comes apart: surfaces of one thing, of two and of three."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.reasoning.symbolic.parting import find_parts

SIZES = ((0.5, 0.5, 0.9), (0.1, 0.1, 0.12), (1.8, 0.8, 0.8))


def surface(
    center: tuple[float, float, float], size: tuple[float, float, float], seed: int = 0
) -> NDArray[np.float32]:
    """(600, 3) points spread evenly over the faces of a box, with a camera's noise."""
    rng = np.random.default_rng(seed)
    unit = rng.uniform(-0.5, 0.5, (600, 3))
    area = np.prod(size) / np.array(size)
    face = rng.choice(3, 600, p=area / area.sum())
    unit[np.arange(600), face] = rng.choice((-0.5, 0.5), 600)
    return (unit * size + center + rng.normal(0, 0.003, (600, 3))).astype(np.float32)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("gap", [0.3, 1.0])
def test_two_things_part_in_their_gap(size: tuple[float, float, float], gap: float) -> None:
    """A third of their width apart, or a whole one."""
    away = size[0] * (1.0 + gap)
    points = np.concatenate((surface((0, 0, 0.5), size), surface((away, 0, 0.5), size, 1)))
    places = find_parts(points, 2)
    assert places is not None
    low, high = sorted(places)
    assert low == pytest.approx((0.0, 0.0, 0.5), abs=0.1 * max(size))
    assert high == pytest.approx((away, 0.0, 0.5), abs=0.1 * max(size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(5))
def test_one_thing_does_not_part(size: tuple[float, float, float], seed: int) -> None:
    assert find_parts(surface((1, 2, 0.5), size, seed), 2) is None


def test_three_in_a_row() -> None:
    size = (0.5, 0.5, 0.9)
    rows = [surface((0.8 * i, 0, 0.45), size, i) for i in range(3)]
    places = find_parts(np.concatenate(rows), 3)
    assert places is not None
    assert [round(x, 1) for x, _, _ in sorted(places)] == [0.0, 0.8, 1.6]


def test_three_where_two_are() -> None:
    size = (0.5, 0.5, 0.9)
    points = np.concatenate((surface((0, 0, 0.45), size), surface((0.9, 0, 0.45), size, 1)))
    assert find_parts(points, 3) is None


@pytest.mark.parametrize("count", [0, 1, 100])
def test_a_few_points_tell_nothing(count: int) -> None:
    assert find_parts(np.zeros((count, 3), np.float32), 2) is None
