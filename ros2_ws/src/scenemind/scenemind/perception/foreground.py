"""Which of the depths in a detection are the object's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry.segments import sorted_within, starts_of

_SIGNIFICANT = 0.4  # a layer with this share of the largest one's samples may be the object
_DEVIATIONS = 3.0
_MAD_TO_SIGMA = 1.4826


def foreground_ranges(
    depth_m: NDArray[np.float32], owner: NDArray[np.integer], count: int, gap_ratio: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The nearest significant layer of each object's depths: its lowest and highest, (count,) each.

    Layers are separated by relative gaps. The nearest that is not small is taken: behind a chair's
    slats the wall may have as many samples as the chair. Within it, what lies far from the median
    in terms of the median absolute deviation is cut, which trims tails along a floor or wall.
    The range ends half a gap beyond the samples: what lies there is nearer to this layer than to
    any other.

    Args:
        depth_m: (K,), finite and positive.
        owner: (K,) in [0, count), never falling. An object without depths gets an empty range.
        gap_ratio: the smallest gap, over the depth.
    """
    nearest_m, farthest_m = np.full(count, np.inf, np.float32), np.zeros(count, np.float32)
    if len(depth_m) == 0:
        return nearest_m, farthest_m
    ordered = sorted_within(depth_m, owner)
    start, size = _nearest_layers(ordered, owner, count, gap_ratio)
    found = owner[start]
    median = ordered[start + size // 2]
    own = np.repeat(np.arange(len(start)), size)
    in_layer = np.arange(len(own)) + np.repeat(start - starts_of(size), size)
    off_median = sorted_within(np.abs(ordered[in_layer] - median[own]), own)
    deviation = off_median[starts_of(size) + size // 2]
    reach = _DEVIATIONS * _MAD_TO_SIGMA * deviation + gap_ratio * median
    lowest, highest = ordered[start], ordered[start + size - 1]
    nearest_m[found] = np.maximum(lowest * (1.0 - gap_ratio / 2.0), median - reach)
    farthest_m[found] = np.minimum(highest * (1.0 + gap_ratio / 2.0), median + reach)
    return nearest_m, farthest_m


def _nearest_layers(
    ordered: NDArray[np.float32], owner: NDArray[np.integer], count: int, gap_ratio: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the nearest significant layer of each object begins, and how many depths it has."""
    begins = np.ones(len(ordered), np.bool_)
    begins[1:] = ordered[1:] > ordered[:-1] * np.float32(1.0 + gap_ratio)
    begins[1:] |= owner[1:] != owner[:-1]
    starts = np.flatnonzero(begins)
    sizes = np.append(starts[1:], len(ordered)) - starts
    of_object = owner[starts]
    largest = np.zeros(count, np.intp)
    np.maximum.at(largest, of_object, sizes)
    significant = sizes >= _SIGNIFICANT * largest[of_object]
    starts, sizes, of_object = starts[significant], sizes[significant], of_object[significant]
    nearest = np.ones(len(starts), np.bool_)
    nearest[1:] = of_object[1:] != of_object[:-1]
    return starts[nearest], sizes[nearest]
