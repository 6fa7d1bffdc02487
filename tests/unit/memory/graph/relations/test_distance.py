"""Distances between clouds of points, and relations by distance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations.distance import (
    Clouds,
    around,
    closest,
    distances_m,
    far,
    farthest,
    within_reach,
)
from tests.unit.memory.graph.relations.columns import column
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


CONFIG = RelationConfig()


def clouds(*points: NDArray[np.float32]) -> Clouds:
    return Clouds.of(points, np.zeros((len(points), 6)))


def cube(x: float, y: float = 0.0, z: float = 0.0, side: float = 0.2) -> NDArray[np.float32]:
    return surface_points((x, y, z), (side,) * 3, 200, 1)


ANCHOR = clouds(cube(0.0))


def test_far_is_farther_for_large_things() -> None:
    """The limit is 1.5 times both half diagonals: 0.52 m for cubes of 0.2 m, 5.2 m for 2 m."""
    for side, limit in ((0.2, 0.5196), (2.0, 5.196)):
        here = column(((0.0, 0.0, 0.0), (side,) * 3))
        for distance, holds in ((0.99 * limit, False), (1.01 * limit, True)):
            there = column(((distance, 0.0, 0.0), (side,) * 3))
            assert bool(far(here, there, CONFIG)[0]) == holds


def test_reach_is_from_point_to_point_and_not_from_box_to_box() -> None:
    """An L of two boards: its box touches the cup, its boards are 1.3 m away from it."""
    along_x = surface_points((1.5, 0.0, 0.0), (3.0, 0.05, 0.05), 300, 1)
    along_y = surface_points((3.0, 1.5, 0.0), (0.05, 3.0, 0.05), 300, 2)
    corner = clouds(np.vstack((along_x, along_y)))
    cup = clouds(surface_points((1.5, 1.5, 0.0), (0.1,) * 3, 100, 3))
    assert cup.at_least_m(corner)[0] == 0.0
    assert within_reach(cup, corner, CONFIG)[0] == 0.0
    wider = CONFIG.model_copy(update={"reach_m": 1.5, "around_m": 1.5})
    assert within_reach(cup, corner, wider)[0] > 0.0
    assert around(cup, corner, wider)[0] > 0.0


@given(st.floats(0.3, 2.5))
def test_within_reach_holds_up_to_its_limit(x: float) -> None:
    found = within_reach(clouds(cube(x)), ANCHOR, CONFIG)[0]
    gap = x - 0.2  # the corners are among the points
    if abs(gap - CONFIG.reach_m) > 1e-4:
        assert (found > 0.0) == (gap < CONFIG.reach_m)


def test_the_closest_of_two_nearly_equal_ones_is_still_one() -> None:
    """With LLM-TPC's epsilon of 0.2 m there would be no closest, and its program has no answer."""
    found = closest(clouds(cube(1.1), cube(-1.0), cube(3.0)), ANCHOR, CONFIG)
    assert int(np.argmax(found)) == 1
    assert found[1] == pytest.approx(0.5 + 0.5 * 0.1 / CONFIG.closest_margin_m)
    assert found[[0, 2]].tolist() == [0.0, 0.0]


def test_a_clear_lead_is_sure() -> None:
    assert closest(clouds(cube(1.0), cube(2.0)), ANCHOR, CONFIG).tolist() == [1.0, 0.0]
    assert farthest(clouds(cube(1.0), cube(2.0)), ANCHOR, CONFIG).tolist() == [0.0, 1.0]


def test_equally_close_ones_share_the_place() -> None:
    found = closest(clouds(cube(1.0), cube(-1.01), cube(3.0)), ANCHOR, CONFIG)
    assert found == pytest.approx([0.525, 0.5, 0.0], abs=0.001)


def test_closest_of_touching_things_is_nearest_by_centre() -> None:
    table = clouds(surface_points((0.0, 0.0, 0.0), (2.0, 1.0, 0.1), 2000, 1))
    at_its_end, in_its_middle = cube(0.8, z=0.15), cube(0.1, z=0.15)
    found = closest(clouds(at_its_end, in_its_middle, cube(4.0)), table, CONFIG)
    assert found[1] == pytest.approx(0.5, abs=0.01)
    assert found[[0, 2]].tolist() == [0.0, 0.0]


def test_closest_of_one_is_certain_and_of_none_is_missing() -> None:
    assert closest(clouds(cube(1.0)), ANCHOR, CONFIG).tolist() == [1.0]
    assert farthest(clouds(cube(1.0)), ANCHOR, CONFIG).tolist() == [1.0]
    assert closest(clouds(), ANCHOR, CONFIG).shape == (0,)
    assert farthest(clouds(), ANCHOR, CONFIG).shape == (0,)


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_pruning_leaves_out_nothing(seed: int, count: int) -> None:
    """The same closest, farthest and leads as from all distances of all points."""
    rng = np.random.default_rng(seed)
    things = [
        surface_points(rng.uniform(-3, 3, 3), rng.uniform(0.05, 1.5, 3), 150, seed + row)
        for row in range(count)
    ]
    anchor = surface_points((0.0, 0.0, 0.0), rng.uniform(0.1, 2.0, 3), 150, seed)
    exact = np.array([cdist(thing, anchor).min() for thing in things])
    targets, end = clouds(*things), clouds(anchor)
    apart = exact > 0.02
    np.testing.assert_allclose(distances_m(targets, end)[apart], exact[apart], atol=1e-4)

    last = int(np.argmax(exact))
    lead = exact[last] - np.delete(exact, last).max()
    found = farthest(targets, end, CONFIG)
    assert found[last] == pytest.approx(0.5 + 0.5 * min(lead / 0.2, 1.0), abs=1e-3)

    if apart.all():
        first = int(np.argmin(exact))
        lead = np.delete(exact, first).min() - exact[first]
        found = closest(targets, end, CONFIG)
        assert found[first] == pytest.approx(0.5 + 0.5 * min(lead / 0.2, 1.0), abs=1e-3)
        assert (found > 0.0).sum() == (exact <= exact.min() + 0.02).sum()
