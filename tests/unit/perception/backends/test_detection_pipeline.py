"""Letterbox of images."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.perception.backends.detection_pipeline import Letterbox, assemble_masks

SIDES = st.integers(33, 900)


def test_the_border_goes_to_both_sides_or_to_one() -> None:
    centered = Letterbox.fit((640, 480), (320, 320), centered=True)
    assert (centered.scale, centered.resized, centered.pad) == ((0.5, 0.5), (320, 240), (0, 40))
    assert Letterbox.fit((640, 480), (320, 320), centered=False).pad == (0, 0)


def test_the_image_lies_where_the_letterbox_says() -> None:
    image = np.full((480, 640, 3), 200, np.uint8)
    canvas = Letterbox.fit((640, 480), (320, 320), centered=True).apply(image)
    rows = canvas[:, 0, 0]
    assert (rows[40:280] == 200).all()
    assert (np.delete(rows, np.arange(40, 280)) == 114).all()


@given(SIDES, SIDES, SIDES, SIDES, st.booleans())
def test_boxes_come_back(width: int, height: int, in_w: int, in_h: int, centered: bool) -> None:
    letterbox = Letterbox.fit((width, height), (in_w, in_h), centered=centered)
    box = np.array([(3.0, 5.0, width - 2.0, height - 7.0)], np.float32)
    there = box * np.array(letterbox.scale * 2) + np.array(letterbox.pad * 2)
    assert there.max() <= max(in_w, in_h)
    back = letterbox.to_image(there.astype(np.float32))
    np.testing.assert_allclose(back, box, atol=0.02)


def test_a_mask_lands_on_its_pixels() -> None:
    """Prototypes that hold a disc give that disc in the image, cut to the box."""
    letterbox = Letterbox.fit((640, 480), (320, 320), centered=True)
    rows, columns = np.mgrid[:80, :80]
    # Cell centres in image pixels: input = (cell + 0.5) * 4, image = (input - pad) / 0.5.
    x, y = (columns + 0.5) * 8, ((rows + 0.5) * 4 - 40) * 2
    disc = 100.0 - np.hypot(x - 300, y - 200)
    prototypes = np.stack((np.zeros_like(disc), disc)).astype(np.float32)
    box = np.array([(150.3, 150.0, 360.0, 420.0)], np.float32)

    (mask,) = assemble_masks(prototypes, np.array([(9.0, 0.1)], np.float32), box, letterbox)

    assert (mask.x_px, mask.y_px) == (150, 150)
    v, u = np.mgrid[150:420, 150:360] + 0.5
    expected = np.hypot(u - 300, v - 200) < 100
    assert mask.bits.shape == expected.shape
    assert (mask.bits == expected).mean() > 0.995


def test_the_border_of_a_mask_lies_between_pixels() -> None:
    """Prototypes that rise evenly are interpolated exactly: the mask begins at column 300."""
    letterbox = Letterbox.fit((640, 480), (320, 320), centered=True)
    x = np.tile((np.arange(80) + 0.5) * 8, (80, 1))
    prototypes = (x - 300.0)[None].astype(np.float32)
    box = np.array([(150.0, 150.0, 360.0, 420.0)], np.float32)

    (mask,) = assemble_masks(prototypes, np.ones((1, 1), np.float32), box, letterbox)

    assert (mask.bits == (np.arange(150, 360) >= 300)).all()
