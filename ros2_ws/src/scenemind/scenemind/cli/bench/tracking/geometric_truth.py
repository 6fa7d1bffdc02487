"""Which detections of successive frames show one thing, by geometry and not by a tracker.

Recordings have no true identities. But their poses and depth say where each pixel of one frame lies
in the next: two detections show the same thing when most of the surface of each lies on the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose
from scenemind.perception.types import Detections

_SAMPLES = 300  # pixels of a detection
_SHARE = 0.5  # of the samples that must lie on the other detection
_TOLERANCE_M, _TOLERANCE_SHARE = 0.06, 0.04  # of depth that agrees
_FEWEST, _FEWEST_SHARE = 20, 0.2  # samples that the other frame shows, below which nothing is said


class GeometricTruth:
    """Identities of detections while a recording goes by: a chain of mutual overlaps each."""

    def __init__(self) -> None:
        self._previous: tuple[RGBDFrame, Detections, NDArray[np.int64]] | None = None
        self._next_id = 1

    def add(self, frame: RGBDFrame, detections: Detections) -> NDArray[np.int64]:
        """(N,) identities, from 1; the one of the frame before where exactly that continues."""
        ids = np.zeros(len(detections), dtype=np.int64)
        if self._previous is not None:
            before, earlier, earlier_ids = self._previous
            forth = _shares(before, earlier, frame, detections)
            back = _shares(frame, detections, before, earlier).T
            a, b = np.nonzero((forth > _SHARE) & (back > _SHARE))
            # Where three overlap mutually (a thing detected twice), nobody can say which is which.
            single = (np.bincount(a, minlength=len(earlier))[a] == 1) & (
                np.bincount(b, minlength=len(detections))[b] == 1
            )
            ids[b[single]] = earlier_ids[a[single]]
        new = np.flatnonzero(ids == 0)
        ids[new] = self._next_id + np.arange(len(new))
        self._next_id += len(new)
        self._previous = (frame, detections, ids)
        return ids


def _shares(
    source: RGBDFrame, found: Detections, target: RGBDFrame, candidates: Detections
) -> NDArray[np.float64]:
    """(N, M): which share of each detection's surface lies on each candidate in the other frame.

    Of what the other frame could show; surface that is out of its view or hidden there says
    nothing.
    """
    shares = np.zeros((len(found), len(candidates)))
    motion = target.world_T_camera.inverse() @ source.world_T_camera
    for row in range(len(found)):
        u, v, samples = _carried(source, found, row, motion, target)
        if len(u) >= max(_FEWEST, _FEWEST_SHARE * samples):
            for column in range(len(candidates)):
                shares[row, column] = _lies_on(candidates, column, u, v).mean()
    return shares


def _carried(
    source: RGBDFrame, found: Detections, row: int, motion: Pose, target: RGBDFrame
) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    """Pixels u (K,), v (K,) of the target that show a detection's samples; how many samples."""
    u, v = _pixels(found, row)
    depth = source.depth_m[v, u]
    measured = depth > 0.0
    points = source.camera.unproject(u[measured], v[measured], depth[measured])
    pixels, z = target.camera.project(motion.transform(points))
    size = (target.camera.width, target.camera.height)
    ahead = z > 0.0
    at = np.rint(pixels[ahead]).astype(np.intp)
    inside = ((at >= 0) & (at < size)).all(axis=1)
    at, z = at[inside], z[ahead][inside]
    there = target.depth_m[at[:, 1], at[:, 0]]
    same = np.abs(there - z) < _TOLERANCE_M + _TOLERANCE_SHARE * z
    return at[same, 0], at[same, 1], len(u)


def _pixels(found: Detections, row: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pixels of a detection, evenly thinned: of its mask, or of the middle of its box."""
    mask = found.masks[row]
    if mask is not None:
        v, u = np.nonzero(mask.bits)
        u, v = u + mask.x_px, v + mask.y_px
    else:
        low, high = found.boxes_px[row, :2], found.boxes_px[row, 2:]
        low, high = 0.8 * low + 0.2 * high, 0.2 * low + 0.8 * high
        columns, rows = (np.arange(int(a), int(b) + 1) for a, b in zip(low, high, strict=True))
        u, v = (grid.ravel() for grid in np.meshgrid(columns, rows))
    step = max(1, len(u) // _SAMPLES)
    return u[::step], v[::step]


def _lies_on(
    candidates: Detections, column: int, u: NDArray[np.intp], v: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Which pixels (K,) are in the mask of a detection, or in its box where it has none."""
    mask = candidates.masks[column]
    if mask is None:
        x0, y0, x1, y1 = candidates.boxes_px[column]
        return np.asarray((u >= x0) & (u < x1) & (v >= y0) & (v < y1))
    height, width = mask.bits.shape
    x, y = u - mask.x_px, v - mask.y_px
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    hit = np.zeros(len(u), dtype=np.bool_)
    hit[inside] = mask.bits[y[inside], x[inside]]
    return hit
