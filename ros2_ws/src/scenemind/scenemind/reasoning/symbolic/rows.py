"""Rows of things of one kind, seen from above: seats of a hall, cabinets along a wall.

The things stand along two directions at right angles, which most of them share with their nearest
neighbour. Rows run across the view where one is known, else along the direction that gives the
fewest of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
# Smallest step between rows, and between levels ("the top row").
_STEP_M = 0.45
_LEVEL_M = 0.25
# Score of a thing one row off.
_ONE_OFF = 0.3


class Rows:
    """Rows of N things.

    Attributes:
        index: (N,) int64: the row of each thing. count: number of rows.
        across: (2,) unit vector over which rows follow each other.
    """

    def __init__(self, points: Vector, across: Vector | None = None) -> None:
        """
        Args:
            points: (N, 2) float64, metres; N at least 1.
            across: (2,) the direction over which rows follow each other, roughly; None: unknown.
        """
        axes = _grid_axes(points)
        if across is not None:
            axes = axes[np.argsort(-np.abs(axes @ across), kind="stable")[:1]]
        each = [_steps(points @ axis, _STEP_M) for axis in axes]
        fewest = int(np.argmin([index.max() for index in each]))
        self._points = points
        self.across: Vector = axes[fewest]
        self.index = each[fewest]
        self.count = int(self.index.max()) + 1

    def ordered(self, values: Vector, order: int) -> Vector:
        """Scores (N,) of things by how many rows off the wanted one they are.

        Args:
            values: (N,), highest in the first row.
            order: 1 for the first row.
        """
        means = np.array([values[self.index == row].mean() for row in range(self.count)])
        place_of_row = np.argsort(np.argsort(-means, kind="stable"), kind="stable")
        return _off(place_of_row[self.index] - (min(order, self.count) - 1))

    def middle(self) -> Vector:
        """Scores (N,) of the things in the middle row."""
        return _off(np.asarray(self.index - (self.count - 1) / 2.0, np.float64))

    def ends(self) -> Vector:
        """Scores (N,): 1 for the first and the last of each row, less for those between."""
        first, last = self._from_ends()
        return _off(np.minimum(first, last))

    def middles(self) -> Vector:
        """Scores (N,): 1 for what is in the middle of its row, less towards its ends."""
        first, last = self._from_ends()
        return _off(np.abs(first - last) / 2.0)

    def _from_ends(self) -> tuple[Vector, Vector]:
        """How many things of its row each has on one side (N,), and on the other."""
        along = self._points @ np.array((-self.across[1], self.across[0]))
        same = self.index[:, None] == self.index
        first = (same & (along[:, None] > along)).sum(axis=1)
        return first.astype(np.float64), same.sum(axis=1) - 1.0 - first


def levels(heights: Vector) -> NDArray[np.int64]:
    """Levels (N,) of heights in metres, the lowest 0."""
    return _steps(heights, _LEVEL_M)


def level_scores(heights: Vector, order: int, *, highest: bool) -> Vector:
    """Scores (N,) by how many levels off the wanted one they are, from the top or the bottom."""
    index = levels(heights)
    place = index.max() - index if highest else index
    return _off(place - (order - 1))


def _off(count: Vector | NDArray[np.int64]) -> Vector:
    return np.asarray(_ONE_OFF ** np.abs(count), np.float64)


def _steps(values: Vector, step: float) -> NDArray[np.int64]:
    """Groups (N,) of values in ascending order, with gaps above a step between them."""
    order = np.argsort(values, kind="stable")
    starts = np.diff(values[order], prepend=values[order[0]]) > step
    groups = np.empty(len(values), np.int64)
    groups[order] = np.cumsum(starts)
    return groups


def _grid_axes(points: Vector) -> Vector:
    """Unit vectors (2, 2), at right angles, along which most things have their neighbours."""
    if len(points) < 2:
        return np.eye(2)
    ways = points[:, None] - points
    gaps = np.hypot(ways[..., 0], ways[..., 1])
    np.fill_diagonal(gaps, np.inf)
    nearest = gaps.argmin(axis=1)
    way = ways[np.arange(len(points)), nearest]
    # Four times the angle is the same for all four directions of a grid.
    angles = 4.0 * np.arctan2(way[:, 1], way[:, 0])
    turn = np.arctan2(np.sin(angles).mean(), np.cos(angles).mean()) / 4.0
    return np.array(((np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))))
