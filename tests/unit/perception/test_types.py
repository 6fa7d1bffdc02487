"""Sides of boxes that the image border cuts."""

from __future__ import annotations

import numpy as np

from scenemind.perception.types import cut_sides

from .scenes import CAMERA


def test_each_side_is_cut_by_its_own_border() -> None:
    boxes = np.array(
        [(100, 100, 200, 200), (0, 50, 90, 90), (50, 1, 90, 90), (50, 50, 639, 90), (5, 5, 90, 480)]
    )
    expected = np.vstack((np.zeros(4, bool), np.eye(4, dtype=bool)))
    np.testing.assert_array_equal(cut_sides(boxes, CAMERA), expected)


def test_no_boxes_have_no_sides() -> None:
    assert cut_sides(np.zeros((0, 4), np.float32), CAMERA).shape == (0, 4)
