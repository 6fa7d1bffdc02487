"""Depths of single solids against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.simulation.primitives import Cuboid, Cylinder, Primitive, Spheroid
from scenemind.simulation.raycast import BOTTOM, TOP, Rays, cast, cast_inside
from scenemind.simulation.trajectory import look

CAMERA = PinholeCamera(width=81, height=61, fx=60.0, fy=60.0, cx=40.0, cy=30.0)
CENTRE = (30, 40)  # row, column of the optical axis
LIGHT = np.array([0.0, 0.0, 1.0])


def depth_image(solid: Primitive, pose: Pose) -> np.ndarray:
    hits = cast(solid, Rays.of(CAMERA, pose), LIGHT)
    assert hits is not None
    with np.errstate(divide="ignore"):
        return 1.0 / hits.inverse_depth


def test_a_box_in_front_shows_its_near_face_at_constant_depth():
    solid = Cuboid(Box3D((3.0, 0.0, 1.0), (1.0, 0.6, 0.4)), (9, 9, 9))
    depth = depth_image(solid, look(0.0, 0.0, 1.0, 0.0, 0.0))
    hit = np.isfinite(depth)
    np.testing.assert_allclose(depth[hit], 2.5, rtol=1e-6)
    # 0.6 m x 0.4 m at 2.5 m with a focal length of 60 px: 14.4 x 9.6 px.
    assert hit.any(axis=0).sum() == 15
    assert hit.any(axis=1).sum() == 9


def test_a_turned_box_shows_its_edge():
    solid = Cuboid(Box3D((3.0, 0.0, 1.0), (1.0, 1.0, 1.0), yaw=np.pi / 4), (9, 9, 9))
    depth = depth_image(solid, look(0.0, 0.0, 1.0, 0.0, 0.0))
    assert depth[CENTRE] == pytest.approx(3.0 - np.sqrt(0.5), abs=1e-5)


def test_a_box_behind_the_camera_is_not_seen():
    solid = Cuboid(Box3D((-3.0, 0.0, 1.0), (1.0, 1.0, 1.0)), (9, 9, 9))
    assert not np.isfinite(depth_image(solid, look(0.0, 0.0, 1.0, 0.0, 0.0))).any()


def test_the_inside_of_a_solid_is_not_seen():
    solid = Cuboid(Box3D((0.0, 0.0, 1.0), (1.0, 1.0, 1.0)), (9, 9, 9))
    assert cast(solid, Rays.of(CAMERA, look(0.0, 0.0, 1.0, 0.0, 0.0)), LIGHT) is None


def test_a_cylinder_curves_away_from_its_middle():
    radius = 0.5
    solid = Cylinder((3.0, 0.0, 1.0), radius, 2.0, (9, 9, 9))
    depth = depth_image(solid, look(0.0, 0.0, 1.0, 0.0, 0.0))
    assert depth[CENTRE] == pytest.approx(2.5, abs=1e-5)
    # The ray through column 44 leaves at slope 4/60: solve |t (1, s) - (3, 0)| = radius.
    slope = 4.0 / 60.0
    a, b, c = 1.0 + slope**2, -6.0, 9.0 - radius**2
    expected = (-b - np.sqrt(b * b - 4 * a * c)) / (2 * a)
    assert depth[30, 44] == pytest.approx(expected, rel=1e-5)
    assert depth[30, 36] == pytest.approx(expected, rel=1e-5)


def test_looking_down_on_a_cylinder_meets_its_top():
    solid = Cylinder((1.0, 0.0, 0.5), 0.3, 1.0, (9, 9, 9))
    pose = look(1.0, 0.0, 2.5, 0.0, -np.pi / 2)
    hits = cast(solid, Rays.of(CAMERA, pose), LIGHT)
    assert hits is not None
    assert 1.0 / hits.inverse_depth[CENTRE] == pytest.approx(1.5, rel=1e-5)
    assert np.broadcast_to(hits.face, hits.inverse_depth.shape)[CENTRE] == TOP


def test_a_spheroid_is_met_at_its_pole_and_at_its_equator():
    solid = Spheroid((2.0, 0.0, 1.0), 0.4, 0.8, (9, 9, 9))
    level = depth_image(solid, look(0.0, 0.0, 1.0, 0.0, 0.0))
    above = depth_image(solid, look(2.0, 0.0, 3.0, 0.0, -np.pi / 2))
    assert level[CENTRE] == pytest.approx(1.6, rel=1e-5)
    assert above[CENTRE] == pytest.approx(1.2, rel=1e-5)


def test_the_side_of_a_sphere_that_looks_up_is_the_brightest():
    solid = Spheroid((2.0, 0.0, 1.0), 0.4, 0.4, (9, 9, 9))
    hits = cast(solid, Rays.of(CAMERA, look(0.0, 0.0, 1.0, 0.0, 0.0)), LIGHT)
    assert hits is not None
    assert hits.facing is not None
    assert hits.facing[CENTRE] == pytest.approx(0.0, abs=1e-5)
    # 5 px above the axis the normal has risen: its height over the radius.
    depth = 1.0 / hits.inverse_depth[25, 40]
    assert hits.facing[25, 40] == pytest.approx(depth * (5 / 60) / 0.4, rel=1e-4)


def test_walls_and_floor_are_met_from_inside():
    rays = Rays.of(CAMERA, look(0.0, 0.0, 1.0, 0.0, 0.0))
    hits = cast_inside(np.array([-2.0, -2.0, 0.0]), np.array([4.0, 2.0, 2.6]), rays)
    depth = 1.0 / hits.inverse_depth
    assert depth[CENTRE] == pytest.approx(4.0, rel=1e-6)
    # The bottom row looks down with slope 30/60 and meets the floor 1 m below after 2 m.
    assert depth[60, 40] == pytest.approx(2.0, rel=1e-6)
    assert np.asarray(hits.face)[60, 40] == BOTTOM
