"""Overlap of what two frames could show, against boxes worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import iou_matrix_2d
from scenemind.perception.visible_overlap import may_be_visible, visible_overlap

SIZE = (640, 480)
NO_SIDE = np.zeros((1, 4), bool)
LEFT_SIDE = np.array([(True, False, False, False)])


def boxes(*rows: tuple[float, float, float, float]) -> np.ndarray:
    return np.array(rows, dtype=np.float64)


@given(st.integers(0, 2**16))
def test_inside_the_image_it_is_the_usual_iou(seed: int) -> None:
    random = np.random.default_rng(seed)
    low = random.uniform(0, 400, (9, 2))
    some = np.hstack((low, low + random.uniform(1, 80, (9, 2))))
    overlap, contained = visible_overlap(some[:4], np.zeros((4, 4), bool), some[4:], SIZE)
    np.testing.assert_allclose(overlap, iou_matrix_2d(some[:4], some[4:]), atol=1e-6)
    assert (contained >= overlap).all()
    assert (contained <= 1.0 + 1e-12).all()


def test_prediction_ends_at_the_border_as_detections_do() -> None:
    """Two thirds of the box have left the image; what is left is seen exactly."""
    overlap, _ = visible_overlap(
        boxes((-40, 100, 20, 200)), NO_SIDE, boxes((0, 100, 20, 200)), SIZE
    )
    assert overlap[0, 0] == pytest.approx(1.0)


def test_what_enters_the_image_may_be_longer_than_what_was_seen() -> None:
    """20 px were seen at the left border; the camera turns by 60 px and 80 px are seen."""
    predicted, seen = boxes((60, 100, 80, 200)), boxes((0, 100, 80, 200))
    assert visible_overlap(predicted, LEFT_SIDE, seen, SIZE)[0][0, 0] == pytest.approx(1.0)
    assert visible_overlap(predicted, NO_SIDE, seen, SIZE)[0][0, 0] == pytest.approx(0.25)


def test_only_the_open_side_may_be_longer() -> None:
    overlap, _ = visible_overlap(
        boxes((60, 100, 80, 200)), LEFT_SIDE, boxes((0, 100, 160, 200)), SIZE
    )
    assert overlap[0, 0] == pytest.approx(0.5)


def test_the_share_of_the_smaller_box() -> None:
    """The upper quarter of a chair that stands behind a table."""
    overlap, contained = visible_overlap(
        boxes((100, 100, 200, 300)), NO_SIDE, boxes((100, 100, 200, 150)), SIZE
    )
    assert overlap[0, 0] == pytest.approx(0.25)
    assert contained[0, 0] == pytest.approx(1.0)


def test_out_of_the_image_is_out_of_the_image() -> None:
    """A box 100 px to the left: with an open right side, it may reach back in."""
    away = boxes((-150, 100, -100, 200))
    right_side = LEFT_SIDE[:, [1, 1, 0, 1]]
    assert not may_be_visible(away, NO_SIDE, SIZE, 0.25)[0]
    assert may_be_visible(away, right_side, SIZE, 0.25)[0]
    assert not may_be_visible(away, right_side, SIZE, 0.1)[0]
    assert visible_overlap(away, NO_SIDE, boxes((0, 100, 50, 200)), SIZE)[0][0, 0] == 0.0
