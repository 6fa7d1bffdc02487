"""What speaks for a box: on boxes whose views are known to the point."""

from __future__ import annotations

from dataclasses import replace
from math import log10

import numpy as np
import pytest

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import KeyFrame, MapObject
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.box_quality import (
    EVIDENCE_OF,
    EVIDENCE_RANGES,
    of_mapped,
    of_measured,
)
from scenemind.reasoning.vlm_grounder.map_match import MapMatch
from scenemind.reasoning.vlm_grounder.types import Measured, MeasuredView

BOX = Box3D((1.0, 2.0, 0.5), (0.8, 0.4, 1.0))
CAMERA = PinholeCamera(100, 50, 80.0, 80.0, 49.5, 24.5)


def view(shown_m: float, chamfer_m: float, pixels: int = 50) -> MeasuredView:
    """Of the lower part of the box, up to a height."""
    low, high = BOX.bounds()
    corners = np.array([low, (*high[:2], low[2] + shown_m)], np.float32)
    mask = BoxMask(0, 0, np.ones((1, pixels), np.bool_))
    frame = KeyFrame(1, 1, 0, CAMERA, Pose.identity(), b"")
    return MeasuredView(frame, (0.0, 0.0, 50.0, 1.0), mask, corners, chamfer_m)


def measured(*views: MeasuredView, masks: str = "sam") -> Measured:
    return Measured(BOX, views[0].points, views, masks)


def mapped(box: Box3D, looks: int = 10) -> MapObject:
    return MapObject(
        object_id=3,
        label="chair",
        perceived_label="chair",
        attributes={},
        confidence=0.9,
        box=box,
        points=np.zeros((0, 3), np.float32),
        first_seen_ns=0,
        last_seen_ns=1,
        observation_count=looks,
        track_ids=(),
    )


def test_views_that_show_all_or_a_part() -> None:
    three = measured(view(0.5, 0.0), view(1.0, 0.02), view(0.25, 0.06))
    found = of_measured(three, None)
    assert found["fullest_view"] == pytest.approx(1.0, abs=1e-5)
    assert found["usual_view"] == pytest.approx(0.5, abs=1e-5)
    assert found["views_agree"] == pytest.approx(1.0 - 0.04 / 0.1)
    assert found["thickness"] == pytest.approx(log10(0.4))
    assert found["picture_share"] == pytest.approx(log10(50 / 5000))
    assert found.keys() == set(EVIDENCE_OF["measured"])


def test_one_view_agrees_with_none() -> None:
    assert of_measured(measured(view(1.0, 0.0)), None)["views_agree"] == 0.0


@pytest.mark.parametrize(("masks", "by_model"), [("sam", 1.0), (DepthSegmenter.name, 0.0)])
def test_who_drew_the_masks(masks: str, by_model: float) -> None:
    assert of_measured(measured(view(1.0, 0.0), masks=masks), None)["masks_by_model"] == by_model


def test_what_the_map_says() -> None:
    thing = mapped(replace(BOX, size=(0.4, 0.4, 1.0)), looks=100)
    match = MapMatch(thing, "same", 0.5, 1.0)
    three = measured(view(0.5, 0.0), view(1.0, 0.02))
    of_box, of_map = of_measured(three, match), of_mapped(thing, three, match)
    assert of_box["map_agrees"] == of_map["map_agrees"] == 0.5
    assert of_map["looks"] == 2.0
    assert of_box.keys() >= set(EVIDENCE_OF["measured_and_mapped"])
    assert of_map.keys() == set(EVIDENCE_RANGES)
    assert of_map.keys() >= set(EVIDENCE_OF["mapped_and_measured"])
    assert of_mapped(thing, None, None).keys() == set(EVIDENCE_OF["mapped"])


def test_a_thing_without_extent_is_still_something() -> None:
    flat = mapped(Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 0.0)), looks=0)
    found = of_mapped(flat, None, None)
    assert np.isfinite(list(found.values())).all()
