"""A depth image to a few thousand places with the directions in which their surface faces.

A plane is affine in inverse depth over the pixels: 1/z = a (u - cx) + b (v - cy) + c. So means over
cells of pixels take out noise and keep the plane, the normal follows from a least-squares fit to
three by three cells, and one residual tells planes from edges and curves.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig
from scenemind.frames import RGBDFrame

FARTHEST_M = 6.0  # noise grows with the square of the distance
_COLUMNS = 64  # cells across the image
_PIXELS_ACROSS = 320  # of the image that are looked at: a cell's mean hardly gains from more
_MEASURED_SHARE = 0.6  # of a cell's pixels
# Root mean square that a plane's nine cells may deviate: noise of cameras that triangulate is the
# same everywhere in inverse depth; that of cameras that time the light is the same in depth.
_RESIDUAL_1M_M = 0.0015
_RESIDUAL_M = 0.01
_LEAST_COSINE = 0.1  # a surface seen at a smaller angle than 6 degrees

_RAMP = np.array([-1.0, 0.0, 1.0])
_FLAT = np.ones(3)
_BORDER = cv2.BORDER_CONSTANT


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceSamples:
    """Columns of equal length.

    Attributes:
        points: (N, 3) float32, world, metres.
        normals: (N, 3) float32, unit, world, towards the camera.
        weights: (N,) float32 in (0, 1]: near ones are measured better.
    """

    points: NDArray[np.float32]
    normals: NDArray[np.float32]
    weights: NDArray[np.float32]


def sample_surfaces(frame: RGBDFrame, depth: DepthConfig) -> SurfaceSamples:
    """Where the frame shows flat surfaces; about 3,000 samples at most.

    Args:
        depth: the range that counts as measured.
    """
    camera = frame.camera
    every, side = _grid(camera.width)
    range_m = (depth.min_m, min(depth.max_m, FARTHEST_M))
    inverse, enough = _cells(frame.depth_m, range_m, every, side)
    slope_u, slope_v, mean, residual = _fit(inverse, every * side)
    good = cv2.erode(enough, np.ones((3, 3), np.uint8), borderType=_BORDER, borderValue=0) > 0
    allowed = np.maximum(_RESIDUAL_1M_M, _RESIDUAL_M * mean * mean)
    good &= residual < allowed
    cells = np.flatnonzero(good)
    row, column = np.divmod(cells, good.shape[1])
    a, b, value = slope_u.take(cells), slope_v.take(cells), mean.take(cells)
    # A cell's centre is the mean of the pixels that are looked at.
    x, y = (every * (side * index + (side - 1) / 2.0) for index in (column, row))
    x, y = x - camera.cx, y - camera.cy
    # n . X = 1 for points X of the plane, so -n faces the camera and 1 / |n| is its distance.
    n = np.stack((camera.fx * a, camera.fy * b, value - a * x - b * y))
    points = np.stack((x / camera.fx, y / camera.fy, np.ones(len(x)))) / value
    length = np.sqrt((n * n).sum(axis=0))
    seen = length * np.sqrt((points * points).sum(axis=0)) < 1.0 / _LEAST_COSINE
    pose = frame.world_T_camera
    return SurfaceSamples(
        pose.transform(points.T[seen]).astype(np.float32),
        ((-n / length).T[seen] @ pose.rotation.T).astype(np.float32),
        np.minimum(1.0, value[seen] ** 2).astype(np.float32),
    )


def _grid(width: int) -> tuple[int, int]:
    """Which pixels are looked at (every n-th), and how many of those are a cell's side."""
    every = max(1, width // _PIXELS_ACROSS)
    return every, max(1, width // every // _COLUMNS)


def _cells(
    depth_m: NDArray[np.float32], range_m: tuple[float, float], every: int, side: int
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Mean inverse depth of the cells (rows, columns), and 1 where enough was measured."""
    height, width = depth_m.shape
    rows, columns = max(1, height // every // side), max(1, width // every // side)
    depth_m = depth_m[: rows * side * every : every, : columns * side * every : every]
    in_range = (depth_m >= range_m[0]) & (depth_m <= range_m[1])  # NaN is not
    measured = in_range.astype(np.float32)
    inverse = np.divide(measured, depth_m, out=np.zeros_like(measured), where=in_range)
    share = cv2.resize(measured, (columns, rows), interpolation=cv2.INTER_AREA)
    total = cv2.resize(inverse, (columns, rows), interpolation=cv2.INTER_AREA)
    enough = share >= _MEASURED_SHARE
    mean = np.divide(total, share, out=np.zeros_like(total), where=enough)
    return mean.astype(np.float64), enough.astype(np.uint8)


def _fit(inverse: NDArray[np.float64], step_px: int) -> tuple[NDArray[np.float64], ...]:
    """Planes through 3x3 cells, by their middle one: slopes per pixel to the right and down, value
    and residual (rows, columns)."""
    along_u = cv2.sepFilter2D(inverse, -1, _RAMP, _FLAT, borderType=_BORDER) / 6.0
    along_v = cv2.sepFilter2D(inverse, -1, _FLAT, _RAMP, borderType=_BORDER) / 6.0
    mean = cv2.boxFilter(inverse, -1, (3, 3), borderType=_BORDER)
    squares = cv2.boxFilter(inverse * inverse, -1, (3, 3), borderType=_BORDER)
    by_slope = (along_u * along_u + along_v * along_v) * (6.0 / 9.0)
    residual = np.sqrt(np.maximum(0.0, squares - mean * mean - by_slope))
    return along_u / step_px, along_v / step_px, mean, residual
