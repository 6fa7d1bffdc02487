"""How far an object reaches: its surface without what the noise of the depth camera adds.

Noise acts along the viewing ray. It spreads a thin picture's voxels several centimetres before and
behind the wall, the more the farther away it was seen, and in two ways it is taken off again:

- A voxel beside one that was seen far better is noise of that one (`prominence`).
- What is left is as wide as the object and the noise together. Where the noise makes a good part
  of the spread along an axis, the extent shrinks by what it adds (`without_noise`): the variances
  of object and noise add up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

# A voxel of the surface has at least this share of the largest weight nearby. On simulated rooms
# 0.1 to 0.25 are equally good; less leaves noise, more eats sides that were seen seldom.
PROMINENT = 0.2
# Noise lies within so many of its standard deviations.
REACH_SIGMAS = 2.5
LARGEST_REACH = 4  # voxels
# More cells than this are looked at in twice as coarse a grid.
MOST_CELLS = 1 << 17
# Share of the variance along an axis that noise may make before the extent shrinks: a rough object
# seen from one side only is otherwise made too flat.
NOISE_SHARE = 0.25
# Points less prominent than this are all noise where noise is seen; the best of all are none.
NOISE_PROMINENCE = 1.0 / 3.0
# A thing whose thickness was all noise is taken to be so thick.
THIN_M = 0.04
# Poses and calibration are no better than this, however near the camera was.
_LEAST_SIGMA_M = 0.003
_UNIT_M2 = 1e-4  # a view with a noise of 1 cm weighs about 1


@dataclass(slots=True)
class NoiseOfViews:
    """The depth noise in all views of one object.

    Attributes:
        views: how many. weight: sum of their weights.
        sum_m2, weighted_m2: (3,), sum of their variances along the world's axes, and of weight
            times variance.
    """

    views: int = 0
    weight: float = 0.0
    sum_m2: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    weighted_m2: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))

    def add(self, sigma_m: float, ray: NDArray[np.float64]) -> float:
        """Count a view; its weight, which is the inverse of its variance.

        Args:
            sigma_m: standard deviation along the ray. ray: (3,), unit direction to the object.
        """
        variance = sigma_m * sigma_m
        weight = _UNIT_M2 / (variance + _LEAST_SIGMA_M**2)
        along_axes = variance * ray * ray
        self.views += 1
        self.weight += weight
        self.sum_m2 += along_axes
        self.weighted_m2 += weight * along_axes
        return weight

    def absorb(self, other: NoiseOfViews) -> None:
        """The views of another one too."""
        self.views += other.views
        self.weight += other.weight
        self.sum_m2 += other.sum_m2
        self.weighted_m2 += other.weighted_m2

    def to_array(self) -> NDArray[np.float64]:
        """(8,), to be stored."""
        return np.array((self.views, self.weight, *self.sum_m2, *self.weighted_m2))

    @classmethod
    def from_array(cls, values: NDArray[np.float64]) -> NoiseOfViews:
        return cls(int(values[0]), float(values[1]), values[2:5].copy(), values[5:8].copy())

    def reach_m(self) -> NDArray[np.float64]:
        """(3,): how far along each axis from a surface its noise lies."""
        return REACH_SIGMAS * np.sqrt(self.sum_m2 / max(self.views, 1))

    def along_axes_m2(self) -> NDArray[np.float64]:
        """(3,): variance along the world's axes, weighted as the points are."""
        return self.weighted_m2 / max(self.weight, 1e-12)


def prominence(
    index: NDArray[np.int64], weights: NDArray[np.float32], reach: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Weight of each voxel (M,) over the largest one nearby, in (0, 1].

    Args:
        index: (M, 3), of the voxels along each axis. weights: (M,).
        reach: (3,), how far along each axis noise goes, in voxels.
    """
    steps = np.clip(np.rint(reach), 1, LARGEST_REACH).astype(np.int64)
    index = index - index.min(axis=0)
    span = index.max(axis=0)
    while np.prod(span + 1.0) > MOST_CELLS:
        index >>= 1
        span >>= 1
        steps >>= 1
    # Empty cells around each row and layer keep neighbours in memory neighbours in space.
    stride_y = int(span[2] + 1 + steps[2])
    stride_x = stride_y * int(span[1] + 1 + steps[1])
    cells = (index[:, 0] + steps[0]) * stride_x + index[:, 1] * stride_y + index[:, 2]
    grid = np.zeros(stride_x * int(span[0] + 1 + 2 * steps[0]), np.float32)
    order = weights.argsort()  # where voxels share a cell the heaviest counts
    grid[cells[order]] = weights[order]
    for stride, count in zip((stride_x, stride_y, 1), steps.tolist(), strict=True):
        grid = _largest_within(grid, stride, count)
    return weights / grid[cells]


def without_noise(
    points: NDArray[np.float32],
    weights: NDArray[np.float32],
    prominence: NDArray[np.float32],
    noise_m2: NDArray[np.float64],
) -> NDArray[np.float32]:
    """The points (M, 3), M > 0, drawn together along axes that noise makes wider.

    The less prominent a point, the more of its way it goes: what is the best seen around it, such
    as the foot of a monitor, is no noise and stays.

    Args:
        weights, prominence: (M,). noise_m2: (3,), variance of the noise along the axes.
    """
    share = weights / weights.sum()
    middle = share @ points
    variance = share @ np.square(points - middle)
    excess = (noise_m2 / np.maximum(variance, 1e-12) - NOISE_SHARE) / (1.0 - NOISE_SHARE)
    if not (excess > 0.0).any():
        return points
    thinnest = np.minimum(THIN_M / np.maximum(np.ptp(points, axis=0), 1e-9), 1.0)
    factor = np.maximum(np.sqrt(1.0 - np.clip(excess, 0.0, 1.0)), thinnest)
    loose = np.minimum((1.0 - prominence) / (1.0 - NOISE_PROMINENCE), 1.0)
    shift = (middle - points) * (1.0 - factor) * loose[:, None]
    return points + shift.astype(np.float32)


def _largest_within(grid: NDArray[np.float32], stride: int, steps: int) -> NDArray[np.float32]:
    """Largest value within so many steps of a stride, either way."""
    covered = 0
    while covered < steps:
        # Windows that touch or overlap cover all between them.
        step = min(2 * covered + 1, steps - covered)
        shift = step * stride
        wider = grid.copy()
        np.maximum(wider[shift:], grid[:-shift], out=wider[shift:])
        np.maximum(wider[:-shift], grid[shift:], out=wider[:-shift])
        grid, covered = wider, covered + step
    return grid
