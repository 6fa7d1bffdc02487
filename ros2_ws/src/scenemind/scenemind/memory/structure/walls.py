"""Which flat upright stretches are walls."""

from __future__ import annotations

import math

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory.structure.found_plane import THICKNESS_M, FoundPlane, seen_m2
from scenemind.memory.structure.partitions import cut_at_partitions
from scenemind.memory.structure.tiles import DOWN, UP, Tiles
from scenemind.memory.structure.wall_faces import WallFace, turn_rad, wall_faces
from scenemind.memory.structure.wall_pairs import pairs_of

_LEAST_LENGTH_M = 0.8
_LEAST_M2 = 0.8
# A wall is seen to a height that little furniture has, from however low down.
_LEAST_TOP_M, _LEAST_HEIGHT_M = 1.3, 1.0
# Between the highest (lowest) tile and the ceiling (floor) that the wall is taken to reach.
_TO_CEILING_M, _TO_FLOOR_M = 0.8, 1.2
_SAME_OFFSET_M = 0.15
# The front of a thing at a wall stands this far before it at most.
_FRONT_DEPTH_M = 1.0
# Where nothing is seen of the wall behind it: how far beside it the wall ends, how much higher it
# is, and how long furniture is.
_BESIDE_FRONT_M, _OVER_FRONT_M, _FRONT_LENGTH_M = 0.2, 0.1, 2.5


def find_walls(tiles: Tiles, floor_z: float | None, ceiling_z: float | None) -> list[FoundPlane]:
    """The walls that were seen, of all directions; those of the longest planes first."""
    upright = np.flatnonzero((tiles.facing != UP) & (tiles.facing != DOWN))
    points = tiles.points[upright]
    flat = wall_faces(points, tiles.normals[upright])
    tall = sorted((f for f in flat if _is_tall(f, floor_z)), key=lambda face: -face.length_m)
    whole = _without_copies(tall)
    parts = cut_at_partitions(whole, _without_fronts(whole), points)
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
    """Without what is a longer one's plane: found twice, or once more where odometry had drifted.

    Args:
        faces: the longest first.
    """
    if not faces:
        return []
    pairs = pairs_of(faces)
    length_m = np.array([face.length_m for face in faces])[:, None]
    copy = pairs.parallel & (np.abs(pairs.before_m) < _SAME_OFFSET_M)
    copy &= pairs.overlap_m > 0.5 * length_m
    return [face for face, row in zip(faces, np.tril(copy, -1), strict=True) if not row.any()]


def _without_fronts(faces: list[WallFace]) -> list[WallFace]:
    """Without the fronts of what stands at a wall."""
    if not faces:
        return []
    pairs = pairs_of(faces)
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
    yaw = float(turn_rad(face.yaw + math.pi / 2.0))
    if yaw > math.pi / 2.0:
        return yaw - math.pi
    return yaw + math.pi if yaw <= -math.pi / 2.0 else yaw
