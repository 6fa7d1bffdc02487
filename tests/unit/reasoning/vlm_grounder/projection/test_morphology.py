"""Erosion and components of masks."""

from __future__ import annotations

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.morphology import LEAST_CORE, cleaned


def square(side: int, at: int = 0) -> BoxMask:
    return BoxMask(at, at, np.ones((side, side), np.bool_))


def test_a_border_as_wide_as_asked_is_taken_off() -> None:
    clean = cleaned(square(200), image_width=640, erosion_px=7, components=2)
    assert clean.erosion_px == 7
    expected = np.zeros((200, 200), np.bool_)
    expected[7:-7, 7:-7] = True
    assert np.array_equal(clean.core, expected)
    assert clean.mask.bits.all(), "the border is the target's all the same"


def test_erosion_grows_with_the_image() -> None:
    assert cleaned(square(400), 1280, 7, 2).erosion_px == 14


def test_a_mask_that_would_vanish_is_eroded_less() -> None:
    clean = cleaned(square(12), 640, 7, 2)
    assert 0 <= clean.erosion_px < 7
    assert clean.core.sum() >= LEAST_CORE * 12 * 12


def test_only_the_two_largest_parts_stay_with_their_borders() -> None:
    bits = np.zeros((60, 200), np.bool_)
    bits[5:55, 5:55] = bits[5:45, 80:120] = bits[20:30, 150:160] = True
    clean = cleaned(BoxMask(3, 4, bits), 640, 2, 2)
    assert (clean.mask.x_px, clean.mask.y_px) == (3, 4)
    assert clean.mask.bits[5:55, 5:55].all()
    assert clean.mask.bits[5:45, 80:120].all()
    assert not clean.mask.bits[:, 150:].any()
    assert not clean.core[:, 150:].any()


def test_an_empty_mask_stays_empty() -> None:
    clean = cleaned(BoxMask(0, 0, np.zeros((5, 5), np.bool_)), 640, 7, 2)
    assert not clean.core.any()
    assert not clean.mask.bits.any()


def eroded_in_the_whole_image(mask: BoxMask, radius: int) -> NDArray[np.bool_]:
    image = np.zeros((120, 120), np.uint8)
    height, width = mask.bits.shape
    image[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width] = mask.bits
    kernel = np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)
    whole = cv2.erode(image, kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return whole[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width].astype(np.bool_)


@given(st.integers(0, 2**31 - 1), st.integers(0, 4))
def test_a_crop_is_eroded_as_the_whole_image_would_be(seed: int, radius: int) -> None:
    rng = np.random.default_rng(seed)
    smooth = cv2.GaussianBlur(rng.standard_normal((40, 50)).astype(np.float32), (0, 0), 4.0)
    mask = BoxMask(20, 30, smooth > 0.0)
    clean = cleaned(mask, 640, radius, components=1000, least_core=0.0)
    if clean.erosion_px == radius:
        assert np.array_equal(clean.core, eroded_in_the_whole_image(mask, radius))
