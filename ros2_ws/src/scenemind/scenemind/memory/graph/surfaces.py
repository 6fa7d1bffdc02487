"""Floors, walls and ceilings as surfaces that things touch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, Extent
from scenemind.memory.types import StructureKind

# The box of a wall that is thicker goes around a corner: the wall stands at its faces.
THICKEST_M = 0.5
FACE_M = 0.1
# A floor is known a little beyond where it was seen, and has depth, so that things are above it.
FLOOR_MARGIN_M = 1.0
FLOOR_DEPTH_M = 0.5


@dataclass(frozen=True, slots=True)
class Surface:
    """One flat piece of the building.

    Attributes:
        reach: axis-aligned bounds in the world of where things may touch it.
        axis: (x, y), unit: the direction along a wall; the world's x for floors and ceilings.
        bounds: in its own frame: x along `axis`, y across it, z up.
    """

    kind: StructureKind
    reach: Extent
    axis: tuple[float, float]
    bounds: Extent


def surfaces_of(kind: StructureKind, box: Box3D) -> list[Surface]:
    """The surfaces of a structure node from its box, world."""
    if kind == "wall":
        return list(_walls(box))
    x0, y0, z0, x1, y1, z1 = box.extent()
    if kind == "ceiling":
        # One that is thick holds lamps and noise: it is where it begins.
        bounds = (x0, y0, z0, x1, y1, z1)
    else:
        # Likewise what stands on a floor may have got into its box.
        top = z1 if z1 - z0 <= FACE_M else z0 + FACE_M / 2
        m = FLOOR_MARGIN_M
        bounds = (x0 - m, y0 - m, top - FLOOR_DEPTH_M, x1 + m, y1 + m, top)
    return [Surface(kind, bounds, (1.0, 0.0), bounds)]


def in_frame(bounds: NDArray[np.float64], axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """World boxes (P, 6) around which boxes (P, 6) stand in frames turned to `axes` (P, 2).

    Exact where the axis runs along the world's x or y; else the box around the turned box.
    """
    center, half = (bounds[:, :3] + bounds[:, 3:]) / 2.0, (bounds[:, 3:] - bounds[:, :3]) / 2.0
    c, s = axes[:, 0], axes[:, 1]
    along, across = c * center[:, 0] + s * center[:, 1], c * center[:, 1] - s * center[:, 0]
    c, s = np.abs(c), np.abs(s)
    half_along, half_across = c * half[:, 0] + s * half[:, 1], s * half[:, 0] + c * half[:, 1]
    return np.column_stack(
        (
            along - half_along,
            across - half_across,
            bounds[:, 2],
            along + half_along,
            across + half_across,
            bounds[:, 5],
        )
    )


def extent_of_points(points: NDArray[np.float32], axis: tuple[float, float]) -> NDArray[np.float64]:
    """x0, y0, x1, y1 (4,) of points (N, 3) in a frame turned to an axis."""
    c, s = axis
    turned = points[:, :2].astype(np.float64) @ np.array(((c, -s), (s, c)))
    return np.concatenate((turned.min(axis=0), turned.max(axis=0)))


def _walls(box: Box3D) -> Iterator[Surface]:
    length, thickness, yaw = box.size[0], box.size[1], box.yaw
    if length < thickness:
        length, thickness, yaw = thickness, length, yaw + math.pi / 2.0
    if thickness <= THICKEST_M:
        yield _wall(box, (math.cos(yaw), math.sin(yaw)), (length, thickness), (0.0, 0.0))
        return
    for side in (-1.0, 1.0):
        off = side * (thickness - FACE_M) / 2.0
        yield _wall(box, (math.cos(yaw), math.sin(yaw)), (length, FACE_M), (0.0, off))
        off = side * (length - FACE_M) / 2.0
        axis = (-math.sin(yaw), math.cos(yaw))
        yield _wall(box, axis, (thickness, FACE_M), (0.0, -off))


def _wall(
    box: Box3D,
    axis: tuple[float, float],
    size: tuple[float, float],
    offset: tuple[float, float],
) -> Surface:
    """A piece of a wall's box: its sides and where its middle is, along and across its axis."""
    c, s = _snapped(axis)
    x, y, z = box.center
    along, across = c * x + s * y + offset[0], c * y - s * x + offset[1]
    half_along, half_across, half_z = size[0] / 2.0, size[1] / 2.0, box.size[2] / 2.0
    bounds = (
        *(along - half_along, across - half_across, z - half_z),
        *(along + half_along, across + half_across, z + half_z),
    )
    middle = (c * along - s * across, s * along + c * across, z)
    reach = Box3D(middle, (size[0], size[1], box.size[2]), math.atan2(s, c)).extent()
    return Surface("wall", reach, (c, s), bounds)


def _snapped(axis: tuple[float, float]) -> tuple[float, float]:
    """The axis, exactly along x or y where it is nearly so, as boxes of things are exact there."""
    c, s = axis
    if abs(s) < 1e-3:
        return (math.copysign(1.0, c), 0.0)
    return (0.0, math.copysign(1.0, s)) if abs(c) < 1e-3 else (c, s)
