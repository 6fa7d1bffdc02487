"""Statistical outlier removal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from scenemind.geometry.points import voxel_keys
from scenemind.reasoning.vlm_grounder.projection.fusion import Fused
from scenemind.reasoning.vlm_grounder.projection.parts import in_sure_parts
from scenemind.reasoning.vlm_grounder.projection.surface import Surface

_VOXEL_PATCHES = 2.0  # side of a voxel, over that of the widest samples' patches
_GAP_VOXELS = 2.0  # between parts, at least
_WIDEST = 90  # percent of the samples are narrower


def statistical_inliers(
    points: NDArray[np.floating], neighbors: int, deviations: float
) -> NDArray[np.bool_]:
    """Which of the points (N, 3) lie as near to their neighbours as most do (N,).

    As Open3D's `remove_statistical_outlier`, which the paper uses (section 4.1): a point's mean
    distance to its `neighbors` nearest, itself counted as the first, is below the mean of these
    distances plus `deviations` of their standard deviations; and above 0, so that points which
    lie `neighbors` times in one place are none, and add nothing to the deviation. With fewer points
    than neighbours, all stay.
    """
    if len(points) < max(neighbors, 2):
        return np.ones(len(points), np.bool_)
    distances, _ = cKDTree(points).query(points, neighbors)
    mean = np.asarray(distances, np.float64).reshape(len(points), -1).mean(axis=1)
    apart = mean > 0.0
    center = mean.mean()
    spread = np.sqrt(np.square(mean[apart] - center).sum() / (len(mean) - 1))
    inliers: NDArray[np.bool_] = apart & (mean < center + deviations * spread)
    return inliers


def without_outliers(union: Fused, neighbors: int, deviations: float) -> Surface:
    """The samples that are no statistical outliers among means of voxels, or that another view saw
    in its mask as well: chairs keep their legs.

    Distances between single samples say how far away the camera was: in a union of near and far
    views all of what only a far one shows would be outliers. One point a voxel, as wide as the
    widest samples need, makes them comparable, and bounds the time. Last, parts go that are small,
    apart, and mostly unconfirmed.
    """
    surface = union.surface
    patch_m = 2.0 * float(np.percentile(surface.half_m, _WIDEST))
    voxel_m = _VOXEL_PATCHES * patch_m
    means, voxel_of = one_a_voxel(surface.points, voxel_m)
    stays = statistical_inliers(means, neighbors, deviations)[voxel_of] | union.confirmed
    if not stays.any():
        return surface
    kept, confirmed = surface.select(stays), union.confirmed[stays]
    return kept.select(in_sure_parts(kept.points, confirmed, _GAP_VOXELS * voxel_m))


def one_a_voxel(
    points: NDArray[np.float32], voxel_m: float
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Means (V, 3) of the points (N, 3) in each voxel, and which voxel each point is in (N,)."""
    local = points - points.min(axis=0)
    _, voxel_of = np.unique(voxel_keys(local, voxel_m), return_inverse=True)
    counts = np.bincount(voxel_of)
    sums = [np.bincount(voxel_of, local[:, axis]) for axis in range(3)]
    means = np.column_stack(sums) / counts[:, None] + points.min(axis=0)
    return means.astype(np.float32), voxel_of
