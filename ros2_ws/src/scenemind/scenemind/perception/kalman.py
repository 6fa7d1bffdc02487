"""Constant-velocity Kalman filter on image boxes, for all tracks at once.

State and noise are BoT-SORT's (Aharon et al. 2022, arXiv:2206.14651, section 3.1): centre x, y,
width, height in pixels and their velocities a frame; standard deviations in proportion to the box.
With these noises the four quantities never correlate, so each has its own 2x2 covariance and the
update needs no matrix inverse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_POSITION_NOISE = 1.0 / 20.0
_VELOCITY_NOISE = 1.0 / 160.0

Columns = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BoxStates:
    """Estimates of T boxes; every array is (T, 4) float64, columns centre x, y, width, height.

    Attributes:
        position: pixels. velocity: pixels a frame.
        var_position, covariance, var_velocity: the 2x2 covariance of each quantity.
    """

    position: Columns
    velocity: Columns
    var_position: Columns
    covariance: Columns
    var_velocity: Columns

    @classmethod
    def starting_at(cls, boxes_px: NDArray[np.floating]) -> BoxStates:
        """New states from measured boxes (T, 4), x0, y0, x1, y1; at rest."""
        position = to_center_size(boxes_px)
        extent = _extent(position)
        zeros = np.zeros_like(position)
        return cls(
            position,
            zeros,
            (2.0 * _POSITION_NOISE * extent) ** 2,
            zeros.copy(),
            (10.0 * _VELOCITY_NOISE * extent) ** 2,
        )

    def __len__(self) -> int:
        return len(self.position)

    def boxes_px(self) -> NDArray[np.float64]:
        """(T, 4): x0, y0, x1, y1."""
        center, size = self.position[:, :2], np.maximum(self.position[:, 2:], 0.0)
        return np.hstack((center - size / 2.0, center + size / 2.0))

    def predicted(self) -> BoxStates:
        """One frame later."""
        extent = _extent(self.position)
        return BoxStates(
            self.position + self.velocity,
            self.velocity,
            self.var_position
            + 2.0 * self.covariance
            + self.var_velocity
            + (_POSITION_NOISE * extent) ** 2,
            self.covariance + self.var_velocity,
            self.var_velocity + (_VELOCITY_NOISE * extent) ** 2,
        )

    def updated(self, boxes_px: NDArray[np.floating]) -> BoxStates:
        """With one measured box (T, 4) each, x0, y0, x1, y1."""
        surprise = to_center_size(boxes_px) - self.position
        spread = self.var_position + (_POSITION_NOISE * _extent(self.position)) ** 2
        gain, gain_velocity = self.var_position / spread, self.covariance / spread
        return BoxStates(
            self.position + gain * surprise,
            self.velocity + gain_velocity * surprise,
            (1.0 - gain) * self.var_position,
            (1.0 - gain) * self.covariance,
            self.var_velocity - gain_velocity * self.covariance,
        )

    def moved(self, centers_px: NDArray[np.floating], scale: NDArray[np.floating]) -> BoxStates:
        """Seen from another pose: centres (T, 2) and everything scaled by (T,)."""
        s = scale[:, None]
        position = np.hstack((centers_px, self.position[:, 2:] * s))
        return BoxStates(
            position,
            self.velocity * s,
            self.var_position * s**2,
            self.covariance * s**2,
            self.var_velocity * s**2,
        )

    def select(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> BoxStates:
        return BoxStates(*(column[rows] for column in self._columns()))

    def replaced(self, rows: NDArray[np.integer], other: BoxStates) -> BoxStates:
        """A copy in which `other` stands at the given rows."""
        columns = [column.copy() for column in self._columns()]
        for column, new in zip(columns, other._columns(), strict=True):
            column[rows] = new
        return BoxStates(*columns)

    def joined(self, other: BoxStates) -> BoxStates:
        """Both, one after the other."""
        return BoxStates(*map(np.vstack, zip(self._columns(), other._columns(), strict=True)))

    def _columns(self) -> tuple[Columns, ...]:
        return (
            self.position,
            self.velocity,
            self.var_position,
            self.covariance,
            self.var_velocity,
        )


def to_center_size(boxes_px: NDArray[np.floating]) -> Columns:
    """(T, 4) corners to centre x, y, width, height, float64."""
    boxes = np.asarray(boxes_px, dtype=np.float64)
    low, high = boxes[:, :2], boxes[:, 2:]
    return np.hstack(((low + high) / 2.0, high - low))


def _extent(position: Columns) -> Columns:
    """Width, height, width, height: what the noise of each column is in proportion to."""
    size = np.maximum(position[:, 2:], 1.0)
    return np.hstack((size, size))
