"""Lifting: tracked detections and depth to observations in the world, in bounded time."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig, LiftingConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
from scenemind.geometry.points import trimmed_bounds
from scenemind.perception.appearance import color_histograms
from scenemind.perception.depth_window import (
    PixelGrid,
    box_grid,
    drop_isolated,
    mask_grid,
    measured_depth,
)
from scenemind.perception.foreground import foreground_range
from scenemind.perception.types import Detections, Observation

_TRIMMED = 0.01  # share of the points that may stick out at each side of the box
_BORDER_PX = 2.0


def lift(
    detections: Detections,
    track_ids: NDArray[np.int64],
    frame: RGBDFrame,
    lifting: LiftingConfig,
    depth: DepthConfig,
) -> list[Observation]:
    """Observations of the detections that have a track (id >= 0) and enough measured depth.

    The mask is sampled on a grid. Samples without depth, at depth edges, alone, or outside the
    object's own range of depths, which the eroded mask tells, are dropped. The rest, in the world,
    give points and box. (VLM-Grounder, section 3.4, takes the points themselves from the eroded
    mask, which makes every object smaller.)

    Args:
        detections: N of them. track_ids: (N,), -1 for those without a track.
        frame: colour, depth and pose.
        lifting, depth: thresholds.
    """
    # One pixel around the image lets every sample have neighbours.
    padded_m = cv2.copyMakeBorder(frame.depth_m, 1, 1, 1, 1, cv2.BORDER_REPLICATE)
    observations = []
    for row in np.flatnonzero(track_ids >= 0):
        mask, box_px = detections.masks[row], detections.boxes_px[row]
        grid = box_grid(box_px) if mask is None else mask_grid(mask, lifting.erosion_px)
        if grid is None:
            continue
        surface = _surface(grid, padded_m, frame, lifting, depth)
        if surface is None:
            continue
        points, rgb, half_sample_m, distance_m = surface
        low, high = trimmed_bounds(points, _TRIMMED)
        inside = points[((points >= low) & (points <= high)).all(axis=1)]
        observations.append(
            Observation(
                track_id=int(track_ids[row]),
                label=detections.labels[row],
                score=float(detections.scores[row]),
                box_px=box_px,
                points=_thinned(inside, lifting.max_points),
                box=Box3D.from_bounds(low - half_sample_m, high + half_sample_m),
                mean_rgb=np.asarray(cv2.mean(rgb[None])[:3], np.float32),
                pixel_count=len(points) * grid.stride**2,
                truncated=_touches_border(box_px, frame),
                appearance=color_histograms(rgb, np.zeros(len(rgb), np.intp), 1)[0],
                sigma_m=lifting.depth_noise_1m_m * distance_m**2,
            )
        )
    return observations


def _surface(
    grid: PixelGrid,
    padded_m: NDArray[np.float32],
    frame: RGBDFrame,
    lifting: LiftingConfig,
    depth: DepthConfig,
) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.float64], float] | None:
    """World points (M, 3) of the visible surface, their colours, half a sample's extent, depth.

    The extent (3,) is along the world's axes, in metres: a sample stands for `stride` pixels.
    """
    depth_m, good = measured_depth(grid, padded_m, lifting, depth)
    trusted = depth_m[good & grid.trusted]
    if len(trusted) == 0:
        return None
    nearest, farthest = foreground_range(trusted, lifting.edge_ratio)
    kept = good & grid.inside & (depth_m >= nearest) & (depth_m <= farthest)
    kept = drop_isolated(kept)
    v, u = np.nonzero(kept)
    if len(v) < lifting.min_points:
        return None
    in_camera = frame.camera.unproject(
        (grid.x_px + u * grid.stride).astype(np.float32),
        (grid.y_px + v * grid.stride).astype(np.float32),
        depth_m[v, u],
    )
    points = frame.world_T_camera.transform(in_camera).astype(np.float32, copy=False)
    distance_m = float(in_camera[:, 2].mean())
    half_px = 0.5 * grid.stride * distance_m
    across = np.abs(frame.world_T_camera.rotation[:, :2])
    half_sample_m = across @ (half_px / frame.camera.fx, half_px / frame.camera.fy)
    return points, grid.window(frame.color)[v, u], half_sample_m, distance_m


def _thinned(points: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """At most so many of the points (N, 3), evenly from all of them; fusion finds the voxels."""
    if len(points) <= most:
        return points
    return points[(np.arange(most) * (len(points) / most)).astype(np.intp)]


def _touches_border(box_px: NDArray[np.float32], frame: RGBDFrame) -> bool:
    height, width = frame.depth_m.shape
    x0, y0, x1, y1 = box_px.tolist()
    near_low = min(x0, y0) <= _BORDER_PX
    return near_low or x1 >= width - _BORDER_PX or y1 >= height - _BORDER_PX
