"""Upright boxes: corners, containment, gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Box3D, GeometryError, gap_m

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
