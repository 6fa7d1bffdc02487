"""Walls of rooms whose planes are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.structure.tiles import Tiles
from scenemind.memory.structure.walls import (
    WallFace,
    _compare_faces,
    _cut_at_partitions,
    _wrapped_angle_rad,
    find_walls,
    wall_faces,
)
from tests.unit.memory.structure.surfaces import level, room, tiles_of, turned, upright


def faces_of(*surfaces, noise_m: float = 0.0) -> list[WallFace]:
    tiles = tiles_of(*surfaces, noise_m=noise_m)
    return wall_faces(tiles.points, tiles.normals)


@settings(max_examples=30, deadline=None)
@given(
    yaw=st.floats(-3.1, 3.1),
    x=st.floats(-50.0, 50.0),
    y=st.floats(-50.0, 50.0),
    length=st.floats(1.0, 8.0),
)
def test_a_plane_is_found_where_it_is_however_far_from_the_origin(yaw, x, y, length):
    plane = turned(upright((0.0, 0.0), (length, 0.0), (0.3, 2.3)), yaw, (x, y))
    faces = faces_of(plane, noise_m=0.01)
    face = max(faces, key=lambda found: len(found.tiles))
    assert abs(_wrapped_angle_rad(face.yaw - yaw - np.pi / 2.0)) < np.deg2rad(1.5)
    start, direction = np.array([x, y]), np.array([np.cos(yaw), np.sin(yaw)])
    np.testing.assert_allclose(face.ends @ face.normal, start @ face.normal, atol=0.1)
    # The direction of a face turns the normal left: it begins where the plane ends.
    np.testing.assert_allclose(face.ends, [start + length * direction, start], atol=0.13)
    assert face.height_z == pytest.approx((0.3, 2.3), abs=0.1)
    assert face.covered_m == pytest.approx(length, abs=0.25)


def test_two_planes_that_face_each_other_and_one_across_are_three():
    faces = faces_of(
        upright((0.0, 0.0), (4.0, 0.0), (0.0, 2.0)),
        upright((4.0, 3.0), (0.0, 3.0), (0.0, 2.0)),
        upright((5.0, 0.5), (5.0, 2.5), (0.0, 2.0)),
    )
    assert sorted(round(np.degrees(f.yaw)) % 360 for f in faces) == [90, 180, 270]


def test_directions_that_differ_by_less_than_the_votes_width_are_told_apart_by_their_fit():
    bent = upright((0.0, 0.0), (4.0, 0.0), (0.0, 2.0))
    on = turned(upright((0.0, 0.0), (4.0, 0.0), (0.0, 2.0)), np.deg2rad(20.0), (4.0, 0.0))
    yaws = sorted(np.degrees(face.yaw) for face in faces_of(bent, on) if face.length_m > 3.0)
    assert (yaws[0], yaws[-1]) == pytest.approx((90.0, 110.0), abs=1.0)


def test_coverage_leaves_gaps_out():
    (face,) = faces_of(
        upright((0.0, 0.0), (1.0, 0.0), (0.0, 2.0)), upright((2.0, 0.0), (3.0, 0.0), (0.0, 2.0))
    )
    assert face.length_m == pytest.approx(3.0, abs=0.05)
    assert face.covered_m == pytest.approx(2.0, abs=0.05)


def test_scattered_tiles_are_no_planes():
    rng = np.random.default_rng(0)
    angle = rng.uniform(-np.pi, np.pi, 3000)
    normals = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(3000)))
    points = rng.uniform(-10.0, 10.0, (3000, 3))
    assert wall_faces(points.astype(np.float32), normals.astype(np.float32)) == []
    assert wall_faces(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)) == []


def face(yaw_deg: float, offset_m: float, start_m: float, end_m: float) -> WallFace:
    nothing = np.zeros(0, np.intp)
    along_m = (start_m, end_m)
    return WallFace(np.deg2rad(yaw_deg), offset_m, along_m, end_m - start_m, (0.0, 2.4), nothing)


def test_a_front_before_a_wall():
    wall, front = face(0.0, -2.0, -3.0, 3.0), face(5.0, -1.4, 1.0, 2.0)
    pairs = _compare_faces([wall, front])
    assert pairs.parallel.all()
    x, y = front.middle
    assert pairs.before_m[1, 0] == pytest.approx(x + 2.0)
    assert pairs.overlap_m[1, 0] == pytest.approx(1.0)
    assert pairs.overlap_m[0, 1] == pytest.approx(1.0)
    assert pairs.before_m[0, 0] == pytest.approx(0.0)
    assert (x, y) == pytest.approx((-1.4 * np.cos(0.0873) - 1.5 * np.sin(0.0873), 1.372), abs=0.01)


def test_a_gap_is_below_zero_and_opposite_faces_are_not_parallel():
    left, right, opposite = (
        face(90.0, 1.0, -5.0, -1.0),
        face(90.0, 1.0, 0.5, 3.0),
        face(-90.0, -1.0, -3.0, 3.0),
    )
    pairs = _compare_faces([left, right, opposite])
    assert pairs.overlap_m[0, 1] == pairs.overlap_m[1, 0] == pytest.approx(-1.5)
    assert pairs.parallel.tolist() == [
        [True, True, False],
        [True, True, False],
        [False, False, True],
    ]
    # A face and the one on the other side of the same plane share it.
    assert pairs.before_m[0, 2] == pytest.approx(0.0)


LONG = upright((0.0, 0.0), (8.0, 0.0), (0.0, 2.4))  # faces +y


def lengths(tiles: Tiles, normal_y: float = 1.0) -> list[float]:
    """Lengths of the parts that face y."""
    faces = wall_faces(tiles.points, tiles.normals)
    parts = _cut_at_partitions(faces, faces, tiles.points)
    return sorted(part.length_m for part in parts if part.normal[1] * normal_y > 0.9)


def test_a_partition_makes_two_walls_of_one():
    partition = upright((3.0, 0.1), (3.0, 4.0), (0.0, 2.4))
    assert lengths(tiles_of(LONG, partition)) == pytest.approx([3.0, 5.0], abs=0.15)


def test_crossing_and_slanted_partitions_cut_a_wall():
    crossing = upright((3.0, 4.0), (3.0, -4.0), (0.0, 2.4))
    assert lengths(tiles_of(LONG, crossing)) == pytest.approx([3.0, 5.0], abs=0.15)
    aslant = upright((3.0, 0.1), (3.8, 4.0), (0.0, 2.4))
    assert lengths(tiles_of(LONG, aslant)) == pytest.approx([3.0, 5.0], abs=0.2)


@pytest.mark.parametrize(
    ("why", "start", "end"),
    [
        ("it ends before the wall", (3.0, 0.8), (3.0, 4.0)),
        ("it is behind the wall", (3.0, -0.2), (3.0, -4.0)),
        ("it is at the wall's end", (7.8, 0.1), (7.8, 4.0)),
        ("it is beyond the wall's end", (9.0, 0.1), (9.0, 4.0)),
        ("it is as short as a wardrobe", (3.0, 0.1), (3.0, 1.2)),
        ("it runs along the wall", (3.0, 0.1), (7.0, 2.1)),
    ],
)
def test_wall_is_not_cut(why, start, end):
    found = lengths(tiles_of(LONG, upright(start, end, (0.0, 2.4))))
    assert max(found) == pytest.approx(8.0, abs=0.1), why


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
    """The plane without the part behind a thing, which hides its lower two metres there."""
    at = samples.points[:, axis]
    kept = ~((at > span[0]) & (at < span[1]) & (samples.points[:, 2] < 2.0))
    return type(samples)(samples.points[kept], samples.normals[kept], samples.weights[kept])


@pytest.mark.parametrize(
    ("low_z", "high_z", "walls_z"),
    [
        (0.1, 2.4, (0.0, 2.5)),
        (1.0, 2.0, (0.0, 2.5)),  # furniture before it, the camera looks level
        (0.0, 1.5, (0.0, 1.5)),  # a low wall
        (1.5, 2.5, (1.5, 2.5)),  # above an opening
    ],
)
def test_wall_reaches_floor_and_ceiling_where_it_was_seen_near_them(low_z, high_z, walls_z):
    tiles = tiles_of(upright((0.0, 0.0), (3.0, 0.0), (low_z, high_z)))
    (wall,) = find_walls(tiles, 0.0, 2.5)
    z, height = wall.box.center[2], wall.box.size[2]
    assert (z - height / 2.0, z + height / 2.0) == pytest.approx(walls_z, abs=0.11)
