"""The place of a thing in another view."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import PinholeCamera
from scenemind.memory import FrameIndex
from scenemind.reasoning.vlm_grounder.projection.other_views import (
    Candidates,
    ViewOrder,
    box_in_view,
    find_candidates,
)
from tests.unit.reasoning.vlm_grounder.film import Shot
from tests.unit.reasoning.vlm_grounder.film import index_of as filmed

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
    """A much larger detection that holds the points is the supporter of the thing."""
    index = index_of(boxes, [0] * len(boxes))
    box_px, source = box_in_view(POINTS, CAMERA, index, 1, object_id=5)
    assert source == "points"
    assert box_px == pytest.approx((296, 196, 344, 234))


def test_detections_of_other_frames_do_not_count() -> None:
    index = index_of([BOOK], [5])
    assert box_in_view(POINTS, CAMERA, index, 0, object_id=5)[1] == "points"


def test_of_two_detections_the_one_with_more_points_an_area_counts() -> None:
    wide, tight = (280, 186, 350, 240), (300, 200, 336, 230)  # the tight one holds 8 of 9 columns
    for boxes in ([wide, tight], [tight, wide]):
        index = index_of(boxes, [0, 0])
        assert box_in_view(POINTS, CAMERA, index, 1, object_id=None) == (tight, "detection")


def test_rays_point_from_the_target_to_the_cameras() -> None:
    target = np.random.default_rng(0).uniform(-0.2, 0.2, (50, 3)).astype(np.float32)
    target += np.float32((0, 0, 2)) - target.mean(axis=0)
    found = find_candidates(target, filmed([Shot(0.0), Shot(0.5)]), None)
    assert found.rows.tolist() == [0, 1]
    aslant = np.array((0.5, 0.0, -2.0)) / 4.25**0.5
    assert found.rays == pytest.approx(np.array([(0, 0, -1), aslant]), abs=1e-6)


def candidates_at(degrees: list[float], sizes_px: list[float]) -> Candidates:
    """Round the target, all of it in each."""
    angles, count = np.deg2rad(degrees), len(degrees)
    rays = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(count))).astype(np.float32)
    sizes = np.array(sizes_px, np.float32)
    return Candidates(
        np.arange(count), np.ones(count, np.float32), sizes, rays, np.ones(count, np.bool_)
    )


def all_of(order: ViewOrder) -> list[int]:
    found = []
    while (place := order.pop()) is not None:
        found.append(place)
    return found


def test_the_same_view_again_is_dropped_a_nearer_or_farther_one_is_not() -> None:
    order = ViewOrder(candidates_at([0, 0, 0, 1, 5], [100, 50, 200, 104, 100]), None)
    order.take(np.array((1.0, 0.0, 0.0)), 100.0)
    assert set(all_of(order)) == {1, 2, 4}


def test_views_farther_round_than_fifty_degrees_count_less() -> None:
    order = ViewOrder(candidates_at([150, 90, 50, 10], [100] * 4), None)
    order.take(np.array((1.0, 0.0, 0.0)), 10.0)
    assert order.pop() == 2
    assert ViewOrder(candidates_at([0, 40], [100, 100]), 0).pop() == 1  # the anchor is taken
