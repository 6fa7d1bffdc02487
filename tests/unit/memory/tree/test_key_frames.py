"""What makes a good view, and in which order frames are shown."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.geometry import PinholeCamera
from scenemind.memory.tree.key_frames import rank_frames, view_scores
from scenemind.memory.tree.views import Views
from scenemind.perception.types import Detections

CAMERA = PinholeCamera(100, 100, 90.0, 90.0, 49.5, 49.5)


@pytest.mark.parametrize(
    ("score", "box_px", "expected"),
    [
        (0.8, (20, 20, 70, 70), 0.8),  # a quarter of the image is as large as it needs to be
        (0.8, (40, 40, 50, 50), 0.8 * np.sqrt(0.1)),  # a hundredth: a tenth of what is enough
        (0.8, (0, 20, 50, 70), 0.4),  # cut on the left
        (0.8, (50, 20, 100, 70), 0.4),  # cut on the right
        (0.8, (20, 50, 70, 100), 0.4),  # cut below
        (0.0, (20, 20, 70, 70), 0.0),
        (0.8, (30, 30, 30, 60), 0.0),  # an empty box shows nothing
    ],
)
def test_view_is_good_when_sure_large_and_whole(score, box_px, expected):
    detections = Detections(
        ("cup",), np.array([score], np.float32), np.array([box_px], np.float32), (None,)
    )
    assert view_scores(detections, CAMERA) == [pytest.approx(expected, rel=1e-6)]


def test_no_detections_no_views():
    assert view_scores(Detections.empty(), CAMERA) == []


def test_best_frame_of_each_location_comes_first():
    views = seen((0, 10, 0.9), (0, 11, 0.8), (3, 40, 0.5), (7, 70, 0.85))
    assert [number for number, _ in rank_frames([views])] == [10, 70, 40, 11]


def test_frame_that_shows_more_of_the_objects_wins():
    cup = seen((0, 10, 0.9), (0, 12, 0.6))
    table = seen((0, 11, 0.7), (0, 12, 0.6))
    assert rank_frames([cup, table]) == [
        (12, pytest.approx(1.2)),
        (10, pytest.approx(0.9)),
        (11, pytest.approx(0.7)),
    ]


def seen(*rows: tuple[int, int, float]) -> Views:
    """One object's views: location, frame and score."""
    locations, frames, scores = (np.array(column) for column in zip(*rows, strict=True))
    boxes_px = np.zeros((len(rows), 4), np.int16)
    return Views(np.ones_like(frames), locations, frames, scores, boxes_px)
