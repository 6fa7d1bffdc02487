"""Point clouds: voxels and bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry.segments import sorted_within, starts_of

_BITS = 21  # a voxel's index along one axis: +-1 million voxels, 20 km of 2 cm


def voxel_keys(points: NDArray[np.floating], voxel_m: float) -> NDArray[np.int64]:
    """One number a voxel (N,) for points (N, 3) within a million voxels of the origin."""
    index = np.floor(points * points.dtype.type(1.0 / voxel_m)).astype(np.int64)
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
    ordered = sorted_within(columns, owner)
    starts, spare = starts_of(counts), (share * counts).astype(np.int64)
    return ordered[:, starts + spare], ordered[:, starts + counts - 1 - spare]
