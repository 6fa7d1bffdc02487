"""Votes for directions and offsets: planes in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.structure.wall_faces import WallFace, turn_rad, wall_faces

from .surfaces import tiles_of, turned, upright


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
    assert abs(turn_rad(face.yaw - yaw - np.pi / 2.0)) < np.deg2rad(1.5)
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


def test_what_is_covered_leaves_gaps_out():
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
