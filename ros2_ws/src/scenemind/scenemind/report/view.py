"""World metres to the pixels of a drawing seen from above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_WIDTH_PX = 1000.0
_HEIGHT_PX = 900.0
_MARGIN_M = 0.6
_MOST_PX_PER_M = 160.0
_GRID_M = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_GRID_LINES = 14


@dataclass(frozen=True, slots=True)
class View:
    """x goes to the right, y up."""

    low_x: float
    high_y: float
    px_per_m: float
    width: float
    height: float

    def x(self, world_x: float) -> float:
        return round((world_x - self.low_x) * self.px_per_m, 1)

    def y(self, world_y: float) -> float:
        return round((self.high_y - world_y) * self.px_per_m, 1)

    def points(self, world_xy: NDArray[np.floating]) -> str:
        """(N, 2 or more) as SVG's list of points."""
        return " ".join(f"{self.x(p[0])},{self.y(p[1])}" for p in world_xy.tolist())


@dataclass(frozen=True, slots=True)
class Grid:
    """Lines at round metres: their places in pixels, and the distance between two."""

    x: Sequence[float]
    y: Sequence[float]
    step_m: float
    step_px: float


def view_of(world_xy: Sequence[NDArray[np.floating]]) -> View:
    """A view of all these points, each (N, 2), with a margin."""
    points = np.vstack([*world_xy, np.zeros((0, 2))])
    if not len(points):
        points = np.zeros((1, 2))
    low, high = points.min(axis=0) - _MARGIN_M, points.max(axis=0) + _MARGIN_M
    extent = high - low
    scale = min(_WIDTH_PX / extent[0], _HEIGHT_PX / extent[1], _MOST_PX_PER_M)
    width, height = extent * scale
    return View(float(low[0]), float(high[1]), float(scale), float(width), float(height))


def grid_of(view: View) -> Grid:
    """As fine as it can be read."""
    longest_m = max(view.width, view.height) / view.px_per_m
    step = next((g for g in _GRID_M if longest_m / g <= _GRID_LINES), _GRID_M[-1])
    low_y, high_x = (
        view.high_y - view.height / view.px_per_m,
        view.low_x + view.width / view.px_per_m,
    )
    return Grid(
        _lines(view.low_x, high_x, step, view.x),
        _lines(low_y, view.high_y, step, view.y),
        step,
        step * view.px_per_m,
    )


def _lines(low: float, high: float, step: float, place: Callable[[float], float]) -> list[float]:
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [place(index * step) for index in range(first, last + 1)]
