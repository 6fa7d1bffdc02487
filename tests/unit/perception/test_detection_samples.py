"""Samples lie where they say."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.perception import BoxMask, Detections
from scenemind.perception.detection_samples import DetectionSamples

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
