"""How far away detections are: one robust number each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.detection_samples import DetectionSamples


def inverse_median_depth(
    samples: DetectionSamples, depth_m: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Inverse of the median depth of each detection (N,), in 1/m; 0 where nothing was measured."""
    depth = depth_m[samples.v, samples.u]
    # What is no depth goes to the end of the order; comparing with NaN is false.
    depth[~(samples.usable & (depth > 0.0))] = np.inf
    depth.sort(axis=1)
    measured = np.count_nonzero(np.isfinite(depth), axis=1)
    median = depth[np.arange(len(depth)), np.maximum(measured - 1, 0) // 2]
    return 1.0 / median.astype(np.float64)
