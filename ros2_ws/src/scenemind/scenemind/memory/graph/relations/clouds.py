"""Shortest distances between clouds of surface points: exact, and of few points.

Peers search a neighbour for every point of every object. Here boxes and a few points say first
which clouds can matter, and then which of their points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from scenemind.geometry import gaps_m

# (3, M) float32: x, y and z in a row each, which is several times faster than (M, 3).
Columns = NDArray[np.float32]

# Every 32nd point bounds a distance from above.
SAMPLE_EVERY = 32
# From one cloud to the other and back so often ends near the two nearest points.
STEPS = 4
# Fewer pairs than this are compared one by one, more through a tree.
FEW_PAIRS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Clouds:
    """N clouds with their bounds.

    Attributes:
        points: N arrays (3, M) float32, world, metres; one without points is its box.
        bounds: (N, 6) float64: lowest and highest corner of the points, or of the box.
    """

    points: tuple[Columns, ...]
    bounds: NDArray[np.float64]

    @classmethod
    def of(cls, points: Sequence[NDArray[np.float32]], boxes: NDArray[np.float64]) -> Clouds:
        """From points (M, 3) each and, for clouds without any, boxes (N, 6).

        Bounds are of the points themselves: an object's box may leave strays out.
        """
        bounds = np.array(boxes, dtype=np.float64).reshape(-1, 6)
        columns = tuple(np.ascontiguousarray(cloud.T, dtype=np.float32) for cloud in points)
        for row, cloud in enumerate(columns):
            if cloud.shape[1]:
                bounds[row] = _bounds_of(cloud)
        return cls(columns, bounds)

    def __len__(self) -> int:
        return len(self.points)

    def at_least_m(self, other: Clouds) -> NDArray[np.float64]:
        """A lower bound (N,) of the distance of each to a single other cloud: the boxes' gap."""
        a, b = self.bounds, other.bounds
        return gaps_m(a[:, :3], a[:, 3:], b[:, :3], b[:, 3:])

    def at_most_m(self, other: Clouds) -> NDArray[np.float64]:
        """An upper bound (N,) of the distance of each to a single other cloud, from samples."""
        theirs = other.points[0][:, ::SAMPLE_EVERY]
        found = self.at_least_m(other)
        known = [row for row, cloud in enumerate(self.points) if cloud.shape[1]]
        if known:
            mine = [self.points[row][:, ::SAMPLE_EVERY] for row in known]
            counts = np.array([sample.shape[1] for sample in mine])
            nearest = _squared_to_cloud(np.concatenate(mine, axis=1), theirs, other.bounds[0])
            found[known] = np.sqrt(np.minimum.reduceat(nearest, np.cumsum(counts) - counts))
        if theirs.shape[1] and len(known) < len(self):
            for row in set(range(len(self))).difference(known):
                found[row] = np.sqrt(_squared_to_box(theirs, self.bounds[row]).min())
        return found

    def distance_m(
        self,
        row: int,
        other: Clouds,
        at_most_m: float,
        near_enough_m: float = 0.0,
        beyond_m: float = math.inf,
    ) -> float:
        """Between the nearest points of one and of a single other cloud.

        Args:
            at_most_m: known not to be exceeded (`at_most_m`).
            near_enough_m: a distance that is no more than this may come back too large, up to it.
            beyond_m: a distance that is more than this may come back too large, or infinite.
        """
        mine, theirs = self.points[row], other.points[0]
        if not mine.shape[1] and not theirs.shape[1]:
            return at_most_m
        if not mine.shape[1]:
            return float(np.sqrt(_squared_to_box(theirs, self.bounds[row]).min()))
        if not theirs.shape[1]:
            return float(np.sqrt(_squared_to_box(mine, other.bounds[0]).min()))
        at_most_m = min(at_most_m, _descend_m(mine, theirs))
        if at_most_m <= near_enough_m:
            return at_most_m
        # A hair more, so that rounding leaves out none of the two that gave the upper bound.
        limit_m = min(at_most_m, beyond_m) * 1.001 + 1e-4
        mine = mine[:, _squared_to_box(mine, other.bounds[0]) <= limit_m**2]
        if not mine.shape[1]:
            return math.inf
        theirs = theirs[:, _squared_to_box(theirs, _bounds_of(mine)) <= limit_m**2]
        return _nearest_m(mine, theirs, limit_m)


def _descend_m(a: Columns, b: Columns) -> float:
    """A distance of two points that are near each other, though maybe not the nearest."""
    point = a.mean(axis=1)
    for step in range(STEPS):
        cloud = (b, a)[step % 2]
        offset = cloud - point[:, None]
        squared = np.einsum("ij,ij->j", offset, offset)
        nearest = int(squared.argmin())
        point = cloud[:, nearest]
    return float(np.sqrt(squared[nearest]))


def _nearest_m(a: Columns, b: Columns, limit_m: float) -> float:
    """Infinite where it may be more than the limit."""
    if a.shape[1] * b.shape[1] <= FEW_PAIRS:
        return float(np.sqrt(cdist(a.T, b.T, "sqeuclidean").min(initial=math.inf)))
    few, many = (a, b) if a.shape[1] < b.shape[1] else (b, a)
    tree = cKDTree(few.T, balanced_tree=False, compact_nodes=False)
    return float(tree.query(many.T, distance_upper_bound=limit_m)[0].min())


def _squared_to_cloud(
    points: Columns, cloud: Columns, bounds: NDArray[np.float64]
) -> NDArray[np.floating]:
    """(M,) squared distances to the nearest point of a cloud; to its bounds where it has none."""
    if cloud.shape[1]:
        return np.asarray(cdist(points.T, cloud.T, "sqeuclidean").min(axis=1))
    return _squared_to_box(points, bounds)


def _squared_to_box(points: Columns, bounds: NDArray[np.float64]) -> NDArray[np.float32]:
    """(M,) squared distances of points to a box, 0 within it."""
    low, high = bounds[:3, None].astype(np.float32), bounds[3:, None].astype(np.float32)
    outside = np.maximum(np.maximum(low - points, points - high), np.float32(0.0))
    return np.asarray(np.einsum("ij,ij->j", outside, outside))


def _bounds_of(points: Columns) -> NDArray[np.float64]:
    return np.concatenate((points.min(axis=1), points.max(axis=1))).astype(np.float64)
