"""Flat surfaces in closed form, sampled as a camera's frames would be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.structure.tiles import SurfaceSamples, Tiles

SPACING_M = 0.05


def level(
    x: tuple[float, float], y: tuple[float, float], z: float, up: bool = True
) -> SurfaceSamples:
    """A level rectangle."""
    a, b = np.meshgrid(_steps(x), _steps(y), indexing="ij")
    places = np.column_stack((a.ravel(), b.ravel(), np.full(a.size, z)))
    return _samples(places, (0.0, 0.0, 1.0 if up else -1.0))


def upright(
    start: tuple[float, float], end: tuple[float, float], z: tuple[float, float]
) -> SurfaceSamples:
    """An upright rectangle over a line seen from above; it faces the left of its direction."""
    a, b = np.array(start), np.array(end)
    length = float(np.linalg.norm(b - a))
    direction = (b - a) / length
    s, h = np.meshgrid(_steps((0.0, length)), _steps(z), indexing="ij")
    places = np.column_stack((a + s.reshape(-1, 1) * direction, h.ravel()))
    return _samples(places, (-direction[1], direction[0], 0.0))


def tiles_of(*surfaces: SurfaceSamples, noise_m: float = 0.0, seed: int = 0) -> Tiles:
    """Tiles that saw all of them, displaced along their normals at random."""
    rng = np.random.default_rng(seed)
    tiles = Tiles()
    for s in surfaces:
        off = noise_m * rng.standard_normal((len(s.points), 1)).astype(np.float32)
        tiles.add(SurfaceSamples(s.points + off * s.normals, s.normals, s.weights), 0)
    return tiles


def room(size: tuple[float, float], height_m: float = 2.5, z: float = 0.0) -> list[SurfaceSamples]:
    """Floor and walls of a rectangular room about the origin, seen from within."""
    x, y = size[0] / 2.0, size[1] / 2.0
    corners = [(-x, -y), (x, -y), (x, y), (-x, y)]
    walls = [
        upright(a, b, (z, z + height_m))
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]
    return [level((-x, x), (-y, y), z), *walls]


def turned(
    samples: SurfaceSamples, yaw: float, shift: tuple[float, float] = (0.0, 0.0)
) -> SurfaceSamples:
    """The same surface elsewhere: turned about z, then moved."""
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)], np.float32)
    points = samples.points @ turn.T + np.array([*shift, 0.0], np.float32)
    return SurfaceSamples(points, samples.normals @ turn.T, samples.weights)


def _steps(span: tuple[float, float]) -> NDArray[np.float64]:
    return np.arange(span[0] + SPACING_M / 2.0, span[1], SPACING_M)


def _samples(places: NDArray[np.float64], normal: tuple[float, float, float]) -> SurfaceSamples:
    normals = np.tile(np.array(normal, np.float32), (len(places), 1))
    return SurfaceSamples(places.astype(np.float32), normals, np.ones(len(places), np.float32))
