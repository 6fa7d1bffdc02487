"""What is asked of SAM's two networks, with networks of which the answer is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.perception import PerceptionError
from scenemind.perception.backends.sam_segmenter import SamSegmenter

WIDTH, HEIGHT = 325, 243


class BoxFiller:
    """Offers a part of the box, the box and twice the box, and says that the second is best."""

    runtime = "by hand"

    def __init__(self) -> None:
        self.encoded = 0
        self.asked: list[int] = []

    def encode(self, image: np.ndarray) -> Any:
        assert image.shape == (1, 3, 1024, 1024)
        self.encoded += 1
        return self.encoded

    def decode(self, embedding: Any, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert 1 <= embedding <= self.encoded
        self.asked.append(len(boxes))
        low, high = boxes[:, None, :2], boxes[:, None, 2:]
        middle, half = (low + high) / 2, (high - low) / 2 * np.array([0.5, 1, 2])[:, None]
        centers = (np.arange(256) + 0.5) * 4.0
        reach = half[..., None] - np.abs(centers - middle[..., None])  # (N, 3, 2, 256)
        logits = np.minimum(reach[:, :, 1, :, None], reach[:, :, 0, None, :])
        return logits.astype(np.float32), np.tile(np.float32((0.3, 0.9, 0.6)), (len(boxes), 1))


def frame(seed: int = 0) -> RGBDFrame:
    color = np.random.default_rng(seed).integers(0, 255, (HEIGHT, WIDTH, 3)).astype(np.uint8)
    camera = PinholeCamera(WIDTH, HEIGHT, 300.0, 300.0, WIDTH / 2, HEIGHT / 2)
    depth = np.zeros((HEIGHT, WIDTH), np.float32)
    return RGBDFrame(seed, 0, color, depth, camera, Pose.identity())


def test_the_mask_that_sam_is_surest_of_is_taken_at_the_images_size() -> None:
    segmenter = SamSegmenter(BoxFiller(), "sam_b")
    assert segmenter.name == "sam_b (by hand)"
    boxes = np.array([[10, 20, 60, 90], [200, 100, 325, 243], [30, 30, 30, 80]], np.float32)
    *found, nothing = segmenter.segment(frame(), boxes)
    assert nothing is None  # a box without area
    for mask, box in zip(found, boxes, strict=False):
        assert mask is not None
        height, width = mask.bits.shape
        corners = (mask.x_px, mask.y_px, mask.x_px + width, mask.y_px + height)
        np.testing.assert_allclose(corners, box, atol=1.5)
        assert mask.bits.mean() > 0.95


def test_an_image_is_encoded_once() -> None:
    network = BoxFiller()
    segmenter = SamSegmenter(network, "sam")
    boxes = np.array([[10, 20, 60, 90]], np.float32)
    for seed in (0, 0, 1, 0, 1):
        segmenter.segment(frame(seed), boxes)
    assert network.encoded == 2
    for seed in range(2, 12):  # more than are kept
        segmenter.segment(frame(seed), boxes)
    segmenter.segment(frame(0), boxes)
    assert network.encoded == 13


def test_boxes_go_into_few_runs_and_none_into_no_run() -> None:
    network = BoxFiller()
    segmenter = SamSegmenter(network, "sam")
    assert segmenter.segment(frame(), np.zeros((0, 4), np.float32)) == ()
    assert network.encoded == 0
    boxes = np.tile(np.array([[10, 20, 60, 90]], np.float32), (35, 1))
    assert len(segmenter.segment(frame(), boxes)) == 35
    assert network.asked == [16, 16, 3]


def test_what_is_no_box_is_named() -> None:
    with pytest.raises(PerceptionError, match=r"\(N, 4\) finite numbers"):
        SamSegmenter(BoxFiller(), "sam").segment(frame(), np.array([[0, 0, np.nan, 5]]))
