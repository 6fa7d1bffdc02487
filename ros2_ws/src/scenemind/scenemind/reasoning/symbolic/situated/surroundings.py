"""A scene as it lies about a viewer: bearings and distances in columns."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.situated.tree import Place

# Beyond the width of a place the score falls to 0 over this angle.
_FADE_RAD = math.radians(30.0)
# Who sits on a chair or stands in a stall has it about them and not to one side.
_ABOUT_M = 1.2
REACH_M = 1.0


class Surroundings:
    """Of one viewer.

    Attributes:
        bearing_rad: (N,) of the centres, clockwise from ahead, in (-pi, pi].
        gap_m: (N,) level distance to the boxes; 0 inside one.
        holds_viewer: (N,) bool: small things that the viewer is on or in.
    """

    def __init__(self, scene: Scene, viewpoint: Viewpoint) -> None:
        self.scene = scene
        self.viewpoint = viewpoint
        here = viewpoint.position[:2]
        self.bearing_rad = self._bearings(scene.center[:, :2])
        nearest = np.clip(here, scene.low[:, :2], scene.high[:, :2])
        self.gap_m: Scores = np.linalg.norm(nearest - here, axis=1)
        self._nearest_rad = self._bearings(0.5 * nearest + 0.5 * scene.center[:, :2])
        small = (scene.high - scene.low)[:, :2].max(axis=1, initial=0.0) <= _ABOUT_M
        self.holds_viewer: NDArray[np.bool_] = (self.gap_m <= 0.0) & small

    def scores(self, place: Place) -> Scores:
        """How well each thing lies at a place (N,), in [0, 1]."""
        if place.bearing_rad is None:
            return np.asarray(1.0 / (1.0 + 4.0 * self.gap_m**2))
        off = np.minimum(
            _between(self.bearing_rad, place.bearing_rad),
            _between(self._nearest_rad, place.bearing_rad),
        )
        fading = 1.0 - (off - place.half_width_rad) / _FADE_RAD
        return np.where(self.holds_viewer, 0.0, np.clip(fading, 0.0, 1.0))

    def _bearings(self, points: NDArray[np.float64]) -> Scores:
        offset = points - self.viewpoint.position[:2]
        ahead, right = offset @ self.viewpoint.ahead, offset @ self.viewpoint.right
        return np.arctan2(right, ahead)


def _between(angles_rad: Scores, bearing_rad: float) -> Scores:
    return np.asarray(np.abs((angles_rad - bearing_rad + math.pi) % (2.0 * math.pi) - math.pi))
