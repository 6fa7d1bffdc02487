"""Samples and depth of detections, as the tracker compares them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.perception import BoxMask, Detections
from scenemind.perception.measurements import DetectionSamples, inverse_median_depth

from .scenes import boxes_only


def test_without_a_mask_the_middle_of_the_box_counts() -> None:
    samples = DetectionSamples.of(boxes_only([(100, 200, 200, 300)]), 480, 640)
    assert samples.usable.all()
    assert (samples.u.min(), samples.u.max()) == (120, 180)
    assert (samples.v.min(), samples.v.max()) == (220, 280)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**16))
def test_usable_samples_lie_on_the_mask(seed: int) -> None:
    """Masks of any density, of other sizes than their boxes, also at the image's corner."""
    random = np.random.default_rng(seed)
    image = np.zeros((3, 48, 64), bool)
    boxes, masks = [], []
    for own in image:
        x, y = (int(value) for value in random.integers(0, 30, 2))
        width, height = (int(value) for value in random.integers(1, 18, 2))
        bits = random.random((height, width)) < random.choice((0.02, 0.5, 1.0))
        own[y : y + height, x : x + width] = bits
        masks.append(BoxMask(x, y, bits))
        boxes.append((x - 0.4, y - 0.4, x + width * random.uniform(0.6, 1.4), y + height))
    found = Detections(
        ("thing",) * 3, np.ones(3, np.float32), np.array(boxes, np.float32), tuple(masks)
    )

    samples = DetectionSamples.of(found, 48, 64)

    for row, own in enumerate(image):
        v, u = samples.v[row], samples.u[row]
        assert own[v[samples.usable[row]], u[samples.usable[row]]].all()
        assert samples.usable[row].any() == own.any()


def inverse_depth(detections: Detections, depth_m: NDArray[np.float32]) -> NDArray[np.float64]:
    return inverse_median_depth(DetectionSamples.of(detections, *depth_m.shape), depth_m)


def test_the_median_of_measured_times() -> None:
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
    """The visible part of a chair behind a table: two thin strips at the edges of its box."""
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
