"""Overlaps of boxes against closed forms, and against the exact overlap of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.evaluation.metrics.boxes import extents, iou_pairs
from scenemind.geometry import Box3D, iou_3d

SIDE = st.floats(0.05, 3.0)
BOX = st.builds(
    Box3D,
    st.tuples(*[st.floats(-2.0, 2.0)] * 3),
    st.tuples(SIDE, SIDE, SIDE),
)


@pytest.mark.parametrize("shift_m", [0.0, 0.3, 0.34, 0.6, 1.0, 5.0])
def test_shifted_cubes(shift_m: float) -> None:
    """Unit cubes that are shifted by s share 1 - s, of 1 + s together."""
    boxes = [Box3D((x, 0.0, 0.0), (1.0, 1.0, 1.0)) for x in (0.0, shift_m)]
    (found,) = iou_pairs(extents(boxes[:1]), extents(boxes[1:]))
    assert found == pytest.approx(max(0.0, 1.0 - shift_m) / (1.0 + shift_m))


def test_a_turned_box_is_taken_with_the_box_around_it() -> None:
    """A unit square on its corner stands in one of side sqrt 2."""
    turned = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), np.pi / 4)
    (found,) = iou_pairs(extents([turned]), extents([Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))]))
    assert found == pytest.approx(0.5)


def test_a_flat_box_shares_something_with_itself_alone() -> None:
    flat, other = (extents([Box3D((x, 0.0, 1.0), (1.0, 0.0, 1.0))]) for x in (0.0, 0.1))
    assert list(iou_pairs(flat, flat)) == [1.0]
    assert list(iou_pairs(flat, other)) == [0.0]


@settings(deadline=None)
@given(st.lists(st.tuples(BOX, BOX), min_size=1, max_size=8))
def test_many_pairs_are_as_each_by_itself(pairs: list[tuple[Box3D, Box3D]]) -> None:
    found = iou_pairs(extents([a for a, _ in pairs]), extents([b for _, b in pairs]))
    assert found == pytest.approx([iou_3d(a, b) for a, b in pairs], abs=1e-9)
