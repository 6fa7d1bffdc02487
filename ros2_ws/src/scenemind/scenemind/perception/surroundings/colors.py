"""Colours of a box that are those of its surroundings."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.surroundings.box_window import BoxWindow

_LIGHTNESS_BINS, _CHROMA_BINS = 8, 32  # chroma spans a small part of its scale
_BINS = _LIGHTNESS_BINS * _CHROMA_BINS**2


def share_of_surroundings(
    window: BoxWindow, in_surroundings: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """(h, w): of the box's samples of one colour, how many are surroundings if these have the
    colours in the box that they have outside; above 1 where more.

    Args:
        in_surroundings: (h, w) bool, samples of the box that may be surroundings, by their place.
    """
    code = _color_codes(window.color)
    outside = np.bincount(code[~window.in_box], minlength=_BINS)
    inside = np.bincount(code[window.in_box], minlength=_BINS)
    candidates = np.count_nonzero(in_surroundings & window.in_box)
    expected = outside * (candidates / max(1, int(outside.sum())))
    share = (expected / np.maximum(inside, 1)).astype(np.float32)
    found: NDArray[np.float32] = share[code]
    return found


def _color_codes(color: NDArray[np.uint8]) -> NDArray[np.intp]:
    """(h, w): the bin of each colour in CIELAB, whose distances are about as people see them."""
    lab = cv2.cvtColor(color, cv2.COLOR_RGB2LAB).astype(np.intp)
    lightness, a, b = lab[..., 0] * _LIGHTNESS_BINS, lab[..., 1], lab[..., 2]
    code: NDArray[np.intp] = ((lightness >> 8) * _CHROMA_BINS + (a * _CHROMA_BINS >> 8)) * (
        _CHROMA_BINS
    ) + (b * _CHROMA_BINS >> 8)
    return code
