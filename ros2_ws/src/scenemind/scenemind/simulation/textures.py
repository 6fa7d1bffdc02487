"""What keeps flat colours from looking dead: a grain in space, and a floor of planks with shadows.

Both are functions of world position, so that a surface looks the same from everywhere.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.simulation.room import Room

_GRAIN_CELL_M = 0.008
_GRAIN_SIZE = 64  # cells a period, a power of two
_GRAIN_AMPLITUDE = 0.03
_FLOOR_CELL_M = 0.01
_PLANK_M = (1.2, 0.16)
_SHADOW_BELOW_M = 0.5
_SHADOW_SIGMA_CELLS = 7


class Grain:
    """Brightness noise fixed in space, repeating every half metre."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        noise = rng.standard_normal((_GRAIN_SIZE,) * 3, dtype=np.float32)
        smooth = noise + np.roll(noise, 1, 0) + np.roll(noise, 1, 1) + np.roll(noise, 1, 2)
        self._factor = (1.0 + _GRAIN_AMPLITUDE * smooth.ravel() / 2.0).astype(np.float32)

    def at(
        self, x: NDArray[np.float32], y: NDArray[np.float32], z: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Factors around 1 at world positions, each array of one shape, metres."""
        index = _cell(z)
        index += _cell(y) << 6
        index += _cell(x) << 12
        return self._factor.take(index)


class FloorTexture:
    """Brightness of the floor, drawn once for a room."""

    def __init__(self, room: Room) -> None:
        self._half = np.asarray(room.size[:2]) / 2
        shape = tuple(int(np.ceil(side / _FLOOR_CELL_M)) + 1 for side in room.size[1::-1])
        self._factor = _planks(shape, room.seed) * _shadows(shape, self._half, room)

    def at(self, x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float32]:
        """Factors around 1 at floor positions (N,), (N,), metres."""
        columns = ((x + np.float32(self._half[0])) * np.float32(1 / _FLOOR_CELL_M)).astype(np.int32)
        rows = ((y + np.float32(self._half[1])) * np.float32(1 / _FLOOR_CELL_M)).astype(np.int32)
        height, width = self._factor.shape
        factor: NDArray[np.float32] = self._factor[
            np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)
        ]
        return factor


def _cell(values: NDArray[np.float32]) -> NDArray[np.int32]:
    # The offset keeps positions in a room positive, where truncation is floor.
    shifted = (values + np.float32(100.0)) * np.float32(1.0 / _GRAIN_CELL_M)
    return shifted.astype(np.int32) & (_GRAIN_SIZE - 1)


def _planks(shape: tuple[int, ...], seed: int) -> NDArray[np.float32]:
    """Boards along x, each with its own brightness, dark in the joints."""
    rng = np.random.default_rng(seed)
    length, width = (int(side / _FLOOR_CELL_M) for side in _PLANK_M)
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    row = rows // width
    shifted = columns + rng.integers(0, length, row.max() + 1)[row]
    board = shifted // length
    brightness = rng.uniform(0.88, 1.08, (row.max() + 1, board.max() + 1))
    joint = (rows % width == 0) | (shifted % length == 0)
    planks: NDArray[np.float32] = (brightness[row, board] * np.where(joint, 0.72, 1.0)).astype(
        np.float32
    )
    return planks


def _shadows(shape: tuple[int, ...], half: NDArray[np.float64], room: Room) -> NDArray[np.float32]:
    """Soft darkness under everything that stands low over the floor."""
    dark = np.zeros(shape, dtype=np.float32)
    for part in (part for item in room.objects for part in item.parts):
        corners = part.corners()
        if corners[:, 2].min() < _SHADOW_BELOW_M:
            polygon = np.rint((corners[:4, :2] + half) / _FLOOR_CELL_M).astype(np.int32)
            cv2.fillConvexPoly(dark, polygon, 1.0)
    blurred = cv2.GaussianBlur(dark, (0, 0), _SHADOW_SIGMA_CELLS)
    return np.asarray(1.0 - 0.45 * blurred, dtype=np.float32)
