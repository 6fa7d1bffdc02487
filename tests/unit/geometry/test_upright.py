"""The smallest upright box around known boxes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Box3D, iou_3d, smallest_upright_box

angles = st.floats(-math.pi, math.pi)


@given(angles)
def test_the_box_of_a_turned_plank_is_the_plank(yaw: float) -> None:
    plank = Box3D((1.0, -2.0, 0.5), (1.8, 0.3, 0.2), yaw)
    found = smallest_upright_box(plank.corners())
    # Turned by a little, the axis-aligned box is not clearly larger and is what comes back.
    assert iou_3d(found, plank) > 0.87
    assert abs(found.yaw) <= math.radians(45.01)


@given(angles)
def test_it_holds_all_points(yaw: float) -> None:
    rng = np.random.default_rng(0)
    plank = Box3D((0.0, 0.0, 0.0), (1.0, 0.4, 0.2), yaw)
    points = plank.corners()[rng.integers(0, 8, 30)] * rng.uniform(0.5, 1.0, (30, 1))
    assert smallest_upright_box(points).contains(points, margin_m=1e-5).all()


def test_a_noisy_box_along_the_axes_and_a_round_one_stay_axis_aligned() -> None:
    rng = np.random.default_rng(1)
    box = Box3D((0.0, 0.0, 0.0), (0.6, 0.5, 0.4))
    noisy = box.corners()[rng.integers(0, 8, 200)] + rng.normal(0.0, 0.01, (200, 3))
    assert smallest_upright_box(noisy).yaw == 0.0
    angle = np.linspace(0.0, 2.0 * np.pi, 40)
    assert smallest_upright_box(np.stack((np.cos(angle), np.sin(angle), angle), 1)).yaw == 0.0


@pytest.mark.parametrize("count", [1, 2])
def test_points_that_span_no_area_have_a_box_too(count: int) -> None:
    points = np.array([[1.0, 2.0, 3.0], [1.5, 2.5, 3.5]])[:count]
    assert smallest_upright_box(points).contains(points, margin_m=1e-6).all()
