"""Overlap of predicted boxes with detections, within the part that both frames could show."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import iou_matrix_2d
from scenemind.perception.camera_motion import centers_of, places_at
from scenemind.perception.kalman import BoxStates
from scenemind.perception.tracks import (
    LOST,
    TRACKED,
    Tracks,
    may_be_visible,
    predict,
    visible_overlap,
)

from .scenes import CAMERA

SIZE = (640, 480)
NO_SIDE = np.zeros((1, 4), bool)
LEFT_SIDE = np.array([(True, False, False, False)])


def boxes(*rows: tuple[float, float, float, float]) -> np.ndarray:
    return np.array(rows, dtype=np.float64)


@given(st.integers(0, 2**16))
def test_inside_the_image_the_overlap_is_the_usual_iou(seed: int) -> None:
    random = np.random.default_rng(seed)
    low = random.uniform(0, 400, (9, 2))
    some = np.hstack((low, low + random.uniform(1, 80, (9, 2))))
    overlap, contained = visible_overlap(some[:4], np.zeros((4, 4), bool), some[4:], SIZE)
    np.testing.assert_allclose(overlap, iou_matrix_2d(some[:4], some[4:]), atol=1e-6)
    assert (contained >= overlap).all()
    assert (contained <= 1.0 + 1e-12).all()


def test_prediction_ends_at_the_border_as_detections_do() -> None:
    """Two thirds of the box have left the image; the remaining part is seen exactly."""
    overlap, _ = visible_overlap(
        boxes((-40, 100, 20, 200)), NO_SIDE, boxes((0, 100, 20, 200)), SIZE
    )
    assert overlap[0, 0] == pytest.approx(1.0)


def test_box_that_enters_the_image_may_be_longer_than_its_visible_part() -> None:
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


def test_box_outside_of_the_image_overlaps_nothing() -> None:
    """A box 100 px to the left: with an open right side, it may reach back in."""
    away = boxes((-150, 100, -100, 200))
    right_side = LEFT_SIDE[:, [1, 1, 0, 1]]
    assert not may_be_visible(away, NO_SIDE, SIZE, 0.25)[0]
    assert may_be_visible(away, right_side, SIZE, 0.25)[0]
    assert not may_be_visible(away, right_side, SIZE, 0.1)[0]
    assert visible_overlap(away, NO_SIDE, boxes((0, 100, 50, 200)), SIZE)[0][0, 0] == 0.0


@pytest.mark.parametrize("status", [TRACKED, LOST])
def test_a_predicted_place_is_where_its_box_is(status: int) -> None:
    """Tracks that move by themselves take their places along, at the depth that they had."""
    boxes = np.array([(100.0, 100.0, 200.0, 200.0), (400.0, 50.0, 440.0, 90.0)])
    states = BoxStates.starting_at(boxes)
    states.moments[1, :, :2] = (12.0, -5.0), (-30.0, 8.0)
    inverse_depth = np.array([0.5, 0.25])
    tracks = Tracks(
        ids=np.array([1, 2]),
        label_codes=np.zeros(2, np.int64),
        status=np.full(2, status, np.int8),
        lived=np.ones(2, np.int64),
        missed=np.zeros(2),
        cut=np.zeros((2, 4), bool),
        places=places_at(states.position[:, :2], inverse_depth, CAMERA),
        appearance=np.zeros((2, 0), np.float32),
        states=states,
    )
    share = 1.0 if status == TRACKED else 0.5

    predicted, visible = predict(tracks, np.eye(4), CAMERA, zoom=1.0)

    expected = (boxes[:, :2] + boxes[:, 2:]) / 2.0 + share * np.array([(12.0, -5.0), (-30.0, 8.0)])
    np.testing.assert_allclose(predicted.states.position[:, :2], expected)
    np.testing.assert_allclose(centers_of(predicted.places, CAMERA), expected)
    np.testing.assert_allclose(predicted.places[:, 3] / predicted.places[:, 2], inverse_depth)
    assert visible.all()
