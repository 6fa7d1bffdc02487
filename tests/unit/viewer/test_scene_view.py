"""Clicks on objects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.viewer.scene_view import find_object_at
from tests.unit.viewer.room import make_thing

EYE = (0.0, -3.0, 1.2)


def surface(center: tuple[float, float, float], size: tuple[float, float, float]) -> NDArray:
    """Points all over a box's sides, 2 cm apart at most."""
    rng = np.random.default_rng(3)
    points = rng.uniform(-0.5, 0.5, (4000, 3))
    axis = rng.integers(0, 3, len(points))
    points[np.arange(len(points)), axis] = rng.choice((-0.5, 0.5), len(points))
    return (points * size + center).astype(np.float32)


def solid(object_id: int, center: tuple[float, float, float], size: tuple[float, float, float]):
    return make_thing(object_id, "thing", center, size, surface(center, size))


def towards(place: tuple[float, float, float]) -> NDArray:
    return np.subtract(place, EYE)


def test_nearer_thing_is_hit() -> None:
    near, far = solid(1, (0, 0, 1), (0.5, 0.5, 0.5)), solid(2, (0, 2, 1), (0.5, 0.5, 0.5))
    assert find_object_at([far, near], EYE, towards((0, 0, 1))) is near


def test_a_chair_under_a_table_is_met_through_the_table_s_box() -> None:
    top = surface((0, 0, 0.75), (1.6, 0.8, 0.04))
    table = make_thing(1, "table", (0, 0, 0.4), (1.6, 0.8, 0.8), top)
    chair = solid(2, (0, 0.2, 0.2), (0.4, 0.4, 0.4))
    assert find_object_at([table, chair], EYE, towards((0, 0.1, 0.2))) is chair
    assert find_object_at([table, chair], EYE, towards((0.3, 0, 0.77))) is table


def test_things_without_points_have_their_boxes() -> None:
    box = make_thing(1, "box", (0, 0, 1))
    assert find_object_at([box], EYE, towards((0.1, 0, 1))) is box


def test_rays_beside_and_away_from_all_things_hit_nothing() -> None:
    thing = solid(1, (0, 0, 1), (0.5, 0.5, 0.5))
    assert find_object_at([thing], EYE, -towards((0, 0, 1))) is None
    assert find_object_at([thing], EYE, (1.0, 0.0, 0.0)) is None
    assert find_object_at([], EYE, (1.0, 0.0, 0.0)) is None


def test_far_points_are_hit_from_farther_beside_the_ray() -> None:
    """About 12 pixels: 0.05 m beside the ray counts at 5 m, and does not at 1 m."""
    behind = make_thing(2, "wall", (0, 9, 1.2), (4, 0.2, 3), surface((0, 9, 1.2), (4, 0.2, 3)))
    for distance_m, is_hit in ((1.0, False), (5.0, True)):
        center = (0.05, EYE[1] + distance_m, EYE[2])
        points = np.array([center], np.float32)
        thing = make_thing(1, "pin", center, (0.01, 0.01, 0.01), points)
        found = find_object_at([thing, behind], EYE, (0.0, 1.0, 0.0))
        assert (found is thing) == is_hit
