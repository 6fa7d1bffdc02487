"""What an object looks like, in numbers that two views of it share: colour histograms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BINS = 16  # of each of the three channels
_BIN_WIDTH = 16  # grey levels
LENGTH = 3 * _BINS


def color_histograms(
    rgb: NDArray[np.uint8], owner: NDArray[np.integer], count: int
) -> NDArray[np.float32]:
    """Colour histograms (count, 48) float32, each of sum 1: three marginals of 16 bins.

    The channels are opponent colours: brightness, red against green, yellow against blue. Light
    that changes moves the first and leaves the others nearly alone. The colour differences of
    things indoors are small, so their bins cover half of the possible range and the outer ones
    hold the rest. Compare by intersection: the sum of the smaller of both values, in [0, 1].

    Args:
        rgb: (K, 3), the pixels of all objects.
        owner: (K,) in [0, count): whose pixel it is; every object has at least one.
    """
    red, green, blue = np.ascontiguousarray(rgb.T).astype(np.int16)
    brightness = (red + green + blue) // (3 * _BIN_WIDTH)
    red_green = _centered_bin(red - green)
    yellow_blue = _centered_bin((red + green) // 2 - blue)
    first = owner * LENGTH
    bins = np.concatenate(
        (first + brightness, first + (red_green + _BINS), first + (yellow_blue + 2 * _BINS))
    )
    hits = np.bincount(bins, minlength=count * LENGTH).reshape(count, LENGTH)
    histograms: NDArray[np.float32] = (hits / hits.sum(axis=1, keepdims=True)).astype(np.float32)
    return histograms


def _centered_bin(difference: NDArray[np.int16]) -> NDArray[np.int16]:
    return np.clip(difference // _BIN_WIDTH + _BINS // 2, 0, _BINS - 1)
