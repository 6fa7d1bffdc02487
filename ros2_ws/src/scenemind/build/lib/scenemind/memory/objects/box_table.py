"""A table of axis-aligned boxes, and how pairs of boxes compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Shorter sides count as this long, which gives flat things (pictures, keyboards) a volume.
THINNEST_M = 0.04
# Boxes compared with the table at once, which bounds the RAM that a comparison takes.
_BLOCK = 256


class BoxTable:
    """Axis-aligned boxes by id in contiguous columns; rows are compact and in no order."""

    def __init__(self) -> None:
        self._row_of: dict[int, int] = {}
        self._ids = np.zeros(64, np.int64)
        self._columns = np.zeros((6, 64))

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, object_id: int) -> bool:
        return object_id in self._row_of

    def set(self, object_id: int, bounds: NDArray[np.float64]) -> None:
        """Insert or replace a box: (6,) lowest, then highest corner."""
        row = self._row_of.get(object_id)
        if row is None:
            row = self._append(object_id)
        self._columns[:, row] = bounds

    def remove(self, object_id: int) -> None:
        """Take a box out; the last row moves into its place."""
        row, last = self._row_of.pop(object_id), len(self._row_of)
        if row != last:
            moved = int(self._ids[last])
            self._ids[row], self._columns[:, row] = moved, self._columns[:, last]
            self._row_of[moved] = row

    def bounds_of(self, object_ids: Iterable[int]) -> NDArray[np.float64]:
        """(N, 6) of the given ids."""
        rows = [self._row_of[object_id] for object_id in object_ids]
        return self._columns[:, rows].T

    def centers(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Ids (N,) and centres (N, 3) of all boxes."""
        columns = self._columns[:, : len(self)]
        return self._ids[: len(self)], ((columns[:3] + columns[3:]) / 2.0).T

    def pairs(
        self, bounds: NDArray[np.float64], reach_m: float = 0.0, any_height: bool = False
    ) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.float64]]:
        """Pairs of the given boxes (N, 6) with boxes of the table whose gap is within reach.

        Args:
            reach_m: largest gap along each axis.
            any_height: boxes that overlap seen from above are pairs at any vertical distance.

        Returns:
            Rows of `bounds`, ids, and boxes (P, 6) of the table, one line a pair.
        """
        if not len(bounds) or not len(self):
            return np.zeros(0, np.intp), np.zeros(0, np.int64), np.zeros((0, 6))
        blocks = [
            self._pairs_of_block(bounds[start : start + _BLOCK], reach_m, any_height)
            for start in range(0, len(bounds), _BLOCK)
        ]
        rows = [_BLOCK * number + row for number, (row, _, _) in enumerate(blocks)]
        ids, boxes = [block[1] for block in blocks], [block[2] for block in blocks]
        return np.concatenate(rows), np.concatenate(ids), np.vstack(boxes)

    def _pairs_of_block(
        self, bounds: NDArray[np.float64], reach_m: float, any_height: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.float64]]:
        columns, ids = self._columns[:, : len(self)], self._ids[: len(self)]
        # Select the neighbourhood of all given boxes first: cost grows with it, not with the table.
        low, high = bounds[:, :3].min(axis=0), bounds[:, 3:].max(axis=0)
        axes = 2 if any_height else 3
        reached = np.ones(len(self), bool)
        for axis in range(axes):
            reached &= columns[axis] - high[axis] <= reach_m
            reached &= low[axis] - columns[3 + axis] <= reach_m
        near_columns, near_ids = columns[:, reached], ids[reached]
        close = _within(bounds, near_columns, reach_m, range(3))
        if any_height:
            close |= _within(bounds, near_columns, 0.0, range(2))
        row, column = np.nonzero(close)
        return row, near_ids[column], near_columns[:, column].T

    def on_the_way(
        self, start: NDArray[np.float64], end: NDArray[np.float64], margin_m: float = 0.0
    ) -> list[int]:
        """Ids of the boxes, grown by a margin, that a segment between two points (3,) crosses.

        Nearest first; a box that holds the end is not crossed.
        """
        columns = self._columns[:, : len(self)]
        step = end - start
        step = np.where(np.abs(step) < 1e-9, 1e-9, step)[:, None]
        low = (columns[:3] - margin_m - start[:, None]) / step
        high = (columns[3:] + margin_m - start[:, None]) / step
        entered = np.minimum(low, high).max(axis=0)
        left = np.maximum(low, high).min(axis=0)
        rows = np.flatnonzero((entered <= left) & (left > 0.0) & (left < 1.0))
        ids: list[int] = self._ids[rows[np.argsort(entered[rows], kind="stable")]].tolist()
        return ids

    def _append(self, object_id: int) -> int:
        row = len(self._row_of)
        if row == len(self._ids):
            self._ids = np.concatenate((self._ids, np.zeros_like(self._ids)))
            self._columns = np.hstack((self._columns, np.zeros_like(self._columns)))
        self._row_of[object_id] = row
        self._ids[row] = object_id
        return row


@dataclass(frozen=True, slots=True, eq=False)
class BoxComparison:
    """Overlap measures of pairs of boxes, each (P,).

    Attributes:
        share: shared volume over the volume of the smaller box.
        iou: intersection over union of the volumes.
        offset: distance of the centres over the mean diagonal.
        size_ratio: the shorter diagonal over the longer one.
    """

    share: NDArray[np.float64]
    iou: NDArray[np.float64]
    offset: NDArray[np.float64]
    size_ratio: NDArray[np.float64]


def compare_boxes(a: NDArray[np.float64], b: NDArray[np.float64]) -> BoxComparison:
    """Compare boxes (P, 6) line by line."""
    low_a, high_a, low_b, high_b = *_thickened(a), *_thickened(b)
    size_a, size_b = high_a - low_a, high_b - low_b
    shared_sides = np.minimum(high_a, high_b) - np.maximum(low_a, low_b)
    shared = _product(np.maximum(shared_sides, 0.0))
    volume_a, volume_b = _product(size_a), _product(size_b)
    diagonal_a, diagonal_b = _length(size_a), _length(size_b)
    centers = (low_a + high_a - low_b - high_b) / 2.0
    return BoxComparison(
        share=shared / np.minimum(volume_a, volume_b),
        iou=shared / (volume_a + volume_b - shared),
        offset=_length(centers) / ((diagonal_a + diagonal_b) / 2.0),
        size_ratio=np.minimum(diagonal_a, diagonal_b) / np.maximum(diagonal_a, diagonal_b),
    )


def _thickened(bounds: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest corners, (3, P) each, of boxes (P, 6)."""
    columns = np.ascontiguousarray(bounds.T)
    low, high = columns[:3], columns[3:]
    missing = np.maximum(THINNEST_M - (high - low), 0.0) / 2.0
    return low - missing, high + missing


def _product(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y, z = columns
    product: NDArray[np.float64] = x * y * z
    return product


def _length(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y, z = columns
    return np.sqrt(x * x + y * y + z * z)


def _within(
    bounds: NDArray[np.float64], columns: NDArray[np.float64], reach_m: float, axes: range
) -> NDArray[np.bool_]:
    """(N, M): the gap along every given axis is at most `reach_m`.

    It is written as differences, for which rounding treats (a, b) and (b, a) alike.
    """
    close = np.ones((len(bounds), columns.shape[1]), bool)
    for axis in axes:
        close &= columns[None, axis] - bounds[:, None, 3 + axis] <= reach_m
        close &= bounds[:, None, axis] - columns[None, 3 + axis] <= reach_m
    return close
