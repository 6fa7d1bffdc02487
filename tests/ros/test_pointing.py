"""Rays and filters on a few boxes whose answers are plain to see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot, Relation
from scenemind.memory.finding.pointing import find_object_on_ray
from scenemind_ros.mapping.object_query import ObjectQuery, select_objects


def thing(object_id: int, label: str, center: tuple[float, float, float]) -> MapObject:
    return MapObject(
        object_id,
        label,
        label,
        {"color": "dark red"},
        0.5 + object_id / 100,
        Box3D(center, (1.0, 1.0, 1.0)),
        np.zeros((0, 3), np.float32),
        0,
        0,
        1,
        (),
    )


TABLE = thing(1, "dining table", (5.0, 0.0, 0.0))
CUP = thing(2, "cup", (8.0, 0.0, 0.0))
HERE = thing(3, "rug", (0.0, 0.0, 0.0))
SCENE = MemorySnapshot(
    1, 0, {o.object_id: o for o in (TABLE, CUP, HERE)}, (Relation(2, "on", 1),), None
)


def test_the_nearest_box_along_the_ray_is_hit_where_it_begins() -> None:
    hit = find_object_on_ray([CUP, TABLE, HERE], (0.0, 0.0, 0.0), (3.0, 0.0, 0.0))
    assert hit is not None
    assert hit[0] is TABLE
    np.testing.assert_allclose(hit[1], (4.5, 0.0, 0.0))


def test_what_lies_behind_or_beside_is_not_hit() -> None:
    assert find_object_on_ray([CUP, TABLE], (0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)) is None
    assert find_object_on_ray([CUP, TABLE], (0.0, 0.6, 0.0), (1.0, 0.0, 0.0)) is None
    assert find_object_on_ray([], (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)) is None


@given(*[st.floats(-0.49, 0.49)] * 3, *[st.floats(-3.0, 3.0)] * 3)
def test_a_ray_towards_a_point_of_a_box_hits_it_on_its_surface(
    dx: float, dy: float, dz: float, x: float, y: float, z: float
) -> None:
    inside = np.array(TABLE.box.center) + np.array((dx, dy, dz))
    hit = find_object_on_ray([TABLE], (x, y, z), inside - (x, y, z))
    assert hit is not None
    off = np.abs(hit[1] - TABLE.box.center) / 0.5
    assert off.max() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        (ObjectQuery(), [1, 2, 3]),
        (ObjectQuery(label="cup"), [2]),
        (ObjectQuery(label="table"), []),
        (ObjectQuery(text="Red table"), [1]),
        (ObjectQuery(text="blue"), []),
        (ObjectQuery(region=Box3D((6.5, 0.0, 0.0), (4.0, 1.0, 1.0))), [1, 2]),
        (ObjectQuery(predicate="on"), [2]),
        (ObjectQuery(predicate="on", related_object_id=1), [2]),
        (ObjectQuery(predicate="on", related_object_id=3), []),
        (ObjectQuery(label="cup", predicate="near"), []),
    ],
)
def test_filters(query: ObjectQuery, ids: list[int]) -> None:
    assert [found.object_id for found in select_objects(SCENE, query)] == ids
