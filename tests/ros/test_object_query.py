"""Filters on a few boxes with evident results."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot, Relation
from scenemind_ros.mapping.services import ObjectQuery, select_objects


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
