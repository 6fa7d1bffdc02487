"""Tiles: a bounded number of samples of the upright and level surfaces that the camera has seen.

A plane is affine in inverse depth over the pixels: 1/z = a (u - cx) + b (v - cy) + c. Means over
cells of pixels therefore take out noise and keep the plane, the normal follows from a
least-squares fit to three by three cells, and one residual separates planes from edges and curves.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig
from scenemind.frames import RGBDFrame
from scenemind.memory.frame_corrections import FrameCorrections

FARTHEST_M = 6.0  # noise grows with the square of the distance
_COLUMNS = 64  # cells across the image
_PIXELS_ACROSS = 320  # used columns of the image: more hardly improve the mean of a cell
_MEASURED_SHARE = 0.6  # of a cell's pixels
# Largest RMS deviation of a plane's nine cells. The noise of triangulating cameras is uniform in
# inverse depth, that of time-of-flight cameras in depth.
_RESIDUAL_1M_M = 0.0015
_RESIDUAL_M = 0.01
_LEAST_COSINE = 0.1  # a surface seen at a smaller angle than 6 degrees
_RAMP = np.array([-1.0, 0.0, 1.0])
_FLAT = np.ones(3)
_BORDER = cv2.BORDER_CONSTANT


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceSamples:
    """Columns of equal length.

    Attributes:
        points: (N, 3) float32, world, metres.
        normals: (N, 3) float32, unit, world, towards the camera.
        weights: (N,) float32 in (0, 1]: near ones are measured better.
    """

    points: NDArray[np.float32]
    normals: NDArray[np.float32]
    weights: NDArray[np.float32]


def sample_surfaces(frame: RGBDFrame, depth: DepthConfig) -> SurfaceSamples:
    """Samples of the flat surfaces in a frame, about 3,000 at most.

    Args:
        depth: the range that counts as measured.
    """
    camera = frame.camera
    every, side = _grid(camera.width)
    range_m = (depth.min_m, min(depth.max_m, FARTHEST_M))
    inverse, enough = _cells(frame.depth_m, range_m, every, side)
    slope_u, slope_v, mean, residual = _fit(inverse, every * side)
    good = cv2.erode(enough, np.ones((3, 3), np.uint8), borderType=_BORDER, borderValue=0) > 0
    allowed = np.maximum(_RESIDUAL_1M_M, _RESIDUAL_M * mean * mean)
    good &= residual < allowed
    cells = np.flatnonzero(good)
    row, column = np.divmod(cells, good.shape[1])
    a, b, value = slope_u.take(cells), slope_v.take(cells), mean.take(cells)
    # A cell's centre is the mean of the pixels that are looked at.
    x, y = (every * (side * index + (side - 1) / 2.0) for index in (column, row))
    x, y = x - camera.cx, y - camera.cy
    # n . X = 1 for points X of the plane, so -n faces the camera and 1 / |n| is its distance.
    n = np.stack((camera.fx * a, camera.fy * b, value - a * x - b * y))
    points = np.stack((x / camera.fx, y / camera.fy, np.ones(len(x)))) / value
    length = np.sqrt((n * n).sum(axis=0))
    seen = length * np.sqrt((points * points).sum(axis=0)) < 1.0 / _LEAST_COSINE
    pose = frame.world_T_camera
    return SurfaceSamples(
        pose.transform(points.T[seen]).astype(np.float32),
        ((-n / length).T[seen] @ pose.rotation.T).astype(np.float32),
        np.minimum(1.0, value[seen] ** 2).astype(np.float32),
    )


def _grid(width: int) -> tuple[int, int]:
    """The step between used pixels, and the side of a cell in used pixels."""
    every = max(1, width // _PIXELS_ACROSS)
    return every, max(1, width // every // _COLUMNS)


def _cells(
    depth_m: NDArray[np.float32], range_m: tuple[float, float], every: int, side: int
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Mean inverse depth of the cells (rows, columns), and 1 where enough was measured."""
    height, width = depth_m.shape
    rows, columns = max(1, height // every // side), max(1, width // every // side)
    depth_m = depth_m[: rows * side * every : every, : columns * side * every : every]
    in_range = (depth_m >= range_m[0]) & (depth_m <= range_m[1])  # NaN is not
    measured = in_range.astype(np.float32)
    inverse = np.divide(measured, depth_m, out=np.zeros_like(measured), where=in_range)
    share = cv2.resize(measured, (columns, rows), interpolation=cv2.INTER_AREA)
    total = cv2.resize(inverse, (columns, rows), interpolation=cv2.INTER_AREA)
    enough = share >= _MEASURED_SHARE
    mean = np.divide(total, share, out=np.zeros_like(total), where=enough)
    return mean.astype(np.float64), enough.astype(np.uint8)


def _fit(inverse: NDArray[np.float64], step_px: int) -> tuple[NDArray[np.float64], ...]:
    """Planes through 3x3 cells, by their middle one: slopes per pixel to the right and down, value
    and residual (rows, columns)."""
    along_u = cv2.sepFilter2D(inverse, -1, _RAMP, _FLAT, borderType=_BORDER) / 6.0
    along_v = cv2.sepFilter2D(inverse, -1, _FLAT, _RAMP, borderType=_BORDER) / 6.0
    mean = cv2.boxFilter(inverse, -1, (3, 3), borderType=_BORDER)
    squares = cv2.boxFilter(inverse * inverse, -1, (3, 3), borderType=_BORDER)
    by_slope = (along_u * along_u + along_v * along_v) * (6.0 / 9.0)
    residual = np.sqrt(np.maximum(0.0, squares - mean * mean - by_slope))
    return along_u / step_px, along_v / step_px, mean, residual


_log = logging.getLogger(__name__)
TILE_M = 0.1
MOST_TILES = 60_000  # of 44 bytes
_KEPT_SHARE = 0.75  # when there are more
# A tile's mean forgets: it follows what was seen last where odometry drifts.
_MOST_WEIGHT = 20.0
# Within about 20 degrees of level or upright, as building surfaces are measured.
_LEVEL_COSINE, _UPRIGHT_SINE = 0.94, 0.34
# Facing of a tile: up, down, or one of eight sectors around, which makes the two faces of a thin
# wall two tiles.
UP, DOWN, _AROUND = 0, 1, 2
_SECTORS = 8
_BITS, _FACING_BITS = 19, 4  # of a key: 26 km each way
# Level tiles that tell how a frame is tilted: their number, how far away they are, their weight.
_LEAST_LEVEL, _LEAST_AWAY_M, _LEAST_WEIGHT = 20, 0.5, 2.0
_SPAN_BITS = 32  # of the number of a frame
_INDEX, _ORIGIN = (1 << _BITS) - 1, 1 << (_BITS - 1)


class Tiles:
    """Tiles as columns in the order of the keys. Not thread-safe: its owner holds a lock.

    Attributes:
        keys: (N,) int64: voxel and facing.
        points: (N, 3) float32, world, metres: weighted means.
        normals: (N, 3) float32, world: weighted means, about unit length.
        weights: (N,) float32: sums of sample weights, bounded.
        frames: (N, 2) int32: numbers of the first and the last frames that showed them, with the
            mean of which they move when poses are corrected.
    """

    def __init__(self) -> None:
        self.keys = np.zeros(0, np.int64)
        self.points = np.zeros((0, 3), np.float32)
        self.normals = np.zeros((0, 3), np.float32)
        self.weights = np.zeros(0, np.float32)
        self.frames = np.zeros((0, 2), np.int32)

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

    def add(
        self, samples: SurfaceSamples, number: int, viewer: NDArray[np.float64] | None = None
    ) -> float | None:
        """Fuse the samples of one frame, by its number; slanting surfaces are left out.

        Args:
            viewer: (3,), place of the camera, world, metres.

        Returns:
            By how much the frame looks tilted: what its level surfaces are higher than the tiles
            there, per metre of way to them; None: it shows too few of them again, or no viewer.
        """
        facing = _facing(samples.normals)
        kept = np.flatnonzero(facing >= 0)
        keys = _keys(samples.points.take(kept, axis=0), facing.take(kept))
        if len(keys) == 0:
            return None
        order = keys.argsort()
        keys, rows = keys.take(order), kept.take(order)
        starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        weights = samples.weights.take(rows)
        values = np.hstack((samples.points.take(rows, axis=0), samples.normals.take(rows, axis=0)))
        values *= weights[:, None]
        sums = np.add.reduceat(values, starts)
        keys, weights = keys.take(starts), np.add.reduceat(weights, starts)
        tilt = None if viewer is None else self._tilt(keys, sums[:, 2] / weights, viewer)
        self._fuse(keys, sums, weights, number)
        if len(self) > MOST_TILES:
            self._thin_out()
        return tilt

    def _tilt(
        self, keys: NDArray[np.int64], heights: NDArray[np.floating], viewer: NDArray[np.float64]
    ) -> float | None:
        """See `add`."""
        level = (keys & ((1 << _FACING_BITS) - 1)) == UP
        keys, heights = keys[level], heights[level]
        at = np.searchsorted(self.keys, keys)
        known = self.keys.take(at, mode="clip") == keys if len(self) else np.zeros(len(keys), bool)
        rows, heights = at[known], heights[known]
        points = self.points.take(rows, axis=0)
        away_m = np.hypot(*(points[:, :2] - viewer[:2]).T)
        told = (away_m > _LEAST_AWAY_M) & (self.weights.take(rows) >= _LEAST_WEIGHT)
        if np.count_nonzero(told) < _LEAST_LEVEL:
            return None
        return float(np.median((heights[told] - points[told, 2]) / away_m[told]))

    def corrected(self, corrections: FrameCorrections) -> Tiles:
        """The tiles moved as their frames; those that come to lie in one become one."""
        first, last = self.frames.T.astype(np.int64)
        spans, own = np.unique(first << _SPAN_BITS | last, return_inverse=True)
        by_span = corrections.of_stretches(spans >> _SPAN_BITS, spans & (1 << _SPAN_BITS) - 1)
        matrices = by_span.astype(np.float32)[own]
        points = np.einsum("nij,nj->ni", matrices[:, :3, :3], self.points) + matrices[:, :3, 3]
        normals = np.einsum("nij,nj->ni", matrices[:, :3, :3], self.normals)
        return _tiles_of(points, normals, self.weights, self.frames)

    def joined(self, other: Tiles) -> Tiles:
        """These tiles and others of the same world."""
        both = _tiles_of(
            np.concatenate((self.points, other.points)),
            np.concatenate((self.normals, other.normals)),
            np.concatenate((self.weights, other.weights)),
            np.concatenate((self.frames, other.frames)),
        )
        if len(both) > MOST_TILES:
            both._thin_out()
        return both

    def _fuse(
        self,
        keys: NDArray[np.int64],
        sums: NDArray[np.float32],
        weights: NDArray[np.float32],
        number: int,
    ) -> None:
        at = np.searchsorted(self.keys, keys)
        means = sums / weights[:, None]
        known = np.zeros(len(keys), bool)
        if len(self):
            known = self.keys.take(at, mode="clip") == keys
            self._refine(at[known], means[known], weights[known], number)
        new = np.flatnonzero(~known)
        if len(new):
            at, means = at.take(new), means.take(new, axis=0)
            self.keys = np.insert(self.keys, at, keys.take(new))
            self.points = np.insert(self.points, at, means[:, :3], axis=0)
            self.normals = np.insert(self.normals, at, means[:, 3:], axis=0)
            weights = np.minimum(_MOST_WEIGHT, weights.take(new))
            self.weights = np.insert(self.weights, at, weights)
            self.frames = np.insert(self.frames, at, np.int32(number), axis=0)

    def _refine(
        self,
        rows: NDArray[np.intp],
        means: NDArray[np.float32],
        weights: NDArray[np.float32],
        number: int,
    ) -> None:
        """Means (K, 6) of known tiles, seen again with these weights (K,)."""
        total = self.weights.take(rows) + weights
        share = (weights / total)[:, None]
        for column, mean in ((self.points, means[:, :3]), (self.normals, means[:, 3:])):
            old = column.take(rows, axis=0)
            column[rows] = old + share * (mean - old)
        self.weights[rows] = np.minimum(_MOST_WEIGHT, total)
        # What a mean forgets is of its first frames.
        frames, forgotten = self.frames[rows], 1.0 - _MOST_WEIGHT / np.maximum(total, _MOST_WEIGHT)
        frames[:, 0] += ((number - frames[:, 0]) * forgotten).astype(np.int32)
        frames[:, 1] = number
        self.frames[rows] = frames

    def _thin_out(self) -> None:
        """Drop the tiles of least weight."""
        count = int(_KEPT_SHARE * MOST_TILES)
        _log.info("more than %d tiles of floor and walls: %d are kept", MOST_TILES, count)
        kept = np.sort(np.argpartition(self.weights, -count)[-count:])
        self.keys, self.weights = self.keys[kept], self.weights[kept]
        self.points, self.normals = self.points[kept], self.normals[kept]
        self.frames = self.frames[kept]


def _tiles_of(
    points: NDArray[np.float32],
    normals: NDArray[np.float32],
    weights: NDArray[np.float32],
    frames: NDArray[np.int32],
) -> Tiles:
    """Tiles of samples (N, ...); those that lie in one become one, slanting ones are left out."""
    facing = _facing(normals)
    kept = np.flatnonzero(facing >= 0)
    keys = _keys(points[kept], facing[kept])
    order = kept[keys.argsort(kind="stable")]
    keys = np.sort(keys, kind="stable")
    moved = Tiles()
    if not len(keys):
        return moved
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    weights = weights[order]
    total = np.add.reduceat(weights, starts)
    moved.keys = keys[starts]
    values = np.hstack((points, normals)).astype(np.float32)[order] * weights[:, None]
    means = (np.add.reduceat(values, starts) / total[:, None]).astype(np.float32)
    moved.points, moved.normals = means[:, :3].copy(), means[:, 3:].copy()
    moved.weights = np.minimum(_MOST_WEIGHT, total)
    first, last = frames[order].T
    moved.frames = np.stack(
        (np.minimum.reduceat(first, starts), np.maximum.reduceat(last, starts)), axis=1
    )
    return moved


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
