"""Screen bounds of solids, and rays that meet them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.simulation.primitives import Cuboid, Cylinder, Primitive, Spheroid
from scenemind.simulation.raycast import BOTTOM, TOP, Rays, cast, cast_inside, screen_bounds
from scenemind.simulation.trajectory import look

SCREEN_CAMERA = PinholeCamera(width=64, height=48, fx=50.0, fy=50.0, cx=31.5, cy=23.5)
POSE = look(0.0, 0.0, 1.0, 0.0, -0.2)
COORDINATE = st.floats(-3.0, 3.0)
SIDE = st.floats(0.1, 2.0)


@settings(max_examples=200, deadline=None)
@given(
    center=st.tuples(COORDINATE, COORDINATE, COORDINATE),
    size=st.tuples(SIDE, SIDE, SIDE),
    yaw=st.floats(-3.0, 3.0),
)
@example(center=(1.0, 0.0, 2.0), size=(1.0, 1.0, 2.0), yaw=0.0)  # level with its bottom
@example(center=(1.0, 0.0, 0.5), size=(1.0, 1.0, 1.0), yaw=0.0)  # level with its top
def test_no_hit_lies_outside(center, size, yaw):
    solid = Cuboid(Box3D(center, size, yaw), (9, 9, 9))
    hits = cast(solid, Rays.of(SCREEN_CAMERA, POSE), np.array([0.0, 0.0, 1.0]))
    if hits is None:
        return
    # Hits nearer than the near plane are not tested.
    rows, columns = np.nonzero((hits.inverse_depth > 0) & (hits.inverse_depth < 1 / 0.03))
    bounds = screen_bounds(solid.corners()[None], SCREEN_CAMERA, POSE)
    x0, y0, x1, y1 = bounds.rectangles[0]
    assert bounds.visible[0] or len(rows) == 0
    assert ((columns >= x0) & (columns < x1) & (rows >= y0) & (rows < y1)).all()


def test_a_solid_behind_the_camera_is_not_visible():
    corners = Box3D((-2.0, 0.0, 1.0), (1.0, 1.0, 1.0)).corners()[None]
    assert not screen_bounds(corners, SCREEN_CAMERA, POSE).visible[0]


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


@settings(max_examples=40, deadline=None)
@given(
    center=st.tuples(st.floats(1.5, 4.0), st.floats(-1.0, 1.0), st.floats(0.0, 2.0)),
    radius=st.floats(0.1, 0.6),
    half_height=st.floats(0.1, 0.6),
)
def test_a_spheroid_is_met_where_the_quadratic_equation_says(center, radius, half_height):
    pose = look(0.0, 0.0, 1.0, 0.0, 0.0)
    hits = cast(Spheroid(center, radius, half_height, (9, 9, 9)), Rays.of(CAMERA, pose), LIGHT)
    assert hits is not None
    u_px, v_px = np.meshgrid(np.arange(CAMERA.width), np.arange(CAMERA.height))
    rays = np.stack((u_px - CAMERA.cx, v_px - CAMERA.cy, np.full(u_px.shape, CAMERA.fx)), -1)
    rays = rays / CAMERA.fx @ pose.rotation.T  # per metre of depth
    radii = np.array([radius, radius, half_height])
    to_camera = (pose.translation - np.array(center)) / radii
    a = ((rays / radii) ** 2).sum(-1)
    b = 2.0 * (rays / radii) @ to_camera
    discriminant = b**2 - 4.0 * a * (to_camera @ to_camera - 1.0)
    is_clear = np.abs(discriminant) > 1e-3 * b**2  # not within rounding of the outline
    is_hit = discriminant > 0.0
    assert ((hits.inverse_depth > 0.0) == is_hit)[is_clear].all()
    sure = is_hit & is_clear
    depth = (-b - np.sqrt(np.where(is_hit, discriminant, 0.0))) / (2.0 * a)
    np.testing.assert_allclose(1.0 / hits.inverse_depth[sure], depth[sure], rtol=1e-3)
    normal = (pose.translation + depth[..., None] * rays - np.array(center)) / radii**2
    facing = normal @ LIGHT / np.linalg.norm(normal, axis=-1)
    assert hits.facing is not None
    np.testing.assert_allclose(hits.facing[sure], facing[sure], atol=2e-2)


def test_rays_beside_a_cylinder_miss_it():
    solid = Cylinder((3.0, 0.0, 1.0), 0.5, 2.0, (9, 9, 9))
    depth = depth_image(solid, look(0.0, 0.0, 1.0, 0.0, 0.0))
    # Tangents to a circle of radius 0.5 at distance 3 have the slope 0.5 / sqrt(3^2 - 0.5^2).
    edge_px = 60.0 * 0.5 / np.sqrt(9.0 - 0.25)
    columns = np.flatnonzero(np.isfinite(depth[CENTRE[0]])) - CENTRE[1]
    assert columns.min() == -np.floor(edge_px)
    assert columns.max() == np.floor(edge_px)


def test_walls_and_floor_are_met_from_inside():
    rays = Rays.of(CAMERA, look(0.0, 0.0, 1.0, 0.0, 0.0))
    hits = cast_inside(np.array([-2.0, -2.0, 0.0]), np.array([4.0, 2.0, 2.6]), rays)
    depth = 1.0 / hits.inverse_depth
    assert depth[CENTRE] == pytest.approx(4.0, rel=1e-6)
    # The bottom row looks down with slope 30/60 and meets the floor 1 m below after 2 m.
    assert depth[60, 40] == pytest.approx(2.0, rel=1e-6)
    assert np.asarray(hits.face)[60, 40] == BOTTOM
