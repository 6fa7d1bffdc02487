"""Planes as they are found, before they have ids; floor and ceiling by votes for heights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.structure.tiles import DOWN, TILE_M, UP, Tiles
from scenemind.memory.types import StructureKind

THICKNESS_M = 0.02  # of a plane's box: half of it before, half of it behind the surface


@dataclass(frozen=True, slots=True)
class FoundPlane:
    """A `StructurePlane` without an id."""

    kind: StructureKind
    box: Box3D
    normal: tuple[float, float, float]
    seen_m2: float


def seen_m2(points: NDArray[np.floating], normal: Sequence[float]) -> float:
    """Area of a plane that is covered by tiles at points (N, 3), by its normal (3,); m2.

    Each tile covers a square of the nearest grid plane, which is larger when projected along the
    normal. Tiles behind each other count once.
    """
    nearest = int(np.argmax(np.abs(normal)))
    a, b = np.delete(np.floor(points * (1.0 / TILE_M)).astype(np.int64), nearest, axis=1).T
    squares = len(np.unique((a << 32) + b))
    return float(squares * TILE_M**2 / abs(normal[nearest]))


_BIN_M = 0.02
_SMOOTH_BINS = 1.5
_WITHIN_M = 0.05  # of a level: what belongs to it
_LEAST_M2 = 0.5
# Least share of the largest level's area: table tops exceed it, noise below the floor does not.
_LEAST_SHARE = 0.2
# A level is no floor if this share of its tiles lies this far below it: a table of which only the
# top was seen has legs and a wall below it.
_BELOW_M, _BELOW_SHARE = 0.15, 0.3
_LEAST_ROOM_HEIGHT_M = 1.8
_TRIM = 0.005  # of the tiles at each end may lie beyond the box


def find_floor_z(tiles: Tiles) -> float | None:
    """Height of the floor: the lowest level of any size, unless much lies below it."""
    z = tiles.points[:, 2]
    up = tiles.facing == UP
    floor_z = _lowest_level(z[up], tiles.weights[up])
    if floor_z is None:
        return None
    own = np.count_nonzero(np.abs(z[up] - floor_z) < _WITHIN_M)
    below = np.count_nonzero(z < floor_z - _BELOW_M)
    return floor_z if below < _BELOW_SHARE * own else None


def find_ceiling_z(tiles: Tiles, floor_z: float) -> float | None:
    """Height of the ceiling: the highest level of any size that leaves room above the floor."""
    z = tiles.points[:, 2]
    down = (tiles.facing == DOWN) & (z > floor_z + _LEAST_ROOM_HEIGHT_M)
    mirrored = _lowest_level(-z[down], tiles.weights[down])
    return None if mirrored is None else -mirrored


def floor_plane(tiles: Tiles, floor_z: float, yaw: float) -> FoundPlane:
    """The rectangle of the floor, its sides along `yaw`, around what was seen of it."""
    box, area = _rectangle(tiles, UP, floor_z, yaw)
    return FoundPlane("floor", box, (0.0, 0.0, 1.0), area)


def ceiling_plane(tiles: Tiles, ceiling_z: float, yaw: float) -> FoundPlane:
    """The rectangle of the ceiling, likewise."""
    box, area = _rectangle(tiles, DOWN, ceiling_z, yaw)
    return FoundPlane("ceiling", box, (0.0, 0.0, -1.0), area)


def _lowest_level(z: NDArray[np.float32], weights: NDArray[np.float32]) -> float | None:
    """The lowest height where many of the tiles (N,) lie; their weighted mean there."""
    if len(z) * TILE_M**2 < _LEAST_M2:
        return None
    low = float(z.min()) - 5 * _BIN_M
    votes = np.bincount(((z - low) / _BIN_M).astype(np.int64)).astype(np.float64)
    votes = np.pad(votes, (0, 5))
    width = round(2 * _WITHIN_M / _BIN_M)
    level = np.convolve(
        scipy.ndimage.gaussian_filter1d(votes, _SMOOTH_BINS), np.ones(width), mode="same"
    )
    least = max(_LEAST_M2 / TILE_M**2, _LEAST_SHARE * level.max())
    peaks = (level[1:-1] >= level[:-2]) & (level[1:-1] > level[2:]) & (level[1:-1] >= least)
    if not peaks.any():
        return None
    height = low + (int(np.argmax(peaks)) + 1.5) * _BIN_M
    for _ in range(3):
        near = np.abs(z - height) < _WITHIN_M
        if not near.any():
            return None
        height = float(np.average(z[near], weights=weights[near]))
    return height


def _rectangle(tiles: Tiles, facing: int, height_z: float, yaw: float) -> tuple[Box3D, float]:
    own = (tiles.facing == facing) & (np.abs(tiles.points[:, 2] - height_z) < _WITHIN_M)
    c, s = np.cos(yaw), np.sin(yaw)
    turned = tiles.points[own, :2] @ np.array([(c, -s), (s, c)])
    low, high = np.quantile(turned, (_TRIM, 1.0 - _TRIM), axis=0)
    (x, y), size = (low + high) / 2.0, high - low + TILE_M
    center = (float(c * x - s * y), float(s * x + c * y), height_z)
    box = Box3D(center, (float(size[0]), float(size[1]), THICKNESS_M), yaw)
    return box, seen_m2(tiles.points[own], (0.0, 0.0, 1.0))
