"""Surfaces of floors and walls from their boxes, and boxes seen in a wall's frame."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Box3D
from scenemind.memory.graph.surfaces import extent_of_points, in_frame, surfaces_of


def test_a_wall_along_y_is_one_surface() -> None:
    (wall,) = surfaces_of("wall", Box3D((2.0, 1.0, 1.2), (0.1, 4.0, 2.4)))
    assert wall.axis == (0.0, 1.0)
    assert wall.reach == pytest.approx((1.95, -1.0, 0.0, 2.05, 3.0, 2.4))
    # Along: y from -1 to 3; across: to the left of +y, which is -x.
    assert wall.bounds == pytest.approx((-1.0, -2.05, 0.0, 3.0, -1.95, 2.4))


def test_a_wall_box_around_a_corner_stands_at_its_faces() -> None:
    faces = surfaces_of("wall", Box3D((1.0, 2.0, 1.2), (2.0, 3.0, 2.4)))
    across = sorted(tuple(np.round(f.reach, 3)) for f in faces)
    assert across == [
        (0.0, 0.5, 0.0, 0.1, 3.5, 2.4),
        (0.0, 0.5, 0.0, 2.0, 0.6, 2.4),
        (0.0, 3.4, 0.0, 2.0, 3.5, 2.4),
        (1.9, 0.5, 0.0, 2.0, 3.5, 2.4),
    ]


@pytest.mark.parametrize(
    ("center_z", "thickness", "surface_z"),
    [
        pytest.param(-0.01, 0.02, 0.0, id="a plane"),
        pytest.param(0.15, 0.4, 0.0, id="with the feet of what stands on it"),
    ],
)
def test_where_a_floor_is(center_z: float, thickness: float, surface_z: float) -> None:
    (floor,) = surfaces_of("floor", Box3D((0, 0, center_z), (6, 6, thickness)))
    assert floor.bounds[5] == pytest.approx(surface_z)
    assert floor.bounds[0] < -3.0  # a little more than was seen


angles = st.floats(-math.pi, math.pi)
numbers = st.floats(-5.0, 5.0)


@given(numbers, numbers, angles)
def test_a_point_in_a_frame_is_turned(x: float, y: float, turn: float) -> None:
    axis = (math.cos(turn), math.sin(turn))
    point = np.array([[x, y, 0.0, x, y, 0.0]])
    along, across = in_frame(point, np.array([axis]))[0, :2]
    assert along == pytest.approx(x * axis[0] + y * axis[1], abs=1e-9)
    assert across == pytest.approx(y * axis[0] - x * axis[1], abs=1e-9)
    extent = extent_of_points(np.array([[x, y, 0.0]], np.float32), axis)
    np.testing.assert_allclose(extent, [along, across, along, across], atol=1e-5)


@given(angles, st.floats(0.5, 6.0), st.floats(0.01, 0.45))
def test_a_wall_any_way_round_fits_its_box(yaw: float, length: float, thickness: float) -> None:
    box = Box3D((1.0, -2.0, 1.0), (length, thickness, 2.0), yaw)
    (wall,) = surfaces_of("wall", box)
    # Near to an axis it is snapped to it, by a millimetre a metre.
    corners = box.corners().astype(np.float32)
    extent = extent_of_points(corners, wall.axis)
    x0, y0, _, x1, y1, _ = wall.bounds
    np.testing.assert_allclose(extent, [x0, y0, x1, y1], atol=0.01)
    np.testing.assert_allclose(wall.reach, box.extent(), atol=0.01)
