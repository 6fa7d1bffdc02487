"""Chairs whose seat a table hides, against boxes that are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D, iou_3d
from scenemind.memory.objects.object_map import ObjectMap
from scenemind.memory.types import MapObject
from scenemind.perception.types import Observation
from tests.unit.memory.things import empty_frame, observe

FRAME_NS = 33_000_000
TABLE = observe((0.0, 0.0, 0.72), (1.6, 1.6, 0.04), "dining table", track_id=1)
DEPTH_M, WIDTH_M, HEIGHT_M, BACK_M = 0.48, 0.46, 0.84, 0.05


def chair_at(side: Sequence[float]) -> Box3D:
    """A chair whose seat is under the table's edge at that side, (1, 0), (-1, 0), ..."""
    x, y = 0.7 * np.array(side)
    size = (DEPTH_M, WIDTH_M) if side[0] else (WIDTH_M, DEPTH_M)
    return Box3D((x, y, HEIGHT_M / 2.0), (*size, HEIGHT_M))


def back_of(side: Sequence[float]) -> Observation:
    """What is seen of it over the table."""
    out = np.array((*side, 0.0))
    outward = (np.array(chair_at(side).center) + (DEPTH_M - BACK_M) / 2.0 * out)[:2]
    size = (BACK_M, WIDTH_M) if side[0] else (WIDTH_M, BACK_M)
    return observe((*outward, 0.79), (*size, 0.1), track_id=2)


def mapped(*frames: Sequence[Observation]) -> ObjectMap:
    object_map = ObjectMap(ObjectMapConfig())
    for number, seen in enumerate(frames):
        object_map.update(seen, empty_frame(number * FRAME_NS, number=number), floor_z=0.0)
        object_map.objects()
    return object_map


def chair_in(object_map: ObjectMap) -> MapObject:
    (chair,) = (one for one in object_map.objects().values() if one.label == "chair")
    return chair


@pytest.mark.parametrize("side", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_a_chair_of_which_the_table_hides_all_but_the_back_reaches_under_it(
    side: tuple[int, int],
) -> None:
    whole = chair_at(side)
    object_map = mapped(*[[back_of(side)]] * 4, *[[TABLE]] * 4)
    chair = chair_in(object_map)
    assert iou_3d(chair.box, whole) > 0.85
    assert iou_3d(chair.yaw_box, whole) > 0.85
    assert chair.measured_share < 0.05
    assert iou_3d(chair_in(mapped(*[[back_of(side)]] * 4)).box, whole) < 0.2, "without a table"


def test_a_table_elsewhere_and_a_chair_that_is_seen_whole_change_nothing() -> None:
    far = observe((3.0, 0.0, 0.72), (1.6, 1.6, 0.04), "dining table", track_id=1)
    back = back_of((-1, 0))
    assert chair_in(mapped(*[[back, far]] * 4)).box == chair_in(mapped(*[[back]] * 4)).box
    seen = observe(chair_at((1, 0)).center, chair_at((1, 0)).size, track_id=2)
    assert chair_in(mapped(*[[seen, TABLE]] * 4)).box == chair_in(mapped(*[[seen]] * 4)).box


def test_a_slab_of_floor_beside_a_table_is_no_back() -> None:
    slab = observe((1.0, 0.0, 0.15), (0.2, 0.6, 0.3), track_id=2)
    assert chair_in(mapped(*[[slab, TABLE]] * 4)).box == chair_in(mapped(*[[slab]] * 4)).box


def test_a_reopened_map_has_the_same_seats_and_what_stays_is_the_same_object() -> None:
    object_map = mapped(*[[back_of((1, 0)), TABLE]] * 4)
    before = chair_in(object_map)
    object_map.update([TABLE], empty_frame(9 * FRAME_NS, number=9), floor_z=0.0)
    assert chair_in(object_map) is before
    again = ObjectMap(ObjectMapConfig())
    again.restore(object_map.export(object_map.ids_of_all()), floor_z=0.0)
    assert chair_in(again).box == before.box
    assert chair_in(again).yaw_box == before.yaw_box
