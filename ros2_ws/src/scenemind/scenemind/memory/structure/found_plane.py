"""A floor, wall or ceiling as it is found, before it has an id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.structure.tiles import TILE_M
from scenemind.memory.types import StructureKind

THICKNESS_M = 0.02  # of a plane's box: half of it before, half of it behind the surface


@dataclass(frozen=True, slots=True)
class FoundPlane:
    """See `StructurePlane`, which has an id besides."""

    kind: StructureKind
    box: Box3D
    normal: tuple[float, float, float]
    seen_m2: float


def seen_m2(points: NDArray[np.floating], normal: Sequence[float]) -> float:
    """How much of a plane tiles cover, by their places (N, 3) and its normal (3,).

    Each tile covers a square of the grid plane that the plane is nearest to; seen along the
    plane's normal the square is larger. Tiles behind each other count once.
    """
    nearest = int(np.argmax(np.abs(normal)))
    a, b = np.delete(np.floor(points * (1.0 / TILE_M)).astype(np.int64), nearest, axis=1).T
    squares = len(np.unique((a << 32) + b))
    return float(squares * TILE_M**2 / abs(normal[nearest]))
