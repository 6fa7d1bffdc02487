"""Floors, walls and table tops: planes that surround a box and go on into it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.surroundings.box_window import BoxWindow

_MOST_PLANES = 3
_LEAST_SHARE = 0.12  # of the measured surroundings, on a plane
_LEAST_POINTS = 12
_MOST_POINTS = 400
_HYPOTHESES = 60
# Distance from a plane that still is on it: a part for its roughness, one for stereo's noise.
_ROUGHNESS_M, _NOISE_1M_M = 0.01, 0.004


def on_surrounding_planes(window: BoxWindow) -> NDArray[np.bool_]:
    """(h, w) bool: samples on the planes that most of the surroundings lie on, where they are
    connected with the surroundings in the image.

    The planes are found as RANSAC does (Fischler and Bolles 1981), the same for the same window.
    """
    measured = window.depth_m > 0.0
    around = measured & ~window.in_box
    on_plane = np.zeros(measured.shape, np.bool_)
    for normal, offset_m in _planes(_thinned(window.points[around])):
        near = measured & _is_near(window.points, normal, offset_m)
        _, parts = cv2.connectedComponents(near.astype(np.uint8))
        goes_on = np.zeros(int(parts.max()) + 1, np.bool_)
        goes_on[parts[around & near]] = True
        on_plane |= near & goes_on[parts]
    return on_plane


def _planes(points: NDArray[np.float32]) -> list[tuple[NDArray[np.float32], float]]:
    """Normals and offsets, the largest plane first."""
    generator = np.random.default_rng(0)
    least = max(_LEAST_POINTS, _LEAST_SHARE * len(points))
    found: list[tuple[NDArray[np.float32], float]] = []
    while len(points) >= least and len(found) < _MOST_PLANES:
        best = _largest(points, generator)
        if best is None or np.count_nonzero(best) < least:
            break
        normal, offset_m = _fitted(points[best])
        found.append((normal, offset_m))
        points = points[~_is_near(points, normal, offset_m)]
    return found


def _largest(
    points: NDArray[np.float32], generator: np.random.Generator
) -> NDArray[np.bool_] | None:
    """(K,) bool: those near the plane through three of them that has most near it."""
    a, b, c = points[generator.integers(0, len(points), (3, _HYPOTHESES))]
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    real = lengths > 1e-6
    if not real.any():
        return None
    normals = normals[real] / lengths[real, None]
    offsets_m = (normals * a[real]).sum(axis=1)
    near = np.abs(points @ normals.T - offsets_m) < _reach_m(points)[:, None]
    best: NDArray[np.bool_] = near[:, np.argmax(near.sum(axis=0))]
    return best


def _fitted(points: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
    center = points.mean(axis=0)
    normal = np.linalg.svd(points - center, full_matrices=False)[2][2]
    return normal, float(normal @ center)


def _is_near(
    points: NDArray[np.float32], normal: NDArray[np.float32], offset_m: float
) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = np.abs(points @ normal - offset_m) < _reach_m(points)
    return near


def _reach_m(points: NDArray[np.float32]) -> NDArray[np.float32]:
    reach: NDArray[np.float32] = _ROUGHNESS_M + _NOISE_1M_M * points[..., 2] ** 2
    return reach


def _thinned(points: NDArray[np.float32]) -> NDArray[np.float32]:
    if len(points) <= _MOST_POINTS:
        return points
    return points[np.random.default_rng(0).choice(len(points), _MOST_POINTS, replace=False)]
