"""Upright planes by votes: first for a direction, then for an offset along it.

As Hough's transform has it, but one after the other: a normal measured 3 degrees wrong moves an
offset by a quarter of a metre 5 m from the origin, so offsets are taken along the direction that
many tiles agree on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from scenemind.memory.structure.tiles import TILE_M

_YAW_BINS = 120  # of 3 degrees
_YAW_SMOOTH_BINS = 1.5
_OFFSET_BIN_M = 0.025
_OFFSET_SMOOTH_BINS = 1.5
_SAME_YAW_RAD = np.deg2rad(15.0)
_WITHIN_M = 0.08  # of a plane: what belongs to it
_NEAR_M = 0.5  # what may belong to it when its direction is refined
LEAST_TILES = 60  # of a wall: 0.6 m2
_GAP_M = 1.2  # along a wall: wider than a door
_LEAST_FIT_LENGTH_M = 0.8  # of a face that tells its own direction better than all together do
_LEAST_COLUMN = 2  # tiles of the ends' columns
_MOST_DIRECTIONS = 24


@dataclass(frozen=True, slots=True, eq=False)
class WallFace:
    """A stretch of upright plane.

    Attributes:
        yaw: direction of the horizontal normal into the room, radians.
        offset_m: of the plane from the origin along the normal.
        along_m: where it begins and ends, along the normal turned left by 90 degrees.
        covered_m: how much of that length is seen at some height.
        height_z: where it begins and ends, world z.
        tiles: (K,) which of the tiles lie on it.
    """

    yaw: float
    offset_m: float
    along_m: tuple[float, float]
    covered_m: float
    height_z: tuple[float, float]
    tiles: NDArray[np.intp]

    @property
    def length_m(self) -> float:
        return self.along_m[1] - self.along_m[0]

    @property
    def normal(self) -> NDArray[np.float64]:
        return np.array([np.cos(self.yaw), np.sin(self.yaw)])

    @property
    def direction(self) -> NDArray[np.float64]:
        return np.array([-np.sin(self.yaw), np.cos(self.yaw)])

    @property
    def middle(self) -> NDArray[np.float64]:
        """(2,): seen from above."""
        return np.asarray(self.ends.mean(axis=0))

    @property
    def ends(self) -> NDArray[np.float64]:
        """(2, 2): seen from above."""
        return self.offset_m * self.normal + np.outer(self.along_m, self.direction)


def wall_faces(points: NDArray[np.float32], normals: NDArray[np.float32]) -> list[WallFace]:
    """Flat stretches of any size among upright tiles (N, 3), (N, 3), with as few as
    `LEAST_TILES`."""
    yaw = np.arctan2(normals[:, 1], normals[:, 0]).astype(np.float64)
    places = points.astype(np.float64)
    faces = []
    for direction in _directions(yaw):
        alike = np.flatnonzero(np.abs(turn_rad(yaw - direction)) < _SAME_YAW_RAD)
        offsets = places[alike, :2] @ (np.cos(direction), np.sin(direction))
        for offset in _peaks(offsets):
            off_m = np.abs(offsets - offset)
            on_plane, near = alike[off_m < _WITHIN_M], alike[off_m < _NEAR_M]
            for stretch in _stretches(places[on_plane], direction):
                face = _fitted(on_plane[stretch], places, near, direction)
                if face is not None:
                    faces.append(face)
    return faces


def turn_rad(angle: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Into [-pi, pi]."""
    return np.asarray(angle - 2.0 * np.pi * np.rint(np.asarray(angle) / (2.0 * np.pi)))


def _directions(yaw: NDArray[np.float64]) -> Iterator[float]:
    """Yaws that many tiles share, the commonest first."""
    left = yaw
    for _ in range(_MOST_DIRECTIONS):
        bins = ((left + np.pi) * (_YAW_BINS / (2.0 * np.pi))).astype(np.int64) % _YAW_BINS
        votes = np.bincount(bins, minlength=_YAW_BINS).astype(np.float64)
        best = int(np.argmax(gaussian_filter1d(votes, _YAW_SMOOTH_BINS, mode="wrap")))
        direction = (best + 0.5) * 2.0 * np.pi / _YAW_BINS - np.pi
        for width in (_SAME_YAW_RAD, _SAME_YAW_RAD / 2.0):
            off = turn_rad(left - direction)
            near = np.abs(off) < width
            if np.count_nonzero(near) < LEAST_TILES:
                return
            direction += float(np.median(off[near]))
        yield float(turn_rad(direction))
        left = left[np.abs(turn_rad(left - direction)) >= _SAME_YAW_RAD]


def _peaks(offsets: NDArray[np.float64]) -> list[float]:
    """Offsets (N,) metres at which many lie, at least twice `_WITHIN_M` apart."""
    if len(offsets) < LEAST_TILES:
        return []
    low = float(offsets.min()) - 5 * _OFFSET_BIN_M
    bins = ((offsets - low) / _OFFSET_BIN_M).astype(np.int64)
    votes = gaussian_filter1d(np.bincount(bins).astype(np.float64), _OFFSET_SMOOTH_BINS)
    found: list[float] = []
    for best in np.argsort(-votes, kind="stable").tolist():
        offset = low + (best + 0.5) * _OFFSET_BIN_M
        if votes[best] * 4.0 * _OFFSET_SMOOTH_BINS < LEAST_TILES:
            break
        if all(abs(offset - other) > 2.0 * _WITHIN_M for other in found):
            found.append(offset)
    return found


def _stretches(points: NDArray[np.float64], yaw: float) -> Iterator[NDArray[np.intp]]:
    """Indices of the points (K, 3) of one plane between gaps along it."""
    along = points[:, :2] @ (-np.sin(yaw), np.cos(yaw))
    order = np.argsort(along, kind="stable")
    cuts = np.flatnonzero(np.diff(along[order]) > _GAP_M) + 1
    for stretch in np.split(order, cuts):
        if len(stretch) >= LEAST_TILES:
            yield stretch


def _fitted(
    tiles: NDArray[np.intp], points: NDArray[np.float64], near: NDArray[np.intp], yaw: float
) -> WallFace | None:
    """The plane through tiles, turned and moved to where they and those near them lie."""
    for _ in range(2):
        middle, yaw, length_m = _line_through(points[tiles, :2], yaw)
        normal, direction = _axes(yaw)
        apart = points[near, :2] - middle
        beside = np.abs(apart @ direction) < length_m / 2.0 + _GAP_M
        tiles = near[beside & (np.abs(apart @ normal) < _WITHIN_M)]
        if len(tiles) < LEAST_TILES:
            return None
    stretches = list(_stretches(points[tiles], yaw))
    if not stretches:
        return None
    tiles = tiles[max(stretches, key=len)]
    return face_through(tiles, points[tiles], yaw)


def _line_through(
    places: NDArray[np.float64], yaw: float
) -> tuple[NDArray[np.float64], float, float]:
    """Middle (2,), yaw of the normal and length of the line along places (K, 2).

    Args:
        yaw: of the normal, about; a line that is too short to tell keeps it.
    """
    normal, direction = _axes(yaw)
    along, offsets = places @ direction, places @ normal
    low, high = float(along.min()), float(along.max())
    middle = (low + high) / 2.0
    slope = 0.0
    if high - low > _LEAST_FIT_LENGTH_M:
        centered = along - along.mean()
        slope = float(centered @ offsets / (centered @ centered))
    offset = float(offsets.mean()) + slope * (middle - float(along.mean()))
    turned = float(turn_rad(yaw - np.arctan(slope)))
    return offset * normal + middle * direction, turned, high - low


def face_through(tiles: NDArray[np.intp], points: NDArray[np.float64], yaw: float) -> WallFace:
    """The stretch that tiles (K,) at points (K, 3) make up, its direction given."""
    normal, direction = _axes(yaw)
    along = points[:, :2] @ direction
    return WallFace(
        yaw,
        float(np.median(points[:, :2] @ normal)),
        _extent(along),
        TILE_M * len(np.unique(np.floor(along / TILE_M))),
        _extent(points[:, 2]),
        tiles,
    )


def _extent(values: NDArray[np.float64]) -> tuple[float, float]:
    """From the first to the last tile that is not alone."""
    cells = np.floor(values / TILE_M).astype(np.int64)
    cells -= cells.min()
    counts = np.bincount(cells)
    filled = np.flatnonzero(counts >= min(_LEAST_COLUMN, counts.max()))
    low, high = values[cells == filled[0]].min(), values[cells == filled[-1]].max()
    return float(low) - TILE_M / 2.0, float(high) + TILE_M / 2.0


def _axes(yaw: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([c, s]), np.array([-s, c])
