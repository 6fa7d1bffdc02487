"""The poses at which locations were opened, to tell crossings and revisits.

The paper does not merge the locations of a revisit (section 4.1), and neither do we; but it does
not say either that they are at the same place, which we link. A revisit is linked to the first
visit: poses of first visits alone are searched, so that links make no chains which creep away
from where they began, and the search grows with the space that was seen, not with time.
"""

from __future__ import annotations

import numpy as np

from scenemind.geometry import Pose

# Of anchors that are nearly as near, the oldest is taken, by this share of the thresholds: a camera
# that comes back between two of them would else be at the one this time and at the other the next.
_NEARLY = 0.1


class Anchors:
    """Anchor poses of first visits in one growing array, searched at once."""

    def __init__(self, translation_m: float, rotation_rad: float) -> None:
        self._translation_m = translation_m
        self._rotation_rad = rotation_rad
        self._ids: list[int] = []
        self._rows = np.empty((64, 12))  # translation, then the rotation matrix row by row

    def differ(self, a: Pose, b: Pose) -> bool:
        """Line 9 of Algorithm 1: further apart or further turned than the thresholds."""
        return a.distance_m(b) > self._translation_m or a.angle_rad(b) > self._rotation_rad

    def add(self, location_id: int, pose: Pose) -> None:
        if len(self._ids) == len(self._rows):
            self._rows = np.concatenate((self._rows, np.empty_like(self._rows)))
        self._rows[len(self._ids)] = np.concatenate((pose.translation, pose.rotation.ravel()))
        self._ids.append(location_id)

    def find_near(self, pose: Pose) -> int | None:
        """The location whose anchor is within both thresholds; None without one.

        The nearest of several, each distance counted in its threshold, or an older one that is
        nearly as near.
        """
        if not self._ids:
            return None
        rows = self._rows[: len(self._ids)]
        distance_m = np.linalg.norm(rows[:, :3] - pose.translation, axis=1)
        cosine = (rows[:, 3:] @ pose.rotation.ravel() - 1.0) / 2.0
        angle_rad = np.arccos(np.clip(cosine, -1.0, 1.0))
        share = np.hypot(distance_m / self._translation_m, angle_rad / self._rotation_rad)
        share[(distance_m > self._translation_m) | (angle_rad > self._rotation_rad)] = np.inf
        nearest = share.min()
        if not np.isfinite(nearest):
            return None
        return self._ids[int(np.flatnonzero(share <= nearest + _NEARLY)[0])]
