"""Statistical outlier removal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree


def statistical_inliers(
    points: NDArray[np.floating], neighbors: int, deviations: float
) -> NDArray[np.bool_]:
    """Which of the points (N, 3) lie as near to their neighbours as most do (N,).

    As Open3D's `remove_statistical_outlier`, which the paper uses (section 4.1): a point's mean
    distance to its `neighbors` nearest, itself counted as the first, is below the mean of these
    distances plus `deviations` of their standard deviations; and above 0, so that points which
    lie `neighbors` times in one place are none. With fewer points than neighbours, all stay.
    """
    if len(points) < max(neighbors, 2):
        return np.ones(len(points), np.bool_)
    distances, _ = cKDTree(points).query(points, neighbors, workers=-1)
    mean = np.asarray(distances, np.float64).reshape(len(points), -1).mean(axis=1)
    limit = mean.mean() + deviations * mean.std(ddof=1)
    inliers: NDArray[np.bool_] = (mean > 0.0) & (mean < limit)
    return inliers
