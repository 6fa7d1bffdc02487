"""Walls end where another wall meets them: of two rooms side by side each has its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.structure.wall_faces import LEAST_TILES, WallFace, face_through

_LEAST_COVERED_M = 1.5  # of a partition: the side of a wardrobe is shorter
_MOST_COSINE = 0.5  # between both normals: it stands within 30 degrees of upright on the wall
_MEETS_M = 0.35  # from its near end to the wall
_INTO_ROOM_M = 1.0  # so far it reaches into the room
_FROM_END_M = 0.5  # of the wall, where its own neighbours meet it


def cut_at_partitions(
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
    return [part for face in faces for part in _parts(face, _cuts(face, normals, ends), points)]


def _parts(
    face: WallFace, cuts: NDArray[np.float64], points: NDArray[np.floating]
) -> Iterator[WallFace]:
    if len(cuts) == 0:
        yield face
        return
    part = np.searchsorted(cuts, points[face.tiles, :2] @ face.direction)
    for number in range(len(cuts) + 1):
        tiles = face.tiles[part == number]
        if len(tiles) >= LEAST_TILES:
            yield face_through(tiles, points[tiles].astype(np.float64), face.yaw)


def _cuts(
    face: WallFace, normals: NDArray[np.float64], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Where along the face partitions meet it, by their normals (P, 2) and ends (P, 2, 2)."""
    before_m = ends @ face.normal - face.offset_m
    meets = np.abs(normals @ face.normal) < _MOST_COSINE
    meets &= (before_m.min(axis=1) < _MEETS_M) & (before_m.max(axis=1) > _INTO_ROOM_M)
    start_m, end_m = before_m[meets].T
    share = start_m / (start_m - end_m)
    along = ends[meets] @ face.direction
    cuts = np.sort(along[:, 0] + share * (along[:, 1] - along[:, 0]))
    low, high = face.along_m
    return np.asarray(cuts[(cuts > low + _FROM_END_M) & (cuts < high - _FROM_END_M)])
