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
_POSITION, _VELOCITY, _VAR_POSITION, _COVARIANCE, _VAR_VELOCITY = range(5)


@dataclass(frozen=True, slots=True, eq=False)
class BoxStates:
    """Estimates of T boxes.

    Attributes:
        moments: (5, T, 4) float64: position in pixels, velocity in pixels a frame, variance of the
            position, covariance of both, variance of the velocity; the last axis is centre x, y,
            width, height.
    """

    moments: NDArray[np.float64]

    @classmethod
    def starting_at(cls, boxes_px: NDArray[np.floating]) -> BoxStates:
        """New states from measured boxes (T, 4), x0, y0, x1, y1; at rest."""
        position = to_center_size(boxes_px)
        extent = _extent(position)
        moments = np.zeros((5, *position.shape))
        moments[_POSITION] = position
        moments[_VAR_POSITION] = (2.0 * _POSITION_NOISE * extent) ** 2
        moments[_VAR_VELOCITY] = (10.0 * _VELOCITY_NOISE * extent) ** 2
        return cls(moments)

    @property
    def position(self) -> Columns:
        """(T, 4): centre x, y, width, height in pixels."""
        return self.moments[_POSITION]

    @property
    def velocity(self) -> Columns:
        """(T, 4): the same, in pixels a frame."""
        return self.moments[_VELOCITY]

    def __len__(self) -> int:
        return self.moments.shape[1]

    def boxes_px(self) -> NDArray[np.float64]:
        """(T, 4): x0, y0, x1, y1."""
        center, half = self.position[:, :2], np.maximum(self.position[:, 2:], 0.0) / 2.0
        return np.concatenate((center - half, center + half), axis=1)

    def predicted(self) -> BoxStates:
        """The states one frame later."""
        position, velocity, var_position, covariance, var_velocity = self.moments
        noise = _extent(position) ** 2
        moments = np.empty_like(self.moments)
        moments[_POSITION] = position + velocity
        moments[_VELOCITY] = velocity
        moments[_COVARIANCE] = covariance + var_velocity
        moments[_VAR_POSITION] = var_position + covariance + moments[_COVARIANCE]
        moments[_VAR_POSITION] += _POSITION_NOISE**2 * noise
        moments[_VAR_VELOCITY] = var_velocity + _VELOCITY_NOISE**2 * noise
        return BoxStates(moments)

    def updated(self, boxes_px: NDArray[np.floating]) -> BoxStates:
        """The states updated with one measured box (T, 4) each, x0, y0, x1, y1."""
        position, velocity, var_position, covariance, var_velocity = self.moments
        surprise = to_center_size(boxes_px) - position
        spread = var_position + _POSITION_NOISE**2 * _extent(position) ** 2
        gain, gain_velocity = var_position / spread, covariance / spread
        moments = np.empty_like(self.moments)
        moments[_POSITION] = position + gain * surprise
        moments[_VELOCITY] = velocity + gain_velocity * surprise
        moments[_VAR_POSITION] = (1.0 - gain) * var_position
        moments[_COVARIANCE] = (1.0 - gain) * covariance
        moments[_VAR_VELOCITY] = var_velocity - gain_velocity * covariance
        return BoxStates(moments)

    def moved(self, centers_px: NDArray[np.floating], scale: NDArray[np.floating]) -> BoxStates:
        """The states seen from another pose: at centres (T, 2), all else scaled by (T,)."""
        moments = self.moments * scale[:, None]
        moments[_VAR_POSITION:] *= scale[:, None]
        moments[_POSITION, :, :2] = centers_px
        return BoxStates(moments)

    def slowed(self, rows: NDArray[np.integer] | NDArray[np.bool_], share: Columns) -> BoxStates:
        """The states with the velocity of the given rows multiplied by shares (4,)."""
        moments = self.moments.copy()
        moments[_VELOCITY, rows] *= share
        return BoxStates(moments)

    def restarted(self, boxes_px: NDArray[np.floating], which: NDArray[np.bool_]) -> BoxStates:
        """The states restarted at boxes (T, 4), in the quantities (T, 4) marked by `which`."""
        return BoxStates(np.where(which, BoxStates.starting_at(boxes_px).moments, self.moments))

    def select(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> BoxStates:
        return BoxStates(self.moments[:, rows])

    def replaced(self, rows: NDArray[np.integer], other: BoxStates) -> BoxStates:
        """A copy with `other` in the given rows."""
        moments = self.moments.copy()
        moments[:, rows] = other.moments
        return BoxStates(moments)

    def joined(self, other: BoxStates) -> BoxStates:
        """Both tables concatenated."""
        return BoxStates(np.concatenate((self.moments, other.moments), axis=1))


def to_center_size(boxes_px: NDArray[np.floating]) -> Columns:
    """(T, 4) corners to centre x, y, width, height, float64."""
    boxes = np.asarray(boxes_px, dtype=np.float64)
    low, high = boxes[:, :2], boxes[:, 2:]
    return np.concatenate(((low + high) / 2.0, high - low), axis=1)


def _extent(position: Columns) -> Columns:
    """(T, 4) width, height, width, height, to which the noise of the columns is proportional."""
    size = np.maximum(position[:, 2:], 1.0)
    return np.concatenate((size, size), axis=1)
