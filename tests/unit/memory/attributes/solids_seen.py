"""Surfaces of known solids as the map has them: the mean points of occupied voxels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.attributes.form import Form
from scenemind.memory.objects.surface_evidence import cell_means

CELL_M = 0.03
Points = NDArray[np.float64]


def form_of(points: Points, noise_m: float = 0.003, seed: int = 0) -> Form:
    """The form that is found of points (N, 3), metres, with noise and away from the origin."""
    rng = np.random.default_rng(seed)
    placed = points + rng.normal(0.0, noise_m, points.shape) + (3.1, -2.3, 1.0)
    _, means = cell_means([placed.astype(np.float32)], [CELL_M])
    return Form(means, Box3D.from_bounds(means.min(axis=0), means.max(axis=0)), CELL_M)


def turned(points: Points, axis: int, degrees: float) -> Points:
    """Points turned about an axis of the world."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    a, b = [other for other in range(3) if other != axis]
    result = points.copy()
    result[:, a] = c * points[:, a] - s * points[:, b]
    result[:, b] = s * points[:, a] + c * points[:, b]
    return result


def box(size: tuple[float, float, float], faces: str = "xyz", count: int = 6000) -> Points:
    """Points on faces of a box about the origin; "X" is the one at +x alone, "x" both."""
    rng = np.random.default_rng(1)
    parts = []
    for face in faces:
        axis = "xyz".index(face.lower())
        points = rng.uniform(-0.5, 0.5, (count, 3))
        points[:, axis] = 0.5 if face.isupper() else rng.choice((-0.5, 0.5), count)
        parts.append(points * size)
    return np.vstack(parts)


def sphere(radius: float, count: int = 8000) -> Points:
    points = np.random.default_rng(2).normal(size=(count, 3))
    return np.asarray(radius * points / np.linalg.norm(points, axis=1, keepdims=True))


def cylinder(radius: float, height: float, from_deg: float = 0.0, to_deg: float = 360.0) -> Points:
    """An upright cylinder with its top, seen around a part of its side."""
    rng = np.random.default_rng(3)
    angle = np.radians(rng.uniform(from_deg, to_deg, 8000))
    side = np.column_stack((np.cos(angle), np.sin(angle), rng.uniform(-0.5, 0.5, 8000)))
    disc = np.sqrt(rng.uniform(0.0, 1.0, 3000))
    turn = rng.uniform(0.0, 2.0 * np.pi, 3000)
    top = np.column_stack((disc * np.cos(turn), disc * np.sin(turn), np.full(3000, 0.5)))
    return np.vstack((side, top)) * (radius, radius, height)


def shifted(points: Points, x: float, y: float, z: float) -> Points:
    return np.asarray(points + np.array([x, y, z]))


def table(length: float, width: float, height: float, leg: float = 0.06) -> Points:
    """A thin top on four legs."""
    top = shifted(box((length, width, 0.03)), 0.0, 0.0, height / 2)
    legs = [
        shifted(box((leg, leg, height)), x * (length - leg) / 2, y * (width - leg) / 2, 0.0)
        for x in (-1, 1)
        for y in (-1, 1)
    ]
    return np.vstack((top, *legs))
