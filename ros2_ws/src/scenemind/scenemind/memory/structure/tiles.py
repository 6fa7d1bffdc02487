"""What was seen of upright and level surfaces: a bounded number of tiles of one size."""

from __future__ import annotations

import logging

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.structure.surface_samples import SurfaceSamples

_log = logging.getLogger(__name__)

TILE_M = 0.1
MOST_TILES = 60_000  # of 36 bytes
_KEPT_SHARE = 0.75  # when there are more
# A tile's mean forgets: it follows what was seen last where odometry drifts.
_MOST_WEIGHT = 20.0
# Within about 20 degrees of level or upright, as building surfaces are measured.
_LEVEL_COSINE, _UPRIGHT_SINE = 0.94, 0.34
# What a tile faces: up, down, or one of eight sectors around, so that both faces of a thin wall
# are two tiles.
UP, DOWN, _AROUND = 0, 1, 2
_SECTORS = 8
_BITS, _FACING_BITS = 19, 4  # of a key: 26 km each way
_INDEX, _ORIGIN = (1 << _BITS) - 1, 1 << (_BITS - 1)


class Tiles:
    """Not thread-safe: its owner holds a lock.

    Columns of equal length, in the order of the keys.

    Attributes:
        keys: (N,) int64: voxel and facing.
        points: (N, 3) float32, world, metres: weighted means.
        normals: (N, 3) float32, world: weighted means, about unit length.
        weights: (N,) float32: how much was seen of each.
    """

    def __init__(self) -> None:
        self.keys = np.zeros(0, np.int64)
        self.points = np.zeros((0, 3), np.float32)
        self.normals = np.zeros((0, 3), np.float32)
        self.weights = np.zeros(0, np.float32)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def facing(self) -> NDArray[np.int64]:
        """(N,): UP, DOWN, or more for upright ones."""
        return self.keys & ((1 << _FACING_BITS) - 1)

    def voxels(self) -> NDArray[np.float32]:
        """(N, 3): the lowest corner of each tile's voxel, in tiles from the origin."""
        packed = self.keys >> _FACING_BITS
        x, y, z = packed >> (2 * _BITS), packed >> _BITS & _INDEX, packed & _INDEX
        return (np.column_stack((x, y, z)) - _ORIGIN).astype(np.float32)

    def add(self, samples: SurfaceSamples) -> None:
        """Fuse what one frame shows; slanting surfaces are left out."""
        facing = _facing(samples.normals)
        kept = np.flatnonzero(facing >= 0)
        keys = _keys(samples.points.take(kept, axis=0), facing.take(kept))
        if len(keys) == 0:
            return
        order = keys.argsort()
        keys, rows = keys.take(order), kept.take(order)
        starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        weights = samples.weights.take(rows)
        values = np.hstack((samples.points.take(rows, axis=0), samples.normals.take(rows, axis=0)))
        values *= weights[:, None]
        sums = np.add.reduceat(values, starts)
        self._fuse(keys.take(starts), sums, np.add.reduceat(weights, starts))
        if len(self) > MOST_TILES:
            self._thin_out()

    def _fuse(
        self, keys: NDArray[np.int64], sums: NDArray[np.float32], weights: NDArray[np.float32]
    ) -> None:
        at = np.searchsorted(self.keys, keys)
        means = sums / weights[:, None]
        known = np.zeros(len(keys), bool)
        if len(self):
            known = self.keys.take(at, mode="clip") == keys
            self._refine(at[known], means[known], weights[known])
        new = np.flatnonzero(~known)
        if len(new):
            at, means = at.take(new), means.take(new, axis=0)
            self.keys = np.insert(self.keys, at, keys.take(new))
            self.points = np.insert(self.points, at, means[:, :3], axis=0)
            self.normals = np.insert(self.normals, at, means[:, 3:], axis=0)
            weights = np.minimum(_MOST_WEIGHT, weights.take(new))
            self.weights = np.insert(self.weights, at, weights)

    def _refine(
        self, rows: NDArray[np.intp], means: NDArray[np.float32], weights: NDArray[np.float32]
    ) -> None:
        """Means (K, 6) of known tiles, seen again with these weights (K,)."""
        total = self.weights.take(rows) + weights
        share = (weights / total)[:, None]
        for column, mean in ((self.points, means[:, :3]), (self.normals, means[:, 3:])):
            old = column.take(rows, axis=0)
            column[rows] = old + share * (mean - old)
        self.weights[rows] = np.minimum(_MOST_WEIGHT, total)

    def _thin_out(self) -> None:
        """Forget those of which least was seen."""
        count = int(_KEPT_SHARE * MOST_TILES)
        _log.info("more than %d tiles of floor and walls: %d are kept", MOST_TILES, count)
        kept = np.sort(np.argpartition(self.weights, -count)[-count:])
        self.keys, self.weights = self.keys[kept], self.weights[kept]
        self.points, self.normals = self.points[kept], self.normals[kept]


def _facing(normals: NDArray[np.float32]) -> NDArray[np.int64]:
    """UP, DOWN or a sector for each normal (N, 3); -1 for slanting ones."""
    z = normals[:, 2]
    angle = np.arctan2(normals[:, 1], normals[:, 0])
    sector = np.round(angle * (_SECTORS / (2.0 * np.pi))).astype(np.int64) % _SECTORS
    facing = np.where(np.abs(z) < _UPRIGHT_SINE, _AROUND + sector, -1)
    facing[z > _LEVEL_COSINE] = UP
    facing[z < -_LEVEL_COSINE] = DOWN
    return facing


def _keys(points: NDArray[np.float32], facing: NDArray[np.int64]) -> NDArray[np.int64]:
    x, y, z = np.floor(points.T * np.float32(1.0 / TILE_M)).astype(np.int64) + _ORIGIN
    return np.asarray((((x << _BITS | y) << _BITS | z) << _FACING_BITS) | facing)
