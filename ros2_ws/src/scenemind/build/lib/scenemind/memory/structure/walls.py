"""Walls: upright planes by votes, first for a direction, then for an offset along it.

This is Hough's transform in two steps. A normal measured 3 degrees wrong moves an offset by a
quarter of a metre 5 m from the origin, therefore offsets are taken along the direction that many
tiles agree on. Of the flat upright stretches that are found, copies, fronts of furniture and low
ones are left out, and a wall ends where a partition meets it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.structure.planes import THICKNESS_M, FoundPlane, seen_m2
from scenemind.memory.structure.tiles import DOWN, TILE_M, UP, Tiles

_YAW_BINS = 120  # of 3 degrees
_YAW_SMOOTH_BINS = 1.5
_OFFSET_BIN_M = 0.025
_OFFSET_SMOOTH_BINS = 1.5
_SAME_YAW_RAD = np.deg2rad(15.0)
_WITHIN_M = 0.08  # of a plane: what belongs to it
_NEAR_M = 0.5  # what may belong to it when its direction is refined
_LEAST_TILES = 60  # of a wall: 0.6 m2
_GAP_M = 1.2  # along a wall: wider than a door
_LEAST_FIT_LENGTH_M = 0.8  # of a face whose own direction is better than the common one
_LEAST_COLUMN = 2  # tiles of the ends' columns
_MOST_DIRECTIONS = 24


@dataclass(frozen=True, slots=True, eq=False)
class WallFace:
    """A stretch of upright plane.

    Attributes:
        yaw: direction of the horizontal normal into the room, radians.
        offset_m: of the plane from the origin along the normal.
        along_m: where it begins and ends, along the normal turned left by 90 degrees.
        covered_m: the part of that length that is seen at some height.
        height_z: where it begins and ends, world z.
        tiles: (K,) indices of the tiles on it.
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
    `_LEAST_TILES`."""
    yaw = np.arctan2(normals[:, 1], normals[:, 0]).astype(np.float64)
    places = points.astype(np.float64)
    faces = []
    for direction in _directions(yaw):
        alike = np.flatnonzero(np.abs(_wrapped_angle_rad(yaw - direction)) < _SAME_YAW_RAD)
        offsets = places[alike, :2] @ (np.cos(direction), np.sin(direction))
        for offset in _peaks(offsets):
            off_m = np.abs(offsets - offset)
            on_plane, near = alike[off_m < _WITHIN_M], alike[off_m < _NEAR_M]
            for stretch in _stretches(places[on_plane], direction):
                face = _fitted(on_plane[stretch], places, near, direction)
                if face is not None:
                    faces.append(face)
    return faces


def _wrapped_angle_rad(angle: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """The angle wrapped to [-pi, pi]."""
    return np.asarray(angle - 2.0 * np.pi * np.rint(np.asarray(angle) / (2.0 * np.pi)))


def _directions(yaw: NDArray[np.float64]) -> Iterator[float]:
    """Yaws that many tiles share, the commonest first."""
    left = yaw
    for _ in range(_MOST_DIRECTIONS):
        bins = ((left + np.pi) * (_YAW_BINS / (2.0 * np.pi))).astype(np.int64) % _YAW_BINS
        votes = np.bincount(bins, minlength=_YAW_BINS).astype(np.float64)
        best = int(np.argmax(scipy.ndimage.gaussian_filter1d(votes, _YAW_SMOOTH_BINS, mode="wrap")))
        direction = (best + 0.5) * 2.0 * np.pi / _YAW_BINS - np.pi
        for width in (_SAME_YAW_RAD, _SAME_YAW_RAD / 2.0):
            off = _wrapped_angle_rad(left - direction)
            near = np.abs(off) < width
            if np.count_nonzero(near) < _LEAST_TILES:
                return
            direction += float(np.median(off[near]))
        yield float(_wrapped_angle_rad(direction))
        left = left[np.abs(_wrapped_angle_rad(left - direction)) >= _SAME_YAW_RAD]


def _peaks(offsets: NDArray[np.float64]) -> list[float]:
    """Offsets (N,) metres at which many lie, at least twice `_WITHIN_M` apart."""
    if len(offsets) < _LEAST_TILES:
        return []
    low = float(offsets.min()) - 5 * _OFFSET_BIN_M
    bins = ((offsets - low) / _OFFSET_BIN_M).astype(np.int64)
    votes = scipy.ndimage.gaussian_filter1d(
        np.bincount(bins).astype(np.float64), _OFFSET_SMOOTH_BINS
    )
    found: list[float] = []
    for best in np.argsort(-votes, kind="stable").tolist():
        offset = low + (best + 0.5) * _OFFSET_BIN_M
        if votes[best] * 4.0 * _OFFSET_SMOOTH_BINS < _LEAST_TILES:
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
        if len(stretch) >= _LEAST_TILES:
            yield stretch


def _fitted(
    tiles: NDArray[np.intp], points: NDArray[np.float64], near: NDArray[np.intp], yaw: float
) -> WallFace | None:
    """The plane fitted to tiles and to those near them; None with too few."""
    for _ in range(2):
        middle, yaw, length_m = _line_through(points[tiles, :2], yaw)
        normal, direction = _axes(yaw)
        apart = points[near, :2] - middle
        beside = np.abs(apart @ direction) < length_m / 2.0 + _GAP_M
        tiles = near[beside & (np.abs(apart @ normal) < _WITHIN_M)]
        if len(tiles) < _LEAST_TILES:
            return None
    stretches = list(_stretches(points[tiles], yaw))
    if not stretches:
        return None
    tiles = tiles[max(stretches, key=len)]
    return _face_through(tiles, points[tiles], yaw)


def _line_through(
    places: NDArray[np.float64], yaw: float
) -> tuple[NDArray[np.float64], float, float]:
    """Middle (2,), yaw of the normal and length of the line along places (K, 2).

    Args:
        yaw: approximate, of the normal; kept for a line that is too short to measure it.
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
    turned = float(_wrapped_angle_rad(yaw - np.arctan(slope)))
    return offset * normal + middle * direction, turned, high - low


def _face_through(tiles: NDArray[np.intp], points: NDArray[np.float64], yaw: float) -> WallFace:
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
    """The range from the first to the last tile that has neighbours."""
    cells = np.floor(values / TILE_M).astype(np.int64)
    cells -= cells.min()
    counts = np.bincount(cells)
    filled = np.flatnonzero(counts >= min(_LEAST_COLUMN, counts.max()))
    low, high = values[cells == filled[0]].min(), values[cells == filled[-1]].max()
    return float(low) - TILE_M / 2.0, float(high) + TILE_M / 2.0


def _axes(yaw: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([c, s]), np.array([-s, c])


@dataclass(frozen=True, slots=True, eq=False)
class _FacePairs:
    """Matrices (F, F) of F faces: relation of the row's face to the column's.

    Attributes:
        parallel: they face the same way, within 15 degrees.
        before_m: distance of the row's middle in front of the column's plane.
        overlap_m: shared length along the column's face; below 0: the gap between them.
    """

    parallel: NDArray[np.bool_]
    before_m: NDArray[np.float64]
    overlap_m: NDArray[np.float64]


def _compare_faces(faces: Sequence[WallFace]) -> _FacePairs:
    """Relations of all pairs among one or more faces."""
    yaw = np.array([face.yaw for face in faces])
    normals = np.array([face.normal for face in faces])
    directions = np.array([face.direction for face in faces])
    middles = np.array([face.middle for face in faces])
    low, high = np.array([face.along_m for face in faces]).T
    half = ((high - low) / 2.0)[:, None]
    along = middles @ directions.T
    return _FacePairs(
        np.abs(_wrapped_angle_rad(yaw[:, None] - yaw)) < _SAME_YAW_RAD,
        middles @ normals.T - np.array([face.offset_m for face in faces]),
        np.minimum(high, along + half) - np.maximum(low, along - half),
    )


_LEAST_COVERED_M = 1.5  # of a partition: the side of a wardrobe is shorter
_MOST_COSINE = 0.5  # between both normals: it stands within 30 degrees of upright on the wall
_MEETS_M = 0.35  # from its near end to the wall
_INTO_ROOM_M = 1.0  # so far it reaches into the room
_FROM_END_M = 0.5  # of the wall, where its own neighbours meet it


def _cut_at_partitions(
    faces: list[WallFace], partitions: list[WallFace], points: NDArray[np.floating]
) -> list[WallFace]:
    """The faces, each in as many parts as partitions make of it.

    Args:
        partitions: what may be one; the shorter ones are none.
        points: (N, 3) the tiles that the faces name.
    """
    long = [face for face in partitions if face.covered_m >= _LEAST_COVERED_M]
    if not long:
        return faces
    normals = np.array([partition.normal for partition in long])
    ends = np.array([partition.ends for partition in long])
    return [part for face in faces for part in _cut_face(face, _cuts(face, normals, ends), points)]


def _cut_face(
    face: WallFace, cuts: NDArray[np.float64], points: NDArray[np.floating]
) -> Iterator[WallFace]:
    if len(cuts) == 0:
        yield face
        return
    part = np.searchsorted(cuts, points[face.tiles, :2] @ face.direction)
    for number in range(len(cuts) + 1):
        tiles = face.tiles[part == number]
        if len(tiles) >= _LEAST_TILES:
            yield _face_through(tiles, points[tiles].astype(np.float64), face.yaw)


def _cuts(
    face: WallFace, normals: NDArray[np.float64], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Positions along the face where partitions meet it, by normals (P, 2) and ends (P, 2, 2)."""
    before_m = ends @ face.normal - face.offset_m
    meets = np.abs(normals @ face.normal) < _MOST_COSINE
    meets &= (before_m.min(axis=1) < _MEETS_M) & (before_m.max(axis=1) > _INTO_ROOM_M)
    start_m, end_m = before_m[meets].T
    share = start_m / (start_m - end_m)
    along = ends[meets] @ face.direction
    cuts = np.sort(along[:, 0] + share * (along[:, 1] - along[:, 0]))
    low, high = face.along_m
    return np.asarray(cuts[(cuts > low + _FROM_END_M) & (cuts < high - _FROM_END_M)])


_LEAST_LENGTH_M = 0.8
_LEAST_M2 = 0.8
# A wall is seen to a height that little furniture has, from however low down.
_LEAST_TOP_M, _LEAST_HEIGHT_M = 1.3, 1.0
# Between the highest (lowest) tile and the ceiling (floor) that the wall is taken to reach.
_TO_CEILING_M, _TO_FLOOR_M = 0.8, 1.2
_SAME_OFFSET_M = 0.15
# The front of a thing at a wall stands this far before it at most.
_FRONT_DEPTH_M = 1.0
# For a front that hides the wall behind it: the largest gap to the end of the wall beside it, the
# least by which the wall is higher, and the largest length of furniture.
_BESIDE_FRONT_M, _OVER_FRONT_M, _FRONT_LENGTH_M = 0.2, 0.1, 2.5


def find_walls(tiles: Tiles, floor_z: float | None, ceiling_z: float | None) -> list[FoundPlane]:
    """The walls that were seen, of all directions; those of the longest planes first."""
    upright = np.flatnonzero((tiles.facing != UP) & (tiles.facing != DOWN))
    points = tiles.points[upright]
    flat = wall_faces(points, tiles.normals[upright])
    tall = sorted((f for f in flat if _is_tall(f, floor_z)), key=lambda face: -face.length_m)
    whole = _without_copies(tall)
    parts = _cut_at_partitions(whole, _without_fronts(whole), points)
    faces = [face for face in parts if _is_tall(face, floor_z)]
    walls = []
    for face in _without_fronts(faces):
        area = seen_m2(points[face.tiles], (*face.normal, 0.0))
        if area >= _LEAST_M2:
            walls.append(_surface(face, area, floor_z, ceiling_z))
    return walls


def _is_tall(face: WallFace, floor_z: float | None) -> bool:
    low, high = face.height_z
    return (
        face.length_m >= _LEAST_LENGTH_M
        and high - low >= _LEAST_HEIGHT_M
        and (floor_z is None or high - floor_z >= _LEAST_TOP_M)
    )


def _without_copies(faces: list[WallFace]) -> list[WallFace]:
    """The faces without copies of longer ones, which odometry drift and double detection cause.

    Args:
        faces: the longest first.
    """
    if not faces:
        return []
    pairs = _compare_faces(faces)
    length_m = np.array([face.length_m for face in faces])[:, None]
    copy = pairs.parallel & (np.abs(pairs.before_m) < _SAME_OFFSET_M)
    copy &= pairs.overlap_m > 0.5 * length_m
    return [face for face, row in zip(faces, np.tril(copy, -1), strict=True) if not row.any()]


def _without_fronts(faces: list[WallFace]) -> list[WallFace]:
    """The faces without fronts of furniture that stands at a wall."""
    if not faces:
        return []
    pairs = _compare_faces(faces)
    length_m, covered_m, top_z = (
        np.array(values)[:, None]
        for values in zip(*((f.length_m, f.covered_m, f.height_z[1]) for f in faces), strict=True)
    )
    before = pairs.parallel & (pairs.before_m >= _SAME_OFFSET_M)
    before &= pairs.before_m < _FRONT_DEPTH_M
    beside = (pairs.overlap_m > -_BESIDE_FRONT_M) & (covered_m < _FRONT_LENGTH_M)
    beside &= top_z < top_z.T - _OVER_FRONT_M
    front = before & (beside | (pairs.overlap_m > 0.5 * length_m))
    return [face for face, row in zip(faces, front, strict=True) if not row.any()]


def _surface(
    face: WallFace, area: float, floor_z: float | None, ceiling_z: float | None
) -> FoundPlane:
    low, high = face.height_z
    if floor_z is not None and abs(low - floor_z) < _TO_FLOOR_M:
        low = floor_z
    if ceiling_z is not None and abs(ceiling_z - high) < _TO_CEILING_M:
        high = ceiling_z
    x, y = (float(value) for value in face.middle)
    return FoundPlane(
        "wall",
        Box3D((x, y, (low + high) / 2.0), (face.length_m, THICKNESS_M, high - low), _along(face)),
        (math.cos(face.yaw), math.sin(face.yaw), 0.0),
        area,
    )


def _along(face: WallFace) -> float:
    """Yaw of the wall's long side, in (-90, 90] degrees: of a line and not of an arrow."""
    yaw = float(_wrapped_angle_rad(face.yaw + math.pi / 2.0))
    if yaw > math.pi / 2.0:
        return yaw - math.pi
    return yaw + math.pi if yaw <= -math.pi / 2.0 else yaw
