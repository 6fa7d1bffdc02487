"""A flat part of the building before it has an id."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.structure.tiles import TILE_M
from scenemind.memory.types import StructureKind

THICKNESS_M = 0.02  # of a plane's box: half of it before, half of it behind the surface


@dataclass(frozen=True, slots=True)
class Surface:
    """See `StructurePlane`, which has an id besides."""

    kind: StructureKind
    box: Box3D
    normal: tuple[float, float, float]
    seen_m2: float


def seen_m2(along: NDArray[np.floating], across: NDArray[np.floating]) -> float:
    """How much of a plane tiles cover, by their places (N,), (N,) on it: overlaps count once."""
    cells = np.floor(np.stack((along, across)) * (1.0 / TILE_M)).astype(np.int64)
    return float(len(np.unique(cells[0] * (1 << 32) + cells[1]))) * TILE_M**2
