"""Objects that a whole sentence speaks of, and those that a person points at."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import KeyFrame, MemorySnapshot
from scenemind.memory.finding.reference import (
    find_object_in_view,
    find_object_on_ray,
    mentioned_objects,
    objects_named,
)
from tests.unit.reasoning.scene import ROOM, snapshot_of, thing

SCENE: MemorySnapshot = snapshot_of((*ROOM, thing(20, "cup", (5, 5, 1), (0.1, 0.1, 0.1), 0.95)))


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Where is the laptop?", [3]),
        ("Where did I leave my notebook computer?", [3]),
        ("Is there a couch in front of the door?", [8, 9]),
        ("Which mugs are there?", [20, 2, 10]),  # surest first
        ("What is on the dining table, besides cups?", [20, 1, 2, 10]),
        ("Is it raining?", []),
        ("", []),
    ],
)
def test_objects_named_in_a_text(text: str, ids: list[int]) -> None:
    assert objects_named(SCENE, text) == ids


@pytest.mark.parametrize(
    ("text", "subjects", "others"),
    [
        ("Where is the laptop on the dining table?", {3}, {1}),
        ("What is on the dining table, besides cups?", {1}, {20, 2, 10}),
        ("Is the laptop or a mug nearer to the dining table?", {3, 20, 2, 10}, {1}),
        ("Laptop, cups and the dining table: where are they?", {1, 2, 3, 10, 20}, set()),
        ("Is there a cup beside the cup?", {20, 2, 10}, set()),
        ("Is it raining?", set(), set()),
    ],
)
def test_first_object_of_a_text_is_its_subject(
    text: str, subjects: set[int], others: set[int]
) -> None:
    named = mentioned_objects(SCENE, text)
    assert (set(named.subjects), set(named.others)) == (subjects, others)


def test_longer_name_takes_precedence_over_names_within_it() -> None:
    size_m = 1.0, 1.0, 0.7
    tables = thing(1, "coffee table", (0, 0, 0), size_m), thing(2, "table", (2, 0, 0), size_m)
    scene = snapshot_of(tables)
    assert mentioned_objects(scene, "Where is the coffee table?").subjects == (1,)
    assert set(mentioned_objects(scene, "Where is the table?").subjects) == {1, 2}


UNIT = (1.0, 1.0, 1.0)
TABLE, CUP = thing(1, "table", (5, 0, 0), UNIT), thing(2, "cup", (8, 0, 0), UNIT)
RUG_HERE = thing(3, "rug", (0, 0, 0), UNIT)  # the person stands in its box


def test_the_nearest_box_along_the_ray_is_hit_where_it_begins() -> None:
    hit = find_object_on_ray([CUP, TABLE, RUG_HERE], (0.0, 0.0, 0.0), (3.0, 0.0, 0.0))
    assert hit is not None
    assert hit[0] is TABLE
    np.testing.assert_allclose(hit[1], (4.5, 0.0, 0.0))


def test_boxes_behind_beside_and_around_the_origin_are_not_hit() -> None:
    assert find_object_on_ray([CUP, TABLE], (0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)) is None
    assert find_object_on_ray([CUP, TABLE], (0.0, 0.6, 0.0), (1.0, 0.0, 0.0)) is None
    assert find_object_on_ray([RUG_HERE], (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)) is None
    assert find_object_on_ray([], (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)) is None


@pytest.mark.filterwarnings("error")
def test_huge_numbers_are_a_ray_too() -> None:
    hit = find_object_on_ray([CUP, TABLE], (0.0, 0.0, 0.0), (1e300, 0.0, 0.0))
    assert hit is not None
    assert hit[0] is TABLE
    assert find_object_on_ray([TABLE], (-1e308, 0.0, 0.0), (1e-300, 1e300, 0.0)) is None


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
    ("u_px", "v_px", "object_id"),
    [(50, 50, 2), (20, 50, 1), (60, 55, 2), (95, 50, None), (50, 5, None)],
)
def test_the_smallest_box_around_a_pixel_is_meant(
    u_px: float, v_px: float, object_id: int | None
) -> None:
    """A cup stands before the middle of a table."""
    camera = PinholeCamera(100, 100, 80.0, 80.0, 49.5, 49.5)
    boxes_px = {1: (10.0, 20.0, 90.0, 80.0), 2: (40.0, 45.0, 60.0, 55.0)}
    picture = KeyFrame(0, 0, 0, camera, Pose.identity(), b"", boxes_px=boxes_px)
    assert find_object_in_view(picture, u_px, v_px) == object_id
