"""Overlaps against closed forms and against counting random points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.geometry import Box3D, iou_3d, iou_matrix_2d

near = st.floats(-1.0, 1.0)
sizes = st.floats(0.5, 2.0)
boxes = st.builds(
    Box3D, st.tuples(near, near, near), st.tuples(sizes, sizes, sizes), st.floats(-np.pi, np.pi)
)


def test_half_shifted_cubes_share_a_third() -> None:
    a = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert iou_3d(a, Box3D((0.5, 0.0, 0.0), (1.0, 1.0, 1.0))) == pytest.approx(1.0 / 3.0)


def test_a_square_turned_by_45_degrees_shares_an_octagon() -> None:
    a = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    octagon = 2.0 * (np.sqrt(2.0) - 1.0)
    turned = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), np.pi / 4)
    assert iou_3d(a, turned) == pytest.approx(octagon / (2.0 - octagon))


@given(boxes, boxes)
def test_iou_is_symmetric_and_bounded(a: Box3D, b: Box3D) -> None:
    assert iou_3d(a, b) == pytest.approx(iou_3d(b, a), abs=1e-9)
    assert -1e-9 <= iou_3d(a, b) <= 1.0 + 1e-9
    assert iou_3d(a, a) == pytest.approx(1.0)


@given(boxes, boxes)
@settings(max_examples=20, deadline=None)
def test_iou_agrees_with_counting_points(a: Box3D, b: Box3D) -> None:
    corners = np.vstack((a.corners(), b.corners()))
    points = np.random.default_rng(0).uniform(corners.min(axis=0), corners.max(axis=0), (40_000, 3))
    in_a, in_b = a.contains(points), b.contains(points)
    counted = (in_a & in_b).sum() / max((in_a | in_b).sum(), 1)
    assert iou_3d(a, b) == pytest.approx(counted, abs=0.05)


def test_image_boxes() -> None:
    a = np.array([[0, 0, 10, 10], [20, 20, 30, 30]], np.float32)
    b = np.array([[5, 0, 15, 10], [0, 0, 0, 0]], np.float32)
    np.testing.assert_allclose(iou_matrix_2d(a, b), [[1 / 3, 0], [0, 0]], atol=1e-6)
