"""Where a thing is in another view."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import PinholeCamera
from scenemind.memory import FrameIndex
from scenemind.reasoning.vlm_grounder.projection.view_box import box_in_view

CAMERA = PinholeCamera(640, 480, 500.0, 500.0, 319.5, 239.5)
POINTS = np.stack(np.meshgrid(np.linspace(300, 340, 9), np.linspace(200, 230, 7)), -1).reshape(
    -1, 2
)
BOOK, TABLE, CUP = (295, 198, 344, 233), (100, 100, 600, 470), (500, 100, 540, 150)


def index_of(boxes: list[tuple[int, int, int, int]], objects: list[int]) -> FrameIndex:
    """Detections in frame row 1 of two."""
    return replace(
        FrameIndex.empty(),
        detection_frames=np.ones(len(boxes), np.int32),
        detection_objects=np.array(objects, np.int32),
        detection_boxes_px=np.array(boxes, np.float32).reshape(-1, 4),
    )


def test_the_detection_of_the_same_object_comes_first() -> None:
    index = index_of([BOOK, TABLE], [3, 8])
    assert box_in_view(POINTS, CAMERA, index, 1, object_id=8) == (TABLE, "object")


def test_else_the_tightest_detection_around_the_points() -> None:
    index = index_of([TABLE, BOOK, CUP], [0, 0, 0])
    assert box_in_view(POINTS, CAMERA, index, 1, object_id=None) == (BOOK, "detection")


@pytest.mark.parametrize("boxes", [[], [CUP], [TABLE]])
def test_else_the_points_bounds(boxes: list[tuple[int, int, int, int]]) -> None:
    """What holds them and is much larger is what the thing lies on."""
    index = index_of(boxes, [0] * len(boxes))
    box_px, source = box_in_view(POINTS, CAMERA, index, 1, object_id=5)
    assert source == "points"
    assert box_px == pytest.approx((296, 196, 344, 234))


def test_detections_of_other_frames_do_not_count() -> None:
    index = index_of([BOOK], [5])
    assert box_in_view(POINTS, CAMERA, index, 0, object_id=5)[1] == "points"
