"""Distances between clouds against comparing every point with every other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from scenemind.memory.graph.relations.clouds import Clouds
from tests.unit.memory.things import surface_points

NONE = np.zeros((0, 3), np.float32)


def box_of(points: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.concatenate((points.min(axis=0), points.max(axis=0)))[None].astype(np.float64)


def cloud(points: NDArray[np.float32]) -> Clouds:
    return Clouds.of([points], box_of(points))


def brute_m(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float(cdist(a, b).min())


coordinates = st.floats(-3.0, 3.0, width=32)
places = st.tuples(coordinates, coordinates, coordinates)
sizes = st.tuples(*(st.floats(0.05, 2.0),) * 3)


@given(places, sizes, st.sampled_from([1, 40, 300]), st.integers(0, 99))
def test_it_is_the_distance_of_the_two_nearest_points(
    place: tuple[float, float, float], size: tuple[float, float, float], count: int, seed: int
) -> None:
    a = surface_points((0.0, 0.0, 0.0), (1.0, 0.6, 0.8), 300, seed)
    b = surface_points(place, size, count, seed + 1)
    mine, theirs = cloud(a), cloud(b)
    at_least, at_most = mine.at_least_m(theirs)[0], mine.at_most_m(theirs)[0]
    exact = brute_m(a, b)
    assert at_least <= exact + 1e-5
    assert at_most >= exact - 1e-5
    assert mine.distance_m(0, theirs, at_most) == pytest.approx(exact, abs=1e-5)
    assert mine.distance_m(0, theirs, at_most, beyond_m=exact) == pytest.approx(exact, abs=1e-5)
    beyond = mine.distance_m(0, theirs, at_most, beyond_m=exact / 2.0)
    assert beyond >= exact - 1e-5


def test_bounds_are_of_the_points_where_there_are_any() -> None:
    points = np.array(((0.0, 0.0, 0.0), (1.0, 2.0, 3.0)), np.float32)
    boxes = np.array(((0.1, 0.1, 0.1, 0.9, 0.9, 0.9), (5.0, 5.0, 5.0, 6.0, 6.0, 6.0)))
    clouds = Clouds.of([points, NONE], boxes)
    np.testing.assert_allclose(clouds.bounds, ((0, 0, 0, 1, 2, 3), (5, 5, 5, 6, 6, 6)))


def test_a_thing_without_points_is_its_box() -> None:
    points = np.array(((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), np.float32)
    box = np.array([(2.0, -1.0, -1.0, 3.0, 1.0, 2.0)])
    with_points, as_box = cloud(points), Clouds.of([NONE], box)
    assert with_points.distance_m(0, as_box, 9.0) == pytest.approx(2.0)
    assert as_box.distance_m(0, with_points, 9.0) == pytest.approx(2.0)
    assert as_box.at_most_m(with_points)[0] == pytest.approx(2.0)
    two = Clouds.of([NONE], box + 4.0)
    assert as_box.distance_m(0, two, as_box.at_most_m(two)[0]) == pytest.approx(
        np.linalg.norm((3.0, 2.0, 1.0))
    )
