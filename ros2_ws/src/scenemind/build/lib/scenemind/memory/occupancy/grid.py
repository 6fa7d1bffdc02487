"""The grid as it is read: free, occupied and unknown cells, as nav_msgs/OccupancyGrid has them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

FREE, OCCUPIED, UNKNOWN = 0, 100, -1


@dataclass(frozen=True, slots=True, eq=False)
class OccupancyGrid:
    """Cells of the floor, seen from above.

    Attributes:
        resolution_m: side of a cell.
        origin: x, y of the lowest corner of the first cell, world, metres.
        data: (H, W) int8; row along y, column along x: `FREE`, `OCCUPIED` or `UNKNOWN`. Flattened
            it is the data of nav_msgs/OccupancyGrid.
        top_m: (H, W) float32: height above the floor of the highest thing known there, as far as
            the grid reaches; 0: none is known.
        floor_z: height of the floor, world, metres.
    """

    resolution_m: float
    origin: tuple[float, float]
    data: NDArray[np.int8]
    top_m: NDArray[np.float32]
    floor_z: float

    def cells_of(self, places: ArrayLike) -> NDArray[np.int64]:
        """Rows and columns (N, 2) of places (N, 2) x, y; they may lie outside the grid."""
        offset = np.asarray(places, np.float64).reshape(-1, 2) - self.origin
        return np.floor(offset / self.resolution_m).astype(np.int64)[:, ::-1]

    def centers_of(self, cells: NDArray[np.integer]) -> NDArray[np.float64]:
        """x, y (N, 2) of the middles of cells (N, 2), by row and column."""
        return np.asarray(self.origin) + (cells[:, ::-1] + 0.5) * self.resolution_m

    def state_at(self, x: float, y: float) -> int:
        """The state of the cell at a place; `UNKNOWN` outside the grid."""
        row, column = self.cells_of((x, y))[0].tolist()
        rows, columns = self.data.shape
        inside = 0 <= row < rows and 0 <= column < columns
        return int(self.data[row, column]) if inside else UNKNOWN

    def fits(self, radius_m: float) -> NDArray[np.bool_]:
        """(H, W): all floor within a radius of any place in the cell is free."""
        free = np.pad((self.data == FREE).astype(np.uint8), 1)  # beyond the grid nothing is known
        to_middle_m = cv2.distanceTransform(free, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1]
        # From a corner of this cell to the nearest corner of the next cell that is not free.
        corners = np.sqrt(2.0)
        fits: NDArray[np.bool_] = to_middle_m * self.resolution_m >= (
            radius_m + corners * self.resolution_m
        )
        return fits
