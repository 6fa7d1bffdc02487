"""A mask in one depth image to points in the world."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.depth_window import DepthWindow, depth_window
from scenemind.reasoning.vlm_grounder.projection.morphology import CleanMask
from scenemind.reasoning.vlm_grounder.projection.smoothing import (
    Smoothed,
    inverse_or_0,
    smoothed,
)

NOISE_1M_M = 0.0025
"""Standard deviation of depth at 1 m; it grows with the distance squared (`LiftingConfig`)."""
_EDGE_RATIO = 0.05  # a relative depth step that makes an edge
_OWN_GAP = 0.4  # of a thing's width, between parts of it one behind the other
_SIGNIFICANT = 0.4  # of the largest layer: the target, where it stands before
_FEWEST = 10  # samples: fewer say nothing about a surface
_ENOUGH = 4000  # depths that tell the target's range
_MOST = 3000  # samples of one view; more add time but no accuracy


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """What one view shows of the target. Each sample is a small patch across its ray.

    Attributes:
        points: (M, 3) float32, world, metres.
        rays: (M, 3) float32, unit directions from the camera, world.
        sigma_m: (M,) float32, standard deviation along the ray of a single measured depth.
        left_m: (M,) float32, the same after smoothing.
        half_m: (M,) float32, half of the patch's side.
    """

    points: NDArray[np.float32]
    rays: NDArray[np.float32]
    sigma_m: NDArray[np.float32]
    left_m: NDArray[np.float32]
    half_m: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.points)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Surface:
        return Surface(*(column[rows] for column in self._columns()))

    def some(self, most: int) -> Surface:
        """Evenly chosen samples."""
        if len(self) <= most:
            return self
        return self.select(np.linspace(0, len(self) - 1, most).astype(np.intp))

    @classmethod
    def union(cls, surfaces: list[Surface]) -> Surface:
        """All of them, one after the other; at least one."""
        columns = zip(*(surface._columns() for surface in surfaces), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def _columns(self) -> tuple[NDArray[np.float32], ...]:
        return (self.points, self.rays, self.sigma_m, self.left_m, self.half_m)


def mask_points(mask: BoxMask, depth: DepthImage, world_T_camera: Pose) -> NDArray[np.float32]:
    """World points (M, 3) of all measured depth pixels in a mask, each once.

    The paper's projection alone. (Its code looks depth up for each pixel of the mask, so that a
    depth image of half the colour's size gives each point four times.)
    """
    window = depth_window(mask, depth)
    rows, columns = np.nonzero(window.inside & window.measured)
    return window.world_points(rows, columns, window.depth_m[rows, columns], world_T_camera)


def find_surface(
    clean: CleanMask, depth: DepthImage, world_T_camera: Pose, most: int = _MOST
) -> Surface | None:
    """The target's visible surface; None where too little depth was measured.

    Only depth of the kind that the mask's core has, and off depth edges, is believed; it is
    smoothed as far as the camera's noise explains. Pixels of the mask near to it, whose own depth
    is missing or mixed with what stands behind, lie on the plane of the nearest believed one: that
    they are the target's is the mask's to say.

    Args:
        most: samples of it, about.
    """
    window = depth_window(clean.mask, depth)
    believed = _believed(window, window.of(clean.core))
    if np.count_nonzero(believed) < _FEWEST:
        return None
    smooth = smoothed(window.depth_m, believed, NOISE_1M_M)
    reach_px = max(1.0, clean.erosion_px / depth.every_px)
    depth_m, shown = _filled(smooth, believed, window.inside, reach_px)
    stride = max(1, ceil(sqrt(np.count_nonzero(shown) / most) - 0.25))
    first = (stride - 1) // 2
    rows, columns = np.nonzero(shown[first::stride, first::stride])
    rows, columns = rows * stride + first, columns * stride + first
    along = depth_m[rows, columns]
    points = window.world_points(rows, columns, along, world_T_camera)
    rays = points - world_T_camera.translation.astype(np.float32)
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    square = along * along
    half_px = np.float32(0.5 * stride / min(depth.camera.fx, depth.camera.fy))
    return Surface(
        points, rays, square * np.float32(NOISE_1M_M), square * np.float32(smooth.noise_left),
        along * half_px,
    )  # fmt: skip


def _believed(window: DepthWindow, core: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Measured, off depth edges, in the core's range of depths, and among others."""
    own = window.inside & window.measured & ~_edges(window)
    trusted = window.depth_m[own & core]
    if len(trusted) < _FEWEST:
        trusted = window.depth_m[own]
    nearest_m, farthest_m = _depth_range(trusted, window)
    own &= (window.depth_m >= nearest_m) & (window.depth_m <= farthest_m)
    around = cv2.boxFilter(
        own.astype(np.uint8), -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    believed: NDArray[np.bool_] = own & (around >= 3)
    return believed


def _depth_range(depth_m: NDArray[np.float32], window: DepthWindow) -> tuple[float, float]:
    """Of the target: the nearest layer of depths (K,) that is no small one.

    A thing is about as deep as it is wide, so its own parts are nearer to each other than its
    width: a chair's back and its seat; the wall behind is farther.
    """
    ordered = np.sort(depth_m[:: max(1, len(depth_m) // _ENOUGH)])
    if len(ordered) == 0:
        return 0.0, 0.0
    width = max(window.depth_m.shape) / window.camera.fx
    gap = np.float32(max(_EDGE_RATIO, _OWN_GAP * width)) * ordered[:-1]
    starts = np.concatenate(([0], 1 + np.flatnonzero(np.diff(ordered) > gap)))
    sizes = np.diff(np.append(starts, len(ordered)))
    first = int(np.argmax(sizes >= _SIGNIFICANT * sizes.max()))
    nearest, farthest = ordered[starts[first]], ordered[starts[first] + sizes[first] - 1]
    margin = _EDGE_RATIO / 2.0
    return float(nearest * (1.0 - margin)), float(farthest * (1.0 + margin))


def _edges(window: DepthWindow) -> NDArray[np.bool_]:
    """Where depth steps, to a neighbour in the window or beside it.

    On inverse depth, in which a plane's steps to both sides are equal however it is tilted; a
    neighbour that was not measured is taken for one on the plane.
    """
    inverse = np.pad(inverse_or_0(window.wide_m), 1)
    known = inverse > 0.0
    rows, columns = (slice(part.start + 1, part.stop + 1) for part in window.inner)
    limit = np.float32(_EDGE_RATIO) * inverse[rows, columns]
    down = np.diff(inverse, axis=0) * (known[1:] & known[:-1])
    right = np.diff(inverse, axis=1) * (known[:, 1:] & known[:, :-1])
    bend_down = down[rows, columns] - down[_before(rows), columns]
    bend_right = right[rows, columns] - right[rows, _before(columns)]
    edges: NDArray[np.bool_] = (np.abs(bend_down) > limit) | (np.abs(bend_right) > limit)
    return edges


def _before(part: slice) -> slice:
    return slice(part.start - 1, part.stop - 1)


def _filled(
    smooth: Smoothed,
    believed: NDArray[np.bool_],
    inside: NDArray[np.bool_],
    reach_px: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Depth of the believed pixels and of those of the mask that are near enough to one, on its
    plane and not beyond all that is believed."""
    distance, label = cv2.distanceTransformWithLabels(
        (~believed).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    near = inside & ~believed & (distance <= reach_px)
    of_label = np.zeros(int(label.max()) + 1, np.intp)
    of_label[label[believed]] = np.flatnonzero(believed)
    nearest = of_label[label[near]]
    rows, columns = np.nonzero(near)
    from_rows, from_columns = np.divmod(nearest, believed.shape[1])
    plane = smooth.inverse.reshape(-1)[nearest]
    plane = plane + smooth.slope_u.reshape(-1)[nearest] * (columns - from_columns)
    plane = plane + smooth.slope_v.reshape(-1)[nearest] * (rows - from_rows)
    own = smooth.inverse[believed]
    inverse = smooth.inverse.copy()
    inverse[near] = np.clip(plane, own.min(), own.max())
    shown = believed | near
    return inverse_or_0(inverse * shown), shown
