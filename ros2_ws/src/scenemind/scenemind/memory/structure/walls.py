"""Which flat upright stretches are walls."""

from __future__ import annotations

import math

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory.structure.surface import THICKNESS_M, Surface, seen_m2
from scenemind.memory.structure.tiles import DOWN, UP, Tiles
from scenemind.memory.structure.wall_faces import WallFace, turn_rad, wall_faces

_LEAST_LENGTH_M = 0.8
_LEAST_M2 = 0.8
# A wall is seen to a height that little furniture has, from however low down.
_LEAST_TOP_M, _LEAST_HEIGHT_M = 1.3, 1.0
# Between the highest (lowest) tile and the ceiling (floor) that the wall is taken to reach.
_TO_CEILING_M, _TO_FLOOR_M = 0.8, 1.2
_SAME_YAW_RAD = np.deg2rad(15.0)
_SAME_OFFSET_M = 0.15
# The front of a thing at a wall stands this far before it at most.
_FRONT_DEPTH_M = 1.0
# Where nothing is seen of the wall behind it: how far beside it the wall ends, how much higher it
# is, and how long furniture is.
_BESIDE_FRONT_M, _OVER_FRONT_M, _FRONT_LENGTH_M = 0.2, 0.1, 2.5


def find_walls(tiles: Tiles, floor_z: float | None, ceiling_z: float | None) -> list[Surface]:
    """The walls that were seen, the longest first."""
    upright = np.flatnonzero((tiles.facing != UP) & (tiles.facing != DOWN))
    points = tiles.points[upright]
    tall = [f for f in wall_faces(points, tiles.normals[upright]) if _is_tall(f, floor_z)]
    tall.sort(key=lambda face: -face.length_m)
    faces = [f for n, f in enumerate(tall) if not any(_is_copy(f, longer) for longer in tall[:n])]
    walls = []
    for face in faces:
        area = seen_m2(points[face.tiles], (*face.normal, 0.0))
        if area >= _LEAST_M2 and not any(_is_front(face, other) for other in faces):
            walls.append(_surface(face, area, floor_z, ceiling_z))
    return walls


def _is_tall(face: WallFace, floor_z: float | None) -> bool:
    low, high = face.height_z
    return (
        face.length_m >= _LEAST_LENGTH_M
        and high - low >= _LEAST_HEIGHT_M
        and (floor_z is None or high - floor_z >= _LEAST_TOP_M)
    )


def _is_copy(face: WallFace, longer: WallFace) -> bool:
    """Both are the same plane: found twice, or once more where odometry had drifted."""
    return (
        _is_parallel(face, longer)
        and abs(_before_m(face, longer)) < _SAME_OFFSET_M
        and _overlap_m(face, longer) > 0.5 * face.length_m
    )


def _is_front(face: WallFace, wall: WallFace) -> bool:
    """It is the front of something that stands at the wall."""
    if not _is_parallel(face, wall):
        return False
    if not _SAME_OFFSET_M <= _before_m(face, wall) < _FRONT_DEPTH_M:
        return False
    overlap_m = _overlap_m(face, wall)
    if overlap_m > 0.5 * face.length_m:
        return True
    is_lower = face.height_z[1] < wall.height_z[1] - _OVER_FRONT_M
    return is_lower and face.covered_m < _FRONT_LENGTH_M and overlap_m > -_BESIDE_FRONT_M


def _is_parallel(a: WallFace, b: WallFace) -> bool:
    return abs(float(turn_rad(a.yaw - b.yaw))) < _SAME_YAW_RAD


def _before_m(face: WallFace, other: WallFace) -> float:
    """How far the face's middle is in front of the other plane."""
    return float(face.middle @ other.normal) - other.offset_m


def _overlap_m(face: WallFace, other: WallFace) -> float:
    """Length of the face along the other one; below 0: the gap between them."""
    middle, half = float(face.middle @ other.direction), face.length_m / 2.0
    low, high = other.along_m
    return min(high, middle + half) - max(low, middle - half)


def _surface(
    face: WallFace, area: float, floor_z: float | None, ceiling_z: float | None
) -> Surface:
    low, high = face.height_z
    if floor_z is not None and abs(low - floor_z) < _TO_FLOOR_M:
        low = floor_z
    if ceiling_z is not None and abs(ceiling_z - high) < _TO_CEILING_M:
        high = ceiling_z
    x, y = (float(value) for value in face.middle)
    return Surface(
        "wall",
        Box3D((x, y, (low + high) / 2.0), (face.length_m, THICKNESS_M, high - low), _along(face)),
        (math.cos(face.yaw), math.sin(face.yaw), 0.0),
        area,
    )


def _along(face: WallFace) -> float:
    """Yaw of the wall's long side, in (-90, 90] degrees: of a line and not of an arrow."""
    yaw = float(turn_rad(face.yaw + math.pi / 2.0))
    if yaw > math.pi / 2.0:
        return yaw - math.pi
    return yaw + math.pi if yaw <= -math.pi / 2.0 else yaw
