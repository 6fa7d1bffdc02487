"""Points grouped by the voxel that holds them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from scenemind.geometry.points import voxel_keys


def shared_surface(a: NDArray[np.float32], b: NDArray[np.float32], within_m: float) -> float:
    """Share of the smaller cloud's points that lie within a distance of the other cloud."""
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    distance, _ = cKDTree(large).query(small, distance_upper_bound=within_m)
    return float(np.isfinite(distance).mean())


def cell_means(
    points: NDArray[np.float32], cell_m: float
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Sorted keys of the occupied voxels, and the mean points in them."""
    packed, order, starts = sorted_cells(points, cell_m)
    counts = np.empty(len(starts), np.float32)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1], casting="unsafe")
    counts[-1] = len(packed) - starts[-1]
    sums: NDArray[np.float32] = np.add.reduceat(points.take(order, axis=0), starts)
    sums /= counts[:, None]
    return packed[starts], sums


def sorted_cells(
    points: NDArray[np.float32], cell_m: float
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.intp]]:
    """Keys of the points in ascending order, that order, and where each new key starts."""
    packed = voxel_keys(points, cell_m)
    order = packed.argsort()
    packed = packed.take(order)
    first = np.ones(len(packed), bool)
    np.not_equal(packed[1:], packed[:-1], out=first[1:])
    return packed, order, np.flatnonzero(first)
