from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.viewer.picking import find_object_at
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


def test_the_nearer_thing_is_in_the_way() -> None:
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


def test_behind_the_eye_and_beside_everything_is_nothing() -> None:
    thing = solid(1, (0, 0, 1), (0.5, 0.5, 0.5))
    assert find_object_at([thing], EYE, -towards((0, 0, 1))) is None
    assert find_object_at([thing], EYE, (1.0, 0.0, 0.0)) is None
    assert find_object_at([], EYE, (1.0, 0.0, 0.0)) is None
