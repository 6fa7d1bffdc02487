"""A box in the world as lines and as a rectangle in an image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.reasoning.vlm_grounder.types import BoxPx

_NEAREST_M = 0.05  # lines end here before the camera
_FARTHEST_PX = 10_000.0  # what drawing can take
# Of `Box3D.corners`: the bottom rectangle, the top one, and what joins them.
_EDGES = np.array(
    [(i, (i + 1) % 4) for i in range(4)]
    + [(4 + i, 4 + (i + 1) % 4) for i in range(4)]
    + [(i, i + 4) for i in range(4)]
)

Line = tuple[tuple[int, int], tuple[int, int]]


def visible_edges_px(box: Box3D, camera: PinholeCamera, world_T_camera: Pose) -> list[Line]:
    """Those edges that lie before the camera at least in part, cut to what does; they may leave the
    picture."""
    ends = _edges_in_front(box, world_T_camera)
    if len(ends) == 0:
        return []
    pixels, _ = camera.project(ends)
    drawn = np.rint(np.clip(pixels, -_FARTHEST_PX, _FARTHEST_PX)).astype(int).tolist()
    return [((a[0], a[1]), (b[0], b[1])) for a, b in drawn]


def find_bounds_px(box: Box3D, camera: PinholeCamera, world_T_camera: Pose) -> BoxPx | None:
    """The rectangle around the box in the picture; None where it is outside."""
    ends = _edges_in_front(box, world_T_camera)
    if len(ends) == 0:
        return None
    pixels = camera.project(ends)[0].reshape(-1, 2)
    size = np.array((camera.width, camera.height), np.float64)
    low, high = np.clip(pixels.min(axis=0), 0, size), np.clip(pixels.max(axis=0), 0, size)
    if (high <= low).any():
        return None
    return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def _edges_in_front(box: Box3D, world_T_camera: Pose) -> NDArray[np.floating]:
    """(E, 2, 3) camera-frame ends of edges, cut at a plane just before the camera."""
    corners = world_T_camera.inverse().transform(box.corners())
    ends = corners[_EDGES]
    ends = ends[(ends[..., 2] > _NEAREST_M).any(axis=1)]
    z = ends[..., 2]
    step = z[:, 1] - z[:, 0]
    share = np.divide(_NEAREST_M - z[:, 0], step, out=np.zeros_like(step), where=step != 0.0)
    cut = ends[:, 0] + share[:, None] * (ends[:, 1] - ends[:, 0])
    return np.where((z > _NEAREST_M)[..., None], ends, cut[:, None])
