"""The rigid motion between matched points, some of which are matched wrongly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose

_TRIES = 200
_SAMPLE = 3


def find_rigid(
    source: NDArray[np.floating], target: NDArray[np.floating], reach_m: float, fewest: int
) -> tuple[Pose, NDArray[np.bool_]] | None:
    """`target_T_source` by RANSAC over Kabsch, and which pairs (N,) it fits to; None: too few.

    Args:
        source, target: (N, 3), (N, 3), metres.
        reach_m: by which a pair that fits may be off.
        fewest: pairs that must fit.
    """
    if len(source) < max(fewest, _SAMPLE):
        return None
    rng = np.random.default_rng(len(source))
    best = np.zeros(len(source), np.bool_)
    for _ in range(_TRIES):
        rows = rng.choice(len(source), _SAMPLE, replace=False)
        fits = _fits(kabsch(source[rows], target[rows]), source, target, reach_m)
        if fits.sum() > best.sum():
            best = fits
    if best.sum() < fewest:
        return None
    pose = kabsch(source[best], target[best])
    fits = _fits(pose, source, target, reach_m)
    return (pose, fits) if fits.sum() >= fewest else None


def kabsch(source: NDArray[np.floating], target: NDArray[np.floating]) -> Pose:
    """The motion `target_T_source` of least squares between points (N, 3) and (N, 3).

    Kabsch 1976; of points on a line, one of the motions that fit as well.
    """
    middle, aim = source.mean(axis=0), target.mean(axis=0)
    u, _, vt = np.linalg.svd((source - middle).T @ (target - aim))
    mirror = np.diag((1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T)) or 1.0))
    rotation = np.asarray(vt.T @ mirror @ u.T, np.float64)
    return Pose(rotation, np.asarray(aim - rotation @ middle, np.float64))


def _fits(
    pose: Pose, source: NDArray[np.floating], target: NDArray[np.floating], reach_m: float
) -> NDArray[np.bool_]:
    off = np.linalg.norm(pose.transform(source) - target, axis=1)
    fits: NDArray[np.bool_] = off <= reach_m
    return fits
