"""Where the objects of a scene lie for somebody who stands in it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scenemind.language.trees import Related, Viewer
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.viewpoint import bearing_of

# Angle beyond the width of a place over which the score falls to 0.
_FADE_RAD = math.radians(30.0)
# Angles to both sides of a direction within which things lie there.
_HOUR_RAD = math.radians(25.0)
_WIDTHS = {
    **dict.fromkeys(("left of", "right of", "in front of", "behind"), math.radians(50.0)),
    "in view of": math.radians(75.0),
}
_TOWARD_RAD = 0.35
# Largest object that surrounds the asker and so lies on no side, such as a chair.
_ABOUT_M = 1.2


class Surroundings:
    """Bearings and distances of a scene relative to one viewer.

    Attributes:
        bearing_rad: (N,) of the centres, clockwise from ahead, in (-pi, pi].
        gap_m: (N,) level distance to the boxes; 0 inside one.
        holds_viewer: (N,) bool: small objects that the viewer is on or in.
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

    def scores(self, place: Related) -> Scores:
        """Scores (N,) of all objects for a relation to the viewer."""
        bearing_rad = bearing_of(place.predicate)
        if bearing_rad is None:
            return np.asarray(1.0 / (1.0 + 4.0 * self.gap_m**2))
        if Viewer(turned=True) in place.anchors:
            bearing_rad += math.pi
        return self.towards(bearing_rad, _WIDTHS.get(place.predicate, _HOUR_RAD))

    def towards(self, bearing_rad: float, half_width_rad: float) -> Scores:
        """Scores (N,) for lying in a direction, clockwise from ahead: 1 within the angle to both
        sides, and fading beyond it."""
        off = np.minimum(
            _between(self.bearing_rad, bearing_rad), _between(self._nearest_rad, bearing_rad)
        )
        fading = 1.0 - (off - half_width_rad) / _FADE_RAD
        return np.where(self.holds_viewer, 0.0, np.clip(fading, 0.0, 1.0))

    def before(self, row: int) -> Scores:
        """Scores (N,) for being between the viewer and a thing."""
        ahead = self.towards(float(self.bearing_rad[row]), _TOWARD_RAD)
        return np.asarray(ahead * (self.gap_m < self.gap_m[row]))

    def _bearings(self, points: NDArray[np.float64]) -> Scores:
        offset = points - self.viewpoint.position[:2]
        ahead, right = offset @ self.viewpoint.ahead, offset @ self.viewpoint.right
        return np.arctan2(right, ahead)


def _between(angles_rad: Scores, bearing_rad: float) -> Scores:
    return np.asarray(np.abs((angles_rad - bearing_rad + math.pi) % (2.0 * math.pi) - math.pi))
