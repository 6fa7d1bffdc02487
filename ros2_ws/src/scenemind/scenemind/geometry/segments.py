"""Values of many things in one array, thing after thing: what is done inside each.

`owner` says for every value which thing it belongs to; it is whole numbers from 0 that never fall
along the array, and `counts` how many values each thing has.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def sorted_within(values: NDArray[np.floating], owner: NDArray[np.integer]) -> NDArray[np.float32]:
    """Finite values (..., K) rising inside each segment: one sort for all of them."""
    if values.shape[-1] == 0:
        return values.astype(np.float32)
    low, high = float(values.min()), float(values.max())
    shift = owner * (high - low + 1.0) - low
    ordered = np.sort(values + shift, axis=-1)
    ordered -= shift
    return ordered.astype(np.float32)


def starts_of(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    """Where each segment begins, (N,)."""
    starts: NDArray[np.int64] = np.cumsum(counts) - counts
    return starts


def evenly(counts: NDArray[np.integer], most: int) -> NDArray[np.bool_]:
    """Which values (K,) to keep, so that every segment keeps `most`, or all of fewer.

    They are taken evenly from the whole segment.
    """
    place = np.arange(int(counts.sum())) - np.repeat(starts_of(counts), counts)
    ratio = np.repeat(np.minimum(most / np.maximum(counts, 1), 1.0), counts)
    kept: NDArray[np.bool_] = np.floor(place * ratio) > np.floor((place - 1) * ratio)
    return kept
