"""Boxes, their overlaps by closed forms, and the smallest box around points."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.geometry import (
    Box3D,
    GeometryError,
    footprint_overlap_m2,
    gap_m,
    iou_3d,
    iou_matrix_2d,
    smallest_upright_box,
)

sizes = st.floats(0.05, 4.0)
places = st.floats(-10.0, 10.0)
boxes = st.builds(
    Box3D,
    st.tuples(places, places, places),
    st.tuples(sizes, sizes, sizes),
    st.floats(-np.pi, np.pi),
)


def test_bounds_of_a_box_turned_by_90_degrees_swap_length_and_width() -> None:
    low, high = Box3D((0.0, 0.0, 1.0), (4.0, 2.0, 2.0), np.pi / 2).bounds()
    np.testing.assert_allclose(low, [-1.0, -2.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(high, [1.0, 2.0, 2.0], atol=1e-12)


def test_from_bounds_and_back() -> None:
    box = Box3D.from_bounds([0, 1, 2], [4, 3, 5])
    assert box.center == (2.0, 2.0, 3.5)
    assert box.size == (4.0, 2.0, 3.0)
    assert (box.bottom_z, box.top_z, box.volume) == (2.0, 5.0, 24.0)


@given(boxes)
def test_a_box_contains_its_centre_and_corners_and_nothing_beyond(box: Box3D) -> None:
    assert box.contains(box.corners(), margin_m=1e-6).all()
    assert box.contains(np.array([box.center])).all()
    beyond = np.asarray(box.center) + 1.01 * (box.corners() - np.asarray(box.center))
    assert not box.contains(beyond).any()


@given(boxes)
def test_the_extent_is_that_of_the_corners(box: Box3D) -> None:
    corners = box.corners()
    expected = (*corners.min(axis=0), *corners.max(axis=0))
    np.testing.assert_allclose(box.extent(), expected, atol=1e-9)


@given(boxes, boxes)
def test_a_gap_is_the_same_from_both_sides_and_never_more_than_between_corners(
    a: Box3D, b: Box3D
) -> None:
    apart = a.corners()[:, None] - b.corners()[None]
    assert gap_m(a, b) == gap_m(b, a) <= np.linalg.norm(apart, axis=-1).min() + 1e-9
    assert gap_m(a, a) == 0.0


def test_gap_is_the_distance_between_surfaces() -> None:
    cube = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert gap_m(cube, Box3D((3.0, 0.0, 0.0), (1.0, 1.0, 1.0))) == pytest.approx(2.0)
    assert gap_m(cube, Box3D((4.0, 5.0, 0.0), (1.0, 1.0, 1.0))) == pytest.approx(5.0)
    assert gap_m(cube, Box3D((0.5, 0.0, 0.0), (1.0, 1.0, 1.0))) == 0.0


def test_a_box_of_nan_is_refused() -> None:
    with pytest.raises(GeometryError, match="NaN"):
        Box3D((0.0, float("nan"), 0.0), (1.0, 1.0, 1.0))
    with pytest.raises(GeometryError, match="negative"):
        Box3D((0.0, 0.0, 0.0), (1.0, -1.0, 1.0))


near = st.floats(-1.0, 1.0)
side_lengths = st.floats(0.5, 2.0)
overlapping_boxes = st.builds(
    Box3D,
    st.tuples(near, near, near),
    st.tuples(side_lengths, side_lengths, side_lengths),
    st.floats(-np.pi, np.pi),
)


def test_half_shifted_cubes_share_a_third() -> None:
    a = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert iou_3d(a, Box3D((0.5, 0.0, 0.0), (1.0, 1.0, 1.0))) == pytest.approx(1.0 / 3.0)


def test_a_square_turned_by_45_degrees_shares_an_octagon() -> None:
    a = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    octagon = 2.0 * (np.sqrt(2.0) - 1.0)
    turned = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), np.pi / 4)
    assert iou_3d(a, turned) == pytest.approx(octagon / (2.0 - octagon))


@pytest.mark.parametrize("distance_m", [1.6, 2.0, 2.3])
def test_a_corner_cut_off_by_a_turned_square_is_a_triangle(distance_m: float) -> None:
    """The edge of the turned square cuts the corner at right angles to the diagonal, which leaves
    an isosceles right triangle: its area is the square of its height."""
    place_m = distance_m / np.sqrt(2.0)
    square = Box3D((0.0, 0.0, 0.0), (2.0, 2.0, 1.0))
    turned = Box3D((place_m, place_m, 0.0), (2.0, 4.0, 1.0), np.pi / 4)
    height_m = np.sqrt(2.0) - (distance_m - 1.0)
    for a, b in ((square, turned), (turned, square)):
        assert footprint_overlap_m2(a, b) == pytest.approx(height_m**2, abs=1e-9)


def test_a_turned_square_beyond_the_corner_shares_nothing() -> None:
    square = Box3D((0.0, 0.0, 0.0), (2.0, 2.0, 1.0))
    turned = Box3D((1.8, 1.8, 0.0), (2.0, 4.0, 1.0), np.pi / 4)
    assert footprint_overlap_m2(square, turned) == footprint_overlap_m2(turned, square) == 0.0


def test_boxes_above_each_other_share_a_footprint_and_no_volume() -> None:
    low = Box3D((0.0, 0.0, 0.5), (2.0, 1.0, 1.0))
    high = Box3D((1.0, 0.25, 1.5), (2.0, 1.0, 1.0))
    assert footprint_overlap_m2(low, high) == pytest.approx(0.75)
    assert iou_3d(low, high) == 0.0


@given(overlapping_boxes, overlapping_boxes)
def test_iou_is_symmetric_and_bounded(a: Box3D, b: Box3D) -> None:
    assert iou_3d(a, b) == pytest.approx(iou_3d(b, a), abs=1e-9)
    assert -1e-9 <= iou_3d(a, b) <= 1.0 + 1e-9
    assert iou_3d(a, a) == pytest.approx(1.0)


@given(overlapping_boxes, overlapping_boxes)
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
