"""One depth for each detection."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.perception import BoxMask, Detections
from scenemind.perception.detection_depth import inverse_median_depth
from scenemind.perception.detection_samples import DetectionSamples

from .scenes import boxes_only


def inverse_depth(detections: Detections, depth_m: NDArray[np.float32]) -> NDArray[np.float64]:
    return inverse_median_depth(DetectionSamples.of(detections, *depth_m.shape), depth_m)


def test_the_median_of_what_was_measured() -> None:
    depth = np.zeros((480, 640), np.float32)
    depth[100:200, 100:200] = 2.0
    depth[100:130, 100:200] = 4.0
    depth[150:160, 150:160] = np.nan
    boxes = boxes_only([(100, 100, 200, 200), (300, 300, 400, 400)])
    np.testing.assert_allclose(inverse_depth(boxes, depth), (0.5, 0.0))


def test_a_mask_chooses_the_pixels() -> None:
    depth = np.full((480, 640), 4.0, np.float32)
    bits = np.zeros((100, 100), bool)
    bits[40:60] = True
    depth[140:160, 100:200] = 1.0
    detections = Detections(
        ("bar",),
        np.ones(1, np.float32),
        np.array([(100, 100, 200, 200)], np.float32),
        (BoxMask(100, 100, bits),),
    )
    assert inverse_depth(detections, depth)[0] == pytest.approx(1.0)


def test_a_mask_beside_the_grid_is_sampled_itself() -> None:
    """What shows of a chair behind a table: two thin strips at the edges of its box."""
    depth = np.full((480, 640), 4.0, np.float32)
    bits = np.zeros((100, 100), bool)
    bits[:, :3] = bits[:, 97:] = True
    depth[100:200, 100:200][bits] = 2.0
    box = np.array([(100, 100, 200, 200)], np.float32)
    detections = Detections(("chair",), np.ones(1, np.float32), box, (BoxMask(100, 100, bits),))
    assert inverse_depth(detections, depth)[0] == pytest.approx(0.5)


def test_masks_and_boxes_mix_and_masks_may_differ_from_boxes() -> None:
    """A mask smaller than its box, at the image's corner; a box; an empty mask."""
    depth = np.full((480, 640), np.nan, np.float32)
    depth[:60, :60] = 1.0
    depth[300:400, 300:400] = 5.0
    detections = Detections(
        ("a", "b", "c"),
        np.ones(3, np.float32),
        np.array([(0, 0, 120, 120), (300, 300, 400, 400), (300, 300, 400, 400)], np.float32),
        (BoxMask(0, 0, np.ones((60, 60), bool)), None, BoxMask(300, 300, np.zeros((9, 9), bool))),
    )
    np.testing.assert_allclose(inverse_depth(detections, depth), (1.0, 0.2, 0.0))
