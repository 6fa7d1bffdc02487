"""Point clouds: voxels and bounds, and operations within the segments of one array.

A segmented array holds the values of many things, one thing after the other. `owner` is the index
of the thing of each value: integers from 0 that never decrease along the array. `counts` is the
number of values of each thing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def sorted_within(values: NDArray[np.floating], owner: NDArray[np.integer]) -> NDArray[np.float32]:
    """Finite values (..., K) rising inside each segment: one sort for all of them."""
    if values.shape[-1] == 0:
        return values.astype(np.float32)
    ordered, shift = _shifted_and_sorted(values, owner)
    ordered -= shift
    return ordered.astype(np.float32)


def _shifted_and_sorted(
    values: NDArray[np.floating], owner: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values (..., K) rising, after those of each segment were shifted beyond those before; and the
    shift (K,)."""
    low, high = float(values.min()), float(values.max())
    shift = np.asarray(owner * (high - low + 1.0) - low, np.float64)
    ordered = np.asarray(values + shift, np.float64)
    ordered.sort(axis=-1)
    return ordered, shift


def starts_of(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    """First index (N,) of each segment."""
    starts: NDArray[np.int64] = np.cumsum(counts) - counts
    return starts


def quantiles_within(
    values: NDArray[np.floating],
    owner: NDArray[np.integer],
    counts: NDArray[np.integer],
    share: float,
) -> NDArray[np.float64]:
    """The quantile (N,) of each segment's finite values (K,), between two where it lies there.

    Args:
        counts: (N,), every one above 0. share: in [0, 1]; 0.5 is the median.
    """
    shift = owner * (float(values.max()) - float(values.min()) + 1.0)
    ordered = np.sort(values + shift) - shift
    place = share * (counts - 1.0)
    before = place.astype(np.intp)
    first = starts_of(counts) + before
    low = ordered.take(first)
    high = ordered.take(first + (before < counts - 1))
    quantiles: NDArray[np.float64] = low + (high - low) * (place - before)
    return quantiles


def evenly(counts: NDArray[np.integer], most: int) -> NDArray[np.bool_]:
    """Mask (K,) of values to keep: at most `most` of each segment, evenly spaced within it."""
    starts = starts_of(counts)
    place = np.arange(int(counts.sum())) - np.repeat(starts, counts)
    step = np.floor(place * np.repeat(np.minimum(most / np.maximum(counts, 1), 1.0), counts))
    kept = np.ones(len(step), np.bool_)
    np.greater(step[1:], step[:-1], out=kept[1:])
    kept[starts[counts > 0]] = True
    return kept


_BITS = 21  # a voxel's index along one axis: +-1 million voxels, 20 km of 2 cm


def voxel_keys(
    points: NDArray[np.floating], voxel_m: float | NDArray[np.float64]
) -> NDArray[np.int64]:
    """Voxel key (N,) of each point (N, 3), which lies within a million voxels of the origin.

    Args:
        voxel_m: edge of the voxels; (N, 1): of each point.
    """
    scaled = points * np.asarray(1.0 / np.asarray(voxel_m), points.dtype)
    # By way of int32, to which processors convert many at once.
    index = np.floor(scaled, out=scaled).astype(np.int32).astype(np.int64)
    index += 1 << (_BITS - 1)
    keys: NDArray[np.int64] = (index[:, 0] << (2 * _BITS)) | (index[:, 1] << _BITS) | index[:, 2]
    return keys


def trimmed_bounds(
    columns: NDArray[np.floating],
    owner: NDArray[np.integer],
    counts: NDArray[np.integer],
    share: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Lowest and highest corner (3, N), (3, N) of N clouds, leaving out a share at every end.

    Cheap and robust: along each axis `share` of a cloud's points may lie beyond either corner.

    Args:
        columns: (3, K), the clouds one after the other. owner, counts: as `segments` has them,
            every count above 0.
    """
    ordered, shift = _shifted_and_sorted(columns, owner)
    starts, spare = starts_of(counts), (share * counts).astype(np.int64)
    of_each = shift.take(starts)
    lowest = ordered.take(starts + spare, axis=1) - of_each
    highest = ordered.take(starts + counts - 1 - spare, axis=1) - of_each
    return lowest.astype(np.float32), highest.astype(np.float32)
