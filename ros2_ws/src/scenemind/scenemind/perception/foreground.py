"""Which of the depths in a detection are the object's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SIGNIFICANT = 0.4  # a layer with this share of the largest one's samples may be the object
_DEVIATIONS = 3.0
_MAD_TO_SIGMA = 1.4826


def foreground_range(depth_m: NDArray[np.float32], gap_ratio: float) -> tuple[float, float]:
    """The nearest significant layer of depths (N,), N > 0: its lowest and highest depth.

    Layers are separated by relative gaps. The nearest that is not small is taken: behind a chair's
    slats the wall may have as many samples as the chair. Within it, what lies far from the median
    in terms of the median absolute deviation is cut, which trims tails along a floor or wall.
    The range ends half a gap beyond the samples: what lies there is nearer to this layer than to
    any other.
    """
    ordered = np.sort(depth_m)
    starts = np.flatnonzero(ordered[1:] > ordered[:-1] * (1.0 + gap_ratio)) + 1
    edges = np.concatenate(([0], starts, [len(ordered)]))
    counts = np.diff(edges)
    nearest = int(np.argmax(counts >= _SIGNIFICANT * counts.max()))
    layer = ordered[edges[nearest] : edges[nearest + 1]]
    median = float(layer[len(layer) // 2])
    deviation = float(np.sort(np.abs(layer - median))[len(layer) // 2])
    reach = _DEVIATIONS * _MAD_TO_SIGMA * deviation + gap_ratio * median
    nearest_m = max(float(layer[0]) * (1.0 - gap_ratio / 2.0), median - reach)
    farthest_m = min(float(layer[-1]) * (1.0 + gap_ratio / 2.0), median + reach)
    return nearest_m, farthest_m
