"""SAM: images, boxes and masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.perception import PerceptionError
from scenemind.perception.backends.sam_segmenter import SamImage, SamSegmenter


@pytest.mark.parametrize(
    ("image_size", "scaled_size"),
    [
        ((640, 480), (1024, 768)),
        ((1296, 968), (1024, 765)),  # 764.8
        ((480, 640), (768, 1024)),
        ((1024, 1024), (1024, 1024)),
        ((333, 37), (1024, 114)),  # 113.8
    ],
)
def test_the_longer_side_becomes_1024(
    image_size: tuple[int, int], scaled_size: tuple[int, int]
) -> None:
    assert SamImage.fit(*image_size).scaled_size == scaled_size


def test_colours_are_normalised_and_the_rest_is_padded_with_zeros() -> None:
    color = np.full((480, 640, 3), (124, 116, 104), np.uint8)
    color[240:] = (182, 173, 161)  # one deviation brighter
    given_image = SamImage.fit(640, 480).input_of(color)
    assert given_image.shape == (1, 3, 1024, 1024)
    assert given_image.dtype == np.float32
    assert np.abs(given_image[0, :, :380]).max() < 0.01
    np.testing.assert_allclose(given_image[0, :, 388:768], 1.0, atol=0.01)
    assert not given_image[0, :, 768:].any()


def test_boxes_are_scaled_and_end_at_the_border() -> None:
    boxes = SamImage.fit(640, 480).boxes_of(np.array([[10, 20, 110, 220], [-5, 400, 900, 600]]))
    assert boxes.tolist() == [[16, 32, 176, 352], [0, 640, 1024, 768]]


@given(
    width=st.integers(40, 1400),
    height=st.integers(40, 1400),
    shares=st.tuples(*(st.floats(0.0, 1.0) for _ in range(4))),
)
def test_a_mask_covers_the_thing_in_the_image(
    width: int, height: int, shares: tuple[float, float, float, float]
) -> None:
    """A rectangle painted into the input, at a quarter of its size as SAM does, by hand."""
    image = SamImage.fit(width, height)
    (x0, x1), (y0, y1) = sorted(shares[:2]), sorted(shares[2:])
    scaled_width, scaled_height = image.scaled_size
    centers = (np.arange(256) + 0.5) * 4.0
    logits = np.minimum(
        np.minimum(centers - x0 * scaled_width, x1 * scaled_width - centers)[None, :],
        np.minimum(centers - y0 * scaled_height, y1 * scaled_height - centers)[:, None],
    ).astype(np.float32)
    mask = image.mask_of(logits)
    # Bilinear between cells of 4 input pixels; a part thinner than a cell may be lost.
    cell = 4.0 * max(width, height) / 1024.0
    if mask is None:
        assert min((x1 - x0) * width, (y1 - y0) * height) < 3.0 * cell + 2.0
        return
    rows, columns = mask.bits.shape
    found = (mask.x_px, mask.y_px, mask.x_px + columns, mask.y_px + rows)
    true = (x0 * width, y0 * height, x1 * width, y1 * height)
    np.testing.assert_allclose(found, true, atol=cell + 1.5)
    assert found[2] <= width
    assert found[3] <= height


def test_an_empty_mask_is_none() -> None:
    assert SamImage.fit(640, 480).mask_of(np.full((256, 256), -1.0, np.float32)) is None


WIDTH, HEIGHT = 325, 243


class BoxFiller:
    """Gives a part of the box, the box and twice the box, with the highest score for the second."""

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


def test_mask_of_the_highest_score_is_taken_at_the_images_size() -> None:
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


def test_error_names_an_invalid_box() -> None:
    with pytest.raises(PerceptionError, match=r"\(N, 4\) finite numbers"):
        SamSegmenter(BoxFiller(), "sam").segment(frame(), np.array([[0, 0, np.nan, 5]]))


def test_the_border_of_a_mask_lies_between_pixels() -> None:
    """Logits that rise evenly are interpolated exactly: the mask begins at column 300."""
    image = SamImage.fit(640, 480)
    x = np.tile((np.arange(256) + 0.5) * 4.0 * 640 / 1024, (256, 1))
    mask = image.mask_of((x - 300.0).astype(np.float32))
    assert mask is not None
    assert (mask.x_px, mask.y_px) == (300, 0)
    assert mask.bits.shape == (480, 340)
    assert mask.bits.all()
