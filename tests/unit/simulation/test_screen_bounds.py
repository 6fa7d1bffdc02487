"""The rectangles worth casting hold every pixel that a solid covers."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scenemind.geometry import Box3D, PinholeCamera
from scenemind.simulation.primitives import Cuboid
from scenemind.simulation.raycast import Rays, cast
from scenemind.simulation.screen_bounds import screen_bounds
from scenemind.simulation.trajectory import look

CAMERA = PinholeCamera(width=64, height=48, fx=50.0, fy=50.0, cx=31.5, cy=23.5)
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
    hits = cast(solid, Rays.of(CAMERA, POSE), np.array([0.0, 0.0, 1.0]))
    if hits is None:
        return
    # What is nearer than the near plane is nobody's business.
    rows, columns = np.nonzero((hits.inverse_depth > 0) & (hits.inverse_depth < 1 / 0.03))
    bounds = screen_bounds(solid.corners()[None], CAMERA, POSE)
    x0, y0, x1, y1 = bounds.rectangles[0]
    assert bounds.visible[0] or len(rows) == 0
    assert ((columns >= x0) & (columns < x1) & (rows >= y0) & (rows < y1)).all()


def test_a_solid_behind_the_camera_is_not_visible():
    corners = Box3D((-2.0, 0.0, 1.0), (1.0, 1.0, 1.0)).corners()[None]
    assert not screen_bounds(corners, CAMERA, POSE).visible[0]
