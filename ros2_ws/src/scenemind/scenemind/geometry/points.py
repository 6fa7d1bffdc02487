"""Point clouds: voxels and bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BITS = 21  # a voxel's index along one axis: +-1 million voxels, 20 km of 2 cm


def voxel_keys(points: NDArray[np.floating], voxel_m: float) -> NDArray[np.int64]:
    """One number a voxel (N,) for points (N, 3) within a million voxels of the origin."""
    index = np.floor(points * points.dtype.type(1.0 / voxel_m)).astype(np.int64)
    index += 1 << (_BITS - 1)
    keys: NDArray[np.int64] = (index[:, 0] << (2 * _BITS)) | (index[:, 1] << _BITS) | index[:, 2]
    return keys


def voxel_indices(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """(N, 3): index along each axis, from the lowest that a key can have."""
    mask = (1 << _BITS) - 1
    return np.stack((keys >> (2 * _BITS), (keys >> _BITS) & mask, keys & mask), axis=1)


def trimmed_bounds(
    points: NDArray[np.floating], share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest corner (3,), (3,) after leaving out that share at every end.

    Cheap and robust: along each axis `share` of the points (N, 3) may lie beyond either corner.
    """
    spare = int(share * len(points))
    ordered = np.sort(points, axis=0)
    return ordered[spare].astype(np.float64), ordered[-1 - spare].astype(np.float64)
