"""How upright stretches stand to each other, all pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.structure.wall_faces import WallFace, turn_rad

_SAME_YAW_RAD = np.deg2rad(15.0)


@dataclass(frozen=True, slots=True, eq=False)
class WallPairs:
    """Matrices (F, F) of F faces: how the row's stands to the column's.

    Attributes:
        parallel: they face the same way, within 15 degrees.
        before_m: how far the one's middle is in front of the other's plane.
        overlap_m: length of the one along the other; below 0: the gap between them.
    """

    parallel: NDArray[np.bool_]
    before_m: NDArray[np.float64]
    overlap_m: NDArray[np.float64]


def pairs_of(faces: Sequence[WallFace]) -> WallPairs:
    """Of at least one face."""
    yaw = np.array([face.yaw for face in faces])
    normals = np.array([face.normal for face in faces])
    directions = np.array([face.direction for face in faces])
    middles = np.array([face.middle for face in faces])
    low, high = np.array([face.along_m for face in faces]).T
    half = ((high - low) / 2.0)[:, None]
    along = middles @ directions.T
    return WallPairs(
        np.abs(turn_rad(yaw[:, None] - yaw)) < _SAME_YAW_RAD,
        middles @ normals.T - np.array([face.offset_m for face in faces]),
        np.minimum(high, along + half) - np.maximum(low, along - half),
    )
