"""Where something was, in a bounded number of points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Trajectory:
    """Points over any length of time in a bounded array: evenly thinned, oldest kept."""

    __slots__ = ("_count", "_points", "_seen", "_stride")

    def __init__(self, max_points: int) -> None:
        self._points = np.empty((max_points, 3), np.float32)
        self._count = 0
        self._seen = 0
        self._stride = 1

    @classmethod
    def through(cls, points: NDArray[np.float32]) -> Trajectory:
        """Full with exactly these points (T, 3)."""
        trajectory = cls(len(points))
        trajectory._points[:] = points
        trajectory._count = trajectory._seen = len(points)
        return trajectory

    def add(self, point: NDArray[np.floating] | tuple[float, float, float]) -> None:
        """Append one position (3,), metres."""
        if self._seen % self._stride == 0 and self._count == len(self._points):
            self._thin()
        if self._seen % self._stride == 0:
            self._points[self._count] = point
            self._count += 1
        self._seen += 1

    def array(self) -> NDArray[np.float32]:
        """(T, 3) float32, read-only copy."""
        points = self._points[: self._count].copy()
        points.flags.writeable = False
        return points

    def _thin(self) -> None:
        kept = self._points[: self._count : 2].copy()
        self._points[: len(kept)] = kept
        self._count = len(kept)
        self._stride *= 2


def simplify(
    points: NDArray[np.float32], tolerance_m: float, max_points: int
) -> NDArray[np.float32]:
    """A trajectory (T, 3) by fewer of its points, first and last among them.

    The point that is furthest from the line through those chosen so far is added next, as Ramer,
    Douglas and Peucker do, until none is further than the tolerance or `max_points` (at least 2)
    are chosen.
    """
    if len(points) <= 2:
        return points
    chosen = [0, len(points) - 1]
    away_m = _distances_m(points, 0, len(points) - 1)
    while len(chosen) < max_points and away_m.max() > tolerance_m:
        new = int(away_m.argmax())
        before = max(i for i in chosen if i < new)
        after = min(i for i in chosen if i > new)
        away_m[before : new + 1] = _distances_m(points, before, new)
        away_m[new : after + 1] = _distances_m(points, new, after)
        chosen.append(new)
    return points[sorted(chosen)]


def _distances_m(points: NDArray[np.float32], start: int, end: int) -> NDArray[np.float32]:
    """Of `points[start : end + 1]` from the straight line between the first and the last."""
    offsets = points[start : end + 1] - points[start]
    line = offsets[-1]
    length2 = float(line @ line)
    if length2 > 0.0:
        along = np.clip(offsets @ line / length2, 0.0, 1.0)
        offsets = offsets - along[:, None] * line
    away_m: NDArray[np.float32] = np.sqrt((offsets * offsets).sum(axis=1))
    return away_m
