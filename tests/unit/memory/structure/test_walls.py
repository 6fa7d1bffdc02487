"""Walls by direction and offset: rooms in closed form, with furniture that is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.structure.tiles import Tiles
from scenemind.memory.structure.walls import find_walls

from .surfaces import level, room, tiles_of, turned, upright


def assert_is_room(walls, size, yaw, shift=(0.0, 0.0)) -> None:
    """Each of a room's four walls is there once: plane within 2 cm and 1 degree, ends in 6 cm."""
    assert len(walls) == 4
    for quarter in range(4):
        inward = yaw + quarter * np.pi / 2.0
        normal = np.array([np.cos(inward), np.sin(inward), 0.0])
        (wall,) = [w for w in walls if normal @ w.normal > np.cos(np.deg2rad(1.0))]
        depth, length = (size[0], size[1]) if quarter % 2 == 0 else (size[1], size[0])
        middle = np.array([*shift, wall.box.center[2]]) - normal * depth / 2.0
        assert wall.box.center == pytest.approx(middle, abs=0.05)
        assert abs(normal @ (wall.box.center - middle)) < 0.02
        assert wall.box.size[0] == pytest.approx(length, abs=0.12)


@settings(max_examples=25, deadline=None)
@given(
    yaw=st.floats(-3.1, 3.1),
    x=st.floats(-20.0, 20.0),
    y=st.floats(-20.0, 20.0),
    length=st.floats(2.5, 6.0),
    width=st.floats(2.0, 4.0),
)
def test_a_room_has_its_four_walls_wherever_it_stands(yaw, x, y, length, width):
    surfaces = [turned(s, yaw, (x, y)) for s in room((length, width))]
    walls = find_walls(tiles_of(*surfaces, noise_m=0.01), 0.0, None)
    assert_is_room(walls, (length, width), yaw, (x, y))


def test_box_of_a_wall_is_thin_and_turned_along_it():
    (wall,) = find_walls(tiles_of(upright((1.0, 1.0), (4.0, 4.0), (0.0, 2.4))), 0.0, None)
    assert wall.kind == "wall"
    assert wall.box.yaw == pytest.approx(np.pi / 4.0, abs=0.01)
    assert wall.box.size == pytest.approx((3.0 * np.sqrt(2.0), 0.02, 2.4), abs=0.15)
    assert wall.normal == pytest.approx((-np.sqrt(0.5), np.sqrt(0.5), 0.0), abs=0.01)
    assert wall.seen_m2 == pytest.approx(3.0 * np.sqrt(2.0) * 2.4, rel=0.1)


def test_a_wall_goes_on_behind_a_door_and_ends_at_an_opening():
    door = [upright((0.0, 0.0), (2.0, 0.0), (0.0, 2.4)), upright((3.0, 0.0), (5.0, 0.0), (0, 2.4))]
    (wall,) = find_walls(tiles_of(*door), 0.0, None)
    assert wall.box.size[0] == pytest.approx(5.0, abs=0.1)
    opening = [door[0], upright((4.0, 0.0), (6.0, 0.0), (0, 2.4))]
    assert [w.box.size[0] for w in find_walls(tiles_of(*opening), 0.0, None)] == pytest.approx(
        [2.0, 2.0], abs=0.1
    )


def test_both_faces_of_a_wall_between_two_rooms_are_walls():
    here = upright((3.0, 0.0), (0.0, 0.0), (0.0, 2.4))
    there = upright((0.0, 0.1), (3.0, 0.1), (0.0, 2.4))
    walls = find_walls(tiles_of(here, there), 0.0, None)
    assert sorted(round(w.normal[1]) for w in walls) == [-1, 1]


def test_rooms_side_by_side_have_four_walls_each():
    size, wall_m = (5.0, 4.0), 0.12
    places = [(x * (size[0] + wall_m), y * (size[1] + wall_m)) for x in (0, 1, 2) for y in (0, 1)]
    surfaces = [turned(s, 0.0, place) for place in places for s in room(size)]
    tiles = tiles_of(*[turned(s, 0.4) for s in surfaces], noise_m=0.01)
    walls = find_walls(tiles, 0.0, None)
    lengths = sorted(w.box.size[0] for w in walls)
    assert lengths == pytest.approx([4.0] * 12 + [5.0] * 12, abs=0.15)


def test_a_short_thing_across_does_not_cut_a_wall():
    wall = upright((0.0, 0.0), (6.0, 0.0), (0.0, 2.4))
    side = upright((3.0, 0.0), (3.0, 0.9), (0.0, 2.0))
    walls = find_walls(tiles_of(wall, side), 0.0, None)
    assert max(w.box.size[0] for w in walls) == pytest.approx(6.0, abs=0.1)


def test_it_reaches_the_floor_behind_furniture_and_the_ceiling():
    seen = upright((0.0, 0.0), (3.0, 0.0), (0.8, 2.2))
    (wall,) = find_walls(tiles_of(seen), 0.0, 2.6)
    assert (wall.box.bottom_z, wall.box.top_z) == pytest.approx((0.0, 2.6))
    (alone,) = find_walls(tiles_of(seen), None, None)
    assert (alone.box.bottom_z, alone.box.top_z) == pytest.approx((0.8, 2.2), abs=0.06)


def test_wardrobe_shelf_and_desk_fronts_are_no_walls():
    size = (5.0, 4.0)
    wardrobe = upright((1.5, 1.4), (0.0, 1.4), (0.0, 2.0))  # 0.6 m before the wall at y = 2
    corner = upright((-1.9, -1.0), (-1.9, -2.0), (0.0, 1.9))  # 0.6 m before the wall at x = -2.5
    desk = upright((-1.0, -1.2), (1.0, -1.2), (0.0, 0.75))
    floor, south, east, north, west = room(size)
    hidden = [_without(north, 0, (0.0, 1.5)), _without(west, 1, (-2.0, -1.0))]
    tiles = tiles_of(floor, south, east, *hidden, wardrobe, corner, desk, noise_m=0.005)
    assert_is_room_planes(find_walls(tiles, 0.0, None), size)


def test_few_and_low_surfaces_are_no_walls():
    assert find_walls(Tiles(), None, None) == []
    assert find_walls(tiles_of(level((0.0, 3.0), (0.0, 3.0), 0.0)), 0.0, None) == []
    narrow = upright((0.0, 0.0), (0.5, 0.0), (0.0, 2.4))
    low = upright((0.0, 3.0), (4.0, 3.0), (0.0, 1.1))
    assert find_walls(tiles_of(narrow, low), 0.0, None) == []


def test_a_wall_that_drifted_meanwhile_is_one_wall():
    wall = upright((0.0, 0.0), (4.0, 0.0), (0.0, 2.4))
    later = upright((0.0, 0.1), (4.0, 0.1), (0.0, 2.4))
    assert len(find_walls(tiles_of(wall, later, noise_m=0.005), 0.0, None)) == 1


def assert_is_room_planes(walls, size) -> None:
    found = sorted(
        (*np.round(w.normal[:2]).tolist(), np.dot(w.normal, w.box.center)) for w in walls
    )
    x, y = -size[0] / 2.0, -size[1] / 2.0
    expected = sorted([(1.0, 0.0, x), (-1.0, 0.0, x), (0.0, 1.0, y), (0.0, -1.0, y)])
    np.testing.assert_allclose(found, expected, atol=0.02)


def _without(samples, axis, span):
    """What a thing before it leaves to see: its lower two metres are hidden there."""
    at = samples.points[:, axis]
    kept = ~((at > span[0]) & (at < span[1]) & (samples.points[:, 2] < 2.0))
    return type(samples)(samples.points[kept], samples.normals[kept], samples.weights[kept])
