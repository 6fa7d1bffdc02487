"""The surface of one object as evidence: voxels that remember how often they were seen.

A voxel counts once it was hit often enough for how often the whole object was seen, so a leak of
a mask or a flying pixel fades while a back side that was seen in a few frames stays:

- until `FULL_AFTER` whole views one hit in `VIEWS_A_HIT` is asked for, at most `ESTABLISHED`;
- a voxel with `ESTABLISHED` hits is never forgotten;
- the others lose half of their hits every `DECAY_EVERY` whole views.

A view that the image border cuts adds hits, but does not count as a whole view: it makes the
object grow and never shrink.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from scenemind.geometry.points import voxel_keys
from scenemind.memory.errors import SceneMemoryError

ESTABLISHED = 4.0
VIEWS_A_HIT = 8
DECAY_EVERY = 50
# More hits than this say nothing new, and the mean position keeps following.
MOST_HITS = 32.0
# Where the voxels that count fill this share of the limit, the grid becomes coarser.
CROWDED = 0.75


class SurfaceEvidence:
    """Occupied voxels of one object, sorted by key, with mean points and hits."""

    __slots__ = ("_surface", "cell_m", "hits", "keys", "max_points", "points", "whole_count")

    def __init__(self, cell_m: float, max_points: int) -> None:
        self.cell_m = cell_m
        self.max_points = max_points
        self.whole_count = 0
        self.keys: NDArray[np.int64] = np.zeros(0, np.int64)
        self.points: NDArray[np.float32] = np.zeros((0, 3), np.float32)
        self.hits: NDArray[np.float32] = np.zeros(0, np.float32)
        self._surface: NDArray[np.float32] | None = None

    @classmethod
    def restored(
        cls,
        cell_m: float,
        max_points: int,
        whole_count: int,
        points: NDArray[np.float32],
        hits: NDArray[np.float32],
    ) -> SurfaceEvidence:
        """From stored mean points (M, 3) and their hits (M,).

        Keys are found from the points again, so a mean on the very border of its voxel may join
        the neighbour.
        """
        evidence = cls(cell_m, max_points)
        evidence.whole_count = whole_count
        evidence._set(*_group(points, hits, cell_m))
        return evidence

    def add(self, points: NDArray[np.float32], whole: bool) -> None:
        """One view: points (N, 3), world, metres; N > 0.

        Raises:
            SceneMemoryError: no points.
        """
        if len(points) == 0:
            raise SceneMemoryError("an observation without points cannot be fused: lift it again")
        keys, means, _ = _group(points, np.ones(len(points), np.float32), self.cell_m)
        if len(self.keys):
            rows = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            known = self.keys.take(rows) == keys
            seen = rows[known]
            hits, old = self.hits.take(seen), self.points.take(seen, axis=0)
            self.points[seen] = old + (means[known] - old) / (hits + 1.0)[:, None]
            self.hits[seen] = np.minimum(hits + 1.0, MOST_HITS)
            keys, means = keys[~known], means[~known]
        if len(keys):
            self._insert(keys, means)
        if whole:
            self.whole_count += 1
            if self.whole_count % DECAY_EVERY == 0:
                self._decay()
        self._bound()
        self._surface = None

    def absorb(self, other: SurfaceEvidence) -> None:
        """Take over the evidence of a duplicate."""
        self.cell_m = max(self.cell_m, other.cell_m)
        self.whole_count += other.whole_count
        points = np.concatenate((self.points, other.points))
        hits = np.concatenate((self.hits, other.hits))
        self._set(*_group(points, hits, self.cell_m))
        self._bound()
        self._surface = None

    def surface(self) -> NDArray[np.float32]:
        """The points (M, 3) that count, M > 0; read-only, constant afterwards."""
        if self._surface is None:
            counts = self._counts()
            self._surface = self.points[counts] if counts.any() else self.points.copy()
            self._surface.setflags(write=False)
        return self._surface

    def _counts(self) -> NDArray[np.bool_]:
        required = min(1.0 + self.whole_count // VIEWS_A_HIT, ESTABLISHED)
        counts: NDArray[np.bool_] = self.hits >= required
        return counts

    def _insert(self, keys: NDArray[np.int64], points: NDArray[np.float32]) -> None:
        all_keys = np.concatenate((self.keys, keys))
        order = all_keys.argsort(kind="stable")
        hits = np.concatenate((self.hits, np.ones(len(keys), np.float32)))
        all_points = np.concatenate((self.points, points))
        self._set(all_keys.take(order), all_points.take(order, axis=0), hits.take(order))

    def _decay(self) -> None:
        young = self.hits < ESTABLISHED
        self.hits[young] *= 0.5
        kept = self.hits >= 1.0
        if kept.any():
            self._keep(kept)

    def _bound(self) -> None:
        """Drop the least hit voxels; where too many count, make the grid coarser instead."""
        while len(self.keys) > self.max_points:
            if np.count_nonzero(self._counts()) > CROWDED * self.max_points:
                self.cell_m *= 2.0
                self._set(*_group(self.points, self.hits, self.cell_m))
            else:
                most_hit = np.argsort(-self.hits, kind="stable")[: self.max_points]
                self._keep(np.sort(most_hit))

    def _keep(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> None:
        self._set(self.keys[rows], self.points[rows], self.hits[rows])

    def _set(
        self, keys: NDArray[np.int64], points: NDArray[np.float32], hits: NDArray[np.float32]
    ) -> None:
        self.keys, self.points, self.hits = keys, points, hits


def shared_surface(a: NDArray[np.float32], b: NDArray[np.float32], within_m: float) -> float:
    """Share of the smaller cloud's points that lie within a distance of the other cloud."""
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    distance, _ = cKDTree(large).query(small, distance_upper_bound=within_m)
    return float(np.isfinite(distance).mean())


def _group(
    points: NDArray[np.float32], weights: NDArray[np.float32], cell_m: float
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """Sorted keys of the occupied voxels, their weighted mean points and largest weights."""
    packed = voxel_keys(points, cell_m)
    order = packed.argsort()
    packed = packed.take(order)
    first = np.ones(len(packed), bool)
    np.not_equal(packed[1:], packed[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    weight = weights.take(order)
    total = np.add.reduceat(weight, starts)
    mean: NDArray[np.float32] = np.add.reduceat(
        points.take(order, axis=0) * weight[:, None], starts
    )
    mean /= total[:, None]
    return packed[starts], mean, np.maximum.reduceat(weight, starts)
