"""Which stored frames should show a thing, by their poses alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import FrameIndex

_FRAMES_AT_ONCE = 4096  # keeps the table of projected points small
_NEAREST_M = 0.1
_LEAST_SHARE = 0.3  # of the points in the picture
_LEAST_PX = 16.0  # across
_SAME_PLACE_RAD = np.deg2rad(2.0)  # seen from there, and as near: the same view again
_SAME_SIZE = 1.08
_BEST_TURN_RAD = np.deg2rad(50.0)  # from a view that is there: farther round, little is shared
_UNDETECTED = 0.5  # what a frame counts in which the detector did not find the thing


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Columns, one entry a candidate.

    Attributes:
        rows: (C,) intp, of the frame index.
        share: (C,) float32, of the points that lie in the picture.
        size_px: (C,) float32, how large the thing is there, across.
        rays: (C, 3) float32, unit, from the thing to the camera, world.
        detected: (C,) bool: the detector found the same object of the map there.
    """

    rows: NDArray[np.intp]
    share: NDArray[np.float32]
    size_px: NDArray[np.float32]
    rays: NDArray[np.float32]
    detected: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)


def find_candidates(
    points: NDArray[np.float32], index: FrameIndex, object_id: int | None
) -> Candidates:
    """Frames that have enough of the points (M, 3) in view and large enough, and those in which the
    same object was detected."""
    share, size_px = _projected(points, index)
    detected = np.zeros(len(index), np.bool_)
    if object_id is not None:
        detected[index.detection_frames[index.detection_objects == object_id]] = True
    rows = np.flatnonzero(((share >= _LEAST_SHARE) & (size_px >= _LEAST_PX)) | detected)
    rays = index.world_T_camera[rows, :3, 3] - points.mean(axis=0)
    rays = rays / np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), 1e-9)
    return Candidates(rows, share[rows], size_px[rows], rays.astype(np.float32), detected[rows])


def _projected(
    points: NDArray[np.float32], index: FrameIndex
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Share of the points in each frame's picture (N,), and the thing's size there (N,)."""
    width, height, fx, fy, cx, cy = (
        np.array([(c.width, c.height, c.fx, c.fy, c.cx, c.cy) for c in index.cameras], np.float32)
        .reshape(-1, 6)[index.camera_indices]
        .T
    )
    extent_m = np.linalg.norm(np.ptp(points, axis=0))
    share, size_px = np.zeros(len(index), np.float32), np.zeros(len(index), np.float32)
    for start in range(0, len(index), _FRAMES_AT_ONCE):
        part = slice(start, start + _FRAMES_AT_ONCE)
        pose = index.world_T_camera[part]
        offset = points[None] - pose[:, None, :3, 3].astype(np.float32)
        local = offset @ pose[:, :3, :3].astype(np.float32)
        z = local[..., 2]
        before = z > _NEAREST_M
        near = np.where(before, z, np.float32(1.0))
        u = local[..., 0] / near * fx[part, None] + cx[part, None]
        v = local[..., 1] / near * fy[part, None] + cy[part, None]
        inside = before & (u >= 0) & (v >= 0)
        inside &= (u <= width[part, None] - 1) & (v <= height[part, None] - 1)
        share[part] = inside.mean(axis=1)
        distance = np.maximum(np.linalg.norm(offset.mean(axis=1), axis=1), _NEAREST_M)
        size_px[part] = fx[part] * extent_m / distance
    return share, size_px


class ViewOrder:
    """Gives one candidate after the other: those that show most beyond the views taken so far."""

    def __init__(self, candidates: Candidates, anchor_row: int | None) -> None:
        """Args: anchor_row: of the frame index; None where it is not in it."""
        self._candidates = candidates
        self._is_open = candidates.rows != (-1 if anchor_row is None else anchor_row)
        quality = np.maximum(candidates.share, np.float32(_LEAST_SHARE))
        largest = max(float(candidates.size_px.max(initial=0.0)), 1.0)
        quality = quality * np.sqrt(np.minimum(candidates.size_px / largest, 1.0))
        self._quality = quality * np.where(candidates.detected, 1.0, _UNDETECTED)
        self._turn_rad = np.full(len(candidates), np.inf)

    def take(self, ray: NDArray[np.floating], size_px: float) -> None:
        """A view from there was taken: others that are nearly the same are closed."""
        turn = np.arccos(np.clip(self._candidates.rays @ ray.astype(np.float32), -1.0, 1.0))
        self._turn_rad = np.minimum(self._turn_rad, turn)
        ratio = self._candidates.size_px / max(size_px, 1e-6)
        as_large = (ratio < _SAME_SIZE) & (ratio > 1.0 / _SAME_SIZE)
        self._is_open &= ~((turn < _SAME_PLACE_RAD) & as_large)

    def pop(self) -> int | None:
        """Place of the next best among the candidates; None when there is no other."""
        if not self._is_open.any():
            return None
        news = np.minimum(self._turn_rad, _BEST_TURN_RAD)
        too_far = np.clip(self._turn_rad - _BEST_TURN_RAD, 0.0, np.pi)
        score = self._quality * (news - 0.5 * np.minimum(too_far, news) + 0.1)
        best = int(np.argmax(np.where(self._is_open, score, -1.0)))
        self._is_open[best] = False
        return best
