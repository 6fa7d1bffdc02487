"""Exact intersection of pixel rays with convex solids, in inverse depth, and screen bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose
from scenemind.simulation.primitives import Cuboid, Cylinder, Primitive, Spheroid

_NEAR_M = 0.02
_MARGIN_PX = 1
# Corners are numbered as `Box3D.corners` orders them: the bottom ring, then the top one.
_EDGES = np.array(
    [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
)
# Faces of solids, in their own axes: 0 -x, 1 +x, 2 -y, 3 +y, 4 -z, 5 +z; curved sides are 0.
SIDE, BOTTOM, TOP = 0, 4, 5
_TINY = 1e-6
Image = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class ScreenBounds:
    """Pixel rectangles (N, 4) int: first column, first row, end column, end row; (N,) visible."""

    rectangles: NDArray[np.int64]
    visible: NDArray[np.bool_]

    def window(self, number: int) -> tuple[slice, slice]:
        """Columns and rows of one rectangle."""
        x0, y0, x1, y1 = self.rectangles[number].tolist()
        return slice(x0, x1), slice(y0, y1)


def screen_bounds(
    corners: NDArray[np.float64], camera: PinholeCamera, world_T_camera: Pose
) -> ScreenBounds:
    """Bounding rectangles of the projections of boxes with corners (N, 8, 3), world.

    The part behind a near plane is cut off.
    """
    at = np.asarray(world_T_camera.inverse().transform(corners))
    points = np.concatenate((at, _cut_edges(at)), axis=1)
    ahead = points[..., 2] >= _NEAR_M - 1e-9
    pixels, _ = camera.project(points)
    low = np.where(ahead[..., None], pixels, np.inf).min(axis=1)
    high = np.where(ahead[..., None], pixels, -np.inf).max(axis=1)
    limit = np.array([camera.width, camera.height])
    first = np.clip(np.floor(low) - _MARGIN_PX, 0, limit).astype(np.int64)
    last = np.clip(np.ceil(high) + 1 + _MARGIN_PX, 0, limit).astype(np.int64)
    return ScreenBounds(np.hstack((first, last)), (last > first).all(axis=1))


def _cut_edges(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Intersections (N, 12, 3) of edges with the near plane; without one, a point behind it."""
    start, end = corners[:, _EDGES[:, 0]], corners[:, _EDGES[:, 1]]
    over = end[..., 2] - start[..., 2]
    crosses = (start[..., 2] < _NEAR_M) != (end[..., 2] < _NEAR_M)
    fraction = np.where(crosses, (_NEAR_M - start[..., 2]) / np.where(crosses, over, 1.0), 0.0)
    points = start + fraction[..., None] * (end - start)
    points[~crosses] = (0.0, 0.0, -1.0)
    return points


@dataclass(frozen=True, slots=True, eq=False)
class Rays:
    """The rays of a rectangle of pixels.

    Attributes:
        x: (W,) float32, camera-frame x of each column at depth 1. y: (H,) of each row.
        origin: (3,) camera position, world.
        rotation: (3, 3) world_R_camera.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    origin: NDArray[np.float64]
    rotation: NDArray[np.float64]

    @classmethod
    def of(cls, camera: PinholeCamera, world_T_camera: Pose) -> Rays:
        """The rays of all pixels of a camera."""
        x = (np.arange(camera.width) - camera.cx) / camera.fx
        y = (np.arange(camera.height) - camera.cy) / camera.fy
        return cls(
            x.astype(np.float32),
            y.astype(np.float32),
            world_T_camera.translation,
            world_T_camera.rotation,
        )

    def window(self, columns: slice, rows: slice) -> Rays:
        return Rays(self.x[columns], self.y[rows], self.origin, self.rotation)

    def along(self, axis: NDArray[np.float64]) -> Image:
        """Component (H, W) of each ray's direction along a world axis (3,)."""
        a, b, c = (axis @ self.rotation).astype(np.float32)
        return np.add.outer(b * self.y + c, a * self.x)


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """First intersections of the rays of a rectangle with one solid.

    Attributes:
        inverse_depth: (H, W) float32, 1/m; 0 where the ray misses.
        face: (H, W) int16, or one number for all: index of the face.
        facing: (H, W) float32, cosine between the normal of a curved side and the light; None
            for solids without one.
    """

    inverse_depth: Image
    face: NDArray[np.int16] | int
    facing: Image | None = None


def cast(solid: Primitive, rays: Rays, light: NDArray[np.float64]) -> Hits | None:
    """First intersections with one solid; None: the camera is inside it.

    Args:
        light: (3,) unit vector towards the light, world.
    """
    if isinstance(solid, Cuboid):
        return _cast_cuboid(solid, rays)
    if isinstance(solid, Cylinder):
        return _cast_cylinder(solid, rays, light)
    return _cast_spheroid(solid, rays, light)


def cast_inside(low: NDArray[np.float64], high: NDArray[np.float64], rays: Rays) -> Hits:
    """Intersections with the walls of an axis-aligned box (a room) that contains the camera."""
    depth = np.zeros((len(rays.y), len(rays.x)), dtype=np.float32)
    face = np.zeros(depth.shape, dtype=np.int16)
    for axis, direction in enumerate(np.eye(3)):
        along = rays.along(direction)
        for side, wall in ((0, low[axis]), (1, high[axis])):
            bound = along * np.float32(1.0 / (wall - rays.origin[axis]))
            np.copyto(face, np.int16(2 * axis + side), where=bound > depth)
            np.maximum(depth, bound, out=depth)
    return Hits(depth, face)


def _cast_cuboid(solid: Cuboid, rays: Rays) -> Hits | None:
    near: list[tuple[int, Image]] = []
    far = np.zeros((len(rays.y), len(rays.x)), dtype=np.float32)
    offset = np.asarray(solid.box.center) - rays.origin
    c, s = np.cos(solid.box.yaw), np.sin(solid.box.yaw)
    for axis, direction in enumerate(np.array([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])):
        along = rays.along(direction)
        middle, half = float(offset @ direction), solid.box.size[axis] / 2
        _bound_by_planes(near, far, along, (2 * axis, middle - half), (2 * axis + 1, middle + half))
    return _nearest(near, far)


def _cast_cylinder(solid: Cylinder, rays: Rays, light: NDArray[np.float64]) -> Hits | None:
    offset = np.asarray(solid.center) - rays.origin
    x, y, z = (rays.along(axis) for axis in np.eye(3))
    middle = x * np.float32(offset[0]) + y * np.float32(offset[1])
    outside = float(offset[0] ** 2 + offset[1] ** 2 - solid.radius**2)
    near, far = _bound_by_quadric(x * x + y * y, middle, outside)
    half = solid.height / 2
    _bound_by_planes(near, far, z, (BOTTOM, offset[2] - half), (TOP, offset[2] + half))
    hits = _nearest(near, far)
    if hits is None:
        return None
    depth = _depth(hits)
    nx, ny = x * depth - np.float32(offset[0]), y * depth - np.float32(offset[1])
    to_light = (light[:2] / solid.radius).astype(np.float32)
    facing: Image = nx * to_light[0] + ny * to_light[1]
    return Hits(hits.inverse_depth, hits.face, facing)


def _cast_spheroid(solid: Spheroid, rays: Rays, light: NDArray[np.float64]) -> Hits | None:
    offset = np.asarray(solid.center) - rays.origin
    stretch = np.array([1.0, 1.0, solid.radius / solid.half_height])
    direction = np.stack([rays.along(axis) for axis in np.eye(3)])
    round_direction = direction * stretch[:, None, None].astype(np.float32)
    round_offset = (offset * stretch).astype(np.float32)
    middle = np.tensordot(round_offset, round_direction, axes=1)
    outside = float(round_offset @ round_offset) - solid.radius**2
    near, far = _bound_by_quadric((round_direction**2).sum(axis=0), middle, outside)
    hits = _nearest(near, far)
    if hits is None:
        return None
    normal = direction * _depth(hits) - offset[:, None, None].astype(np.float32)
    normal *= (stretch**2)[:, None, None].astype(np.float32)
    length = np.maximum(np.sqrt((normal**2).sum(axis=0)), _TINY)
    facing = np.tensordot(light.astype(np.float32), normal, axes=1) / length
    return Hits(hits.inverse_depth, hits.face, facing)


def _bound_by_planes(
    near: list[tuple[int, Image]],
    far: Image,
    along: Image,
    low: tuple[int, float],
    high: tuple[int, float],
) -> None:
    """Narrow the interval to between two parallel planes: (face, signed distance) of each.

    A camera on a plane counts as just behind it, where it sees nothing of that face.
    """
    for (face, distance), outward in ((low, -1.0), (high, 1.0)):
        if abs(distance) < _TINY:
            distance = outward * _TINY
        bound = along * np.float32(1.0 / distance)
        if distance * outward < 0.0:
            near.append((face, bound))
        else:
            np.maximum(far, bound, out=far)


def _bound_by_quadric(
    square: Image, middle: Image, outside: float
) -> tuple[list[tuple[int, Image]], Image]:
    """The interval where outside * w^2 - 2 * middle * w + square <= 0, as (near, far).

    `outside` is positive for a camera outside the (unbounded) quadric; from inside there is no
    upper end. Rays that miss get an empty interval.
    """
    outside = outside if abs(outside) > _TINY else _TINY
    discriminant = middle * middle - np.float32(outside) * square
    root = np.sqrt(np.maximum(discriminant, 0.0))
    far = np.maximum((middle - root) / np.float32(outside), np.float32(0.0))
    if outside < 0.0:
        return [], far
    near = (middle + root) / np.float32(outside)
    near[discriminant < 0.0] = 0.0
    return [(SIDE, near)], far


def _depth(hits: Hits) -> Image:
    """Depth (H, W) in metres, huge where nothing is hit."""
    return np.asarray(1.0 / np.maximum(hits.inverse_depth, _TINY), dtype=np.float32)


def _nearest(near: list[tuple[int, Image]], far: Image) -> Hits | None:
    if not near:
        return None
    (first, depth), *others = near
    face: NDArray[np.int16] | int = first
    for number, bound in others:
        face = np.where(bound < depth, np.int16(number), face).astype(np.int16, copy=False)
        depth = np.minimum(depth, bound)
    return Hits(np.where((depth >= far) & (depth > 0.0), depth, np.float32(0.0)), face)
