"""Colours of a box that are those of its surroundings."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.surroundings.box_window import BoxWindow

_LIGHTNESS_BINS, _CHROMA_BINS = 8, 32  # chroma spans a small part of its scale
_BINS = _LIGHTNESS_BINS * _CHROMA_BINS**2
# In the box they are rarer by the part that the thing takes: of their own number, as often.
_LEAST_RATIO = 0.5


def colors_of_surroundings(window: BoxWindow, candidates: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(h, w) bool: colours that the candidates have outside of the box about as often as in it.

    Colours of a thing that lies among them, such as a book on a table, they have in the box alone.

    Args:
        candidates: (h, w) bool, samples that may be surroundings, by their place.
    """
    code = _color_codes(window.color)
    outside = np.bincount(code[candidates & ~window.in_box], minlength=_BINS)
    inside = np.bincount(code[candidates & window.in_box], minlength=_BINS)
    often = outside * float(inside.sum()) > _LEAST_RATIO * inside * float(outside.sum())
    found: NDArray[np.bool_] = often[code]
    return found


def _color_codes(color: NDArray[np.uint8]) -> NDArray[np.intp]:
    """(h, w): the bin of each colour in CIELAB, whose distances are about as people see them."""
    lab = cv2.cvtColor(color, cv2.COLOR_RGB2LAB).astype(np.intp)
    lightness, a, b = lab[..., 0] * _LIGHTNESS_BINS, lab[..., 1], lab[..., 2]
    code: NDArray[np.intp] = ((lightness >> 8) * _CHROMA_BINS + (a * _CHROMA_BINS >> 8)) * (
        _CHROMA_BINS
    ) + (b * _CHROMA_BINS >> 8)
    return code
