"""A mask in one depth image to points in the world."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory import DepthImage
from scenemind.perception.foreground import foreground_ranges
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.depth_window import DepthWindow, depth_window
from scenemind.reasoning.vlm_grounder.projection.morphology import CleanMask
from scenemind.reasoning.vlm_grounder.projection.smoothing import smoothed

NOISE_1M_M = 0.0025
"""Standard deviation of depth at 1 m; it grows with the distance squared (`LiftingConfig`)."""
_EDGE_RATIO = 0.05  # a relative depth step that makes an edge, or parts two layers
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
    is missing or mixed with what stands behind, have the depth of the nearest believed one: that
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
    depth_m, shown = _filled(smooth.depth_m, believed, window.inside, reach_px)
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
    trusted = trusted[:: max(1, len(trusted) // _ENOUGH)]
    nearest_m, farthest_m = foreground_ranges(
        trusted, np.zeros(len(trusted), np.intp), 1, _EDGE_RATIO
    )
    own &= (window.depth_m >= nearest_m[0]) & (window.depth_m <= farthest_m[0])
    around = cv2.boxFilter(
        own.astype(np.uint8), -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    believed: NDArray[np.bool_] = own & (around >= 3)
    return believed


def _edges(window: DepthWindow) -> NDArray[np.bool_]:
    """Where depth steps within 3x3 pixels, those beside the window included."""
    square = np.ones((3, 3), np.uint8)
    wide = window.wide_m
    lowest = cv2.erode(np.where(wide > 0.0, wide, np.float32(np.inf)), square)
    highest = cv2.dilate(wide, square)
    lowest, highest = lowest[window.inner], highest[window.inner]
    step = np.float32(_EDGE_RATIO) * window.depth_m
    edges: NDArray[np.bool_] = (highest - window.depth_m > step) | (window.depth_m - lowest > step)
    return edges


def _filled(
    depth_m: NDArray[np.float32],
    believed: NDArray[np.bool_],
    inside: NDArray[np.bool_],
    reach_px: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Depth of the believed pixels and of those of the mask that are near enough to one."""
    distance, nearest = cv2.distanceTransformWithLabels(
        (~believed).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    of_label = np.zeros(int(nearest.max()) + 1, np.float32)
    of_label[nearest[believed]] = depth_m[believed]
    near = inside & ~believed & (distance <= reach_px)
    return np.where(near, of_label[nearest], depth_m), believed | near
