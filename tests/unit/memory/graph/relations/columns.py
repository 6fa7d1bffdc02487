"""Boxes as arrays for the tests of relations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Vector = Sequence[float]


def column(*boxes: tuple[Vector, Vector]) -> NDArray[np.float64]:
    """(P, 6) from a centre and a size each, metres."""
    centers = np.array([center for center, _ in boxes], np.float64).reshape(-1, 3)
    halves = np.array([size for _, size in boxes], np.float64).reshape(-1, 3) / 2.0
    return np.hstack((centers - halves, centers + halves))


def at(x: float, y: float, side: float = 0.2, z: float = 0.5) -> NDArray[np.float64]:
    """(1, 6): a cube."""
    return column(((x, y, z), (side, side, side)))


def put(
    x: float, y: float, bottom: float, side: float = 0.1, height: float = 0.1
) -> tuple[float, ...]:
    """Low and high corner of a box that is put on a square footprint around (x, y)."""
    return (x - side / 2, y - side / 2, bottom, x + side / 2, y + side / 2, bottom + height)


def row(box: Vector) -> NDArray[np.float64]:
    """(1, 6): a box by its low and high corner."""
    return np.array([box], np.float64)
