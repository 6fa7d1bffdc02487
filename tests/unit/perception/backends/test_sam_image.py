"""Images as SAM takes them, and its masks back in the image."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.perception.backends.sam_image import SamImage


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
def test_a_mask_comes_back_where_the_thing_is(
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
    # Bilinear between cells of 4 input pixels; what is thinner than a cell may be lost.
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
