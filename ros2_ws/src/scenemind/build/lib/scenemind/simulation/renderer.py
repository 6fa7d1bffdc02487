"""A room rendered to colour, depth and instance images, by casting every pixel's ray."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SimulationError
from scenemind.geometry import PinholeCamera, Pose
from scenemind.simulation.primitives import Cuboid, Primitive
from scenemind.simulation.raycast import (
    BOTTOM,
    SIDE,
    TOP,
    Hits,
    Rays,
    cast,
    cast_inside,
    screen_bounds,
)
from scenemind.simulation.room import Room

_GRAIN_CELL_M = 0.008
_GRAIN_SIZE = 64  # cells a period, a power of two
_GRAIN_AMPLITUDE = 0.03
_FLOOR_CELL_M = 0.01
_PLANK_M = (1.2, 0.16)
_SHADOW_BELOW_M = 0.5
_SHADOW_SIGMA_CELLS = 7
_LIGHT = np.array([0.36, 0.23, 0.9]) / np.linalg.norm([0.36, 0.23, 0.9])
_FACES = 6
_WALL_BRIGHTNESS = (0.96, 0.88, 1.0, 0.92, 1.0, 1.0)


class Grain:
    """Brightness noise fixed in space, repeating every half metre."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        noise = rng.standard_normal((_GRAIN_SIZE,) * 3, dtype=np.float32)
        smooth = noise + np.roll(noise, 1, 0) + np.roll(noise, 1, 1) + np.roll(noise, 1, 2)
        self._factor = (1.0 + _GRAIN_AMPLITUDE * smooth.ravel() / 2.0).astype(np.float32)

    def at(
        self, x: NDArray[np.float32], y: NDArray[np.float32], z: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Factors around 1 at world positions, each array of one shape, metres."""
        index = _cell(z)
        index += _cell(y) << 6
        index += _cell(x) << 12
        return self._factor.take(index)


class FloorTexture:
    """Brightness of the floor, computed once for a room."""

    def __init__(self, room: Room) -> None:
        self._half = np.asarray(room.size[:2]) / 2
        shape = tuple(int(np.ceil(side / _FLOOR_CELL_M)) + 1 for side in room.size[1::-1])
        self._factor = _planks(shape, room.seed) * _shadows(shape, self._half, room)

    def at(self, x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float32]:
        """Factors around 1 at floor positions (N,), (N,), metres."""
        columns = ((x + np.float32(self._half[0])) * np.float32(1 / _FLOOR_CELL_M)).astype(np.int32)
        rows = ((y + np.float32(self._half[1])) * np.float32(1 / _FLOOR_CELL_M)).astype(np.int32)
        height, width = self._factor.shape
        factor: NDArray[np.float32] = self._factor[
            np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)
        ]
        return factor


def _cell(values: NDArray[np.float32]) -> NDArray[np.int32]:
    # The offset makes positions in a room positive, for which truncation equals floor.
    shifted = (values + np.float32(100.0)) * np.float32(1.0 / _GRAIN_CELL_M)
    return shifted.astype(np.int32) & (_GRAIN_SIZE - 1)


def _planks(shape: tuple[int, ...], seed: int) -> NDArray[np.float32]:
    """Boards along x, each with its own brightness, dark in the joints."""
    rng = np.random.default_rng(seed)
    length, width = (int(side / _FLOOR_CELL_M) for side in _PLANK_M)
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    row = rows // width
    shifted = columns + rng.integers(0, length, row.max() + 1)[row]
    board = shifted // length
    brightness = rng.uniform(0.88, 1.08, (row.max() + 1, board.max() + 1))
    joint = (rows % width == 0) | (shifted % length == 0)
    planks: NDArray[np.float32] = (brightness[row, board] * np.where(joint, 0.72, 1.0)).astype(
        np.float32
    )
    return planks


def _shadows(shape: tuple[int, ...], half: NDArray[np.float64], room: Room) -> NDArray[np.float32]:
    """Soft shadows under objects near the floor."""
    dark = np.zeros(shape, dtype=np.float32)
    for part in (part for item in room.objects for part in item.parts):
        corners = part.corners()
        if corners[:, 2].min() < _SHADOW_BELOW_M:
            polygon = np.rint((corners[:4, :2] + half) / _FLOOR_CELL_M).astype(np.int32)
            cv2.fillConvexPoly(dark, polygon, 1.0)
    blurred = cv2.GaussianBlur(dark, (0, 0), _SHADOW_SIGMA_CELLS)
    return np.asarray(1.0 - 0.45 * blurred, dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """Images of an ideal camera.

    Attributes:
        color: (H, W, 3) uint8, RGB.
        depth_m: (H, W) float32, exact, along z.
        instances: (H, W) int32; 0 for floor, walls and ceiling.
    """

    color: NDArray[np.uint8]
    depth_m: NDArray[np.float32]
    instances: NDArray[np.int32]


class Renderer:
    """Renders one room; tables that do not depend on the view are computed once."""

    def __init__(self, room: Room, camera: PinholeCamera) -> None:
        self._camera = camera
        half = np.asarray(room.size[:2]) / 2
        self._low, self._high = np.array([*-half, 0.0]), np.array([*half, room.size[2]])
        owned = [(part, item.instance_id) for item in room.objects for part in item.parts]
        owned += [(board, 0) for board in room.skirting]
        self._solids = [solid for solid, _ in owned]
        self._corners = np.array([solid.corners() for solid in self._solids]).reshape(-1, 8, 3)
        self._rgb = _surface_colors(room, self._solids)
        owners = np.array([0, *(owner for _, owner in owned)], dtype=np.int32)
        self._instances = np.repeat(owners, _FACES)
        self._floor, self._grain = FloorTexture(room), Grain()

    def render(self, world_T_camera: Pose) -> Rendering:
        """The view from a pose inside the room.

        Raises:
            SimulationError: the camera is not inside the room.
        """
        eye = world_T_camera.translation
        if (eye <= self._low).any() or (eye >= self._high).any():
            raise SimulationError(f"the camera at {eye.tolist()} is not inside the room")
        rays = Rays.of(self._camera, world_T_camera)
        room = cast_inside(self._low, self._high, rays)
        inverse_depth = room.inverse_depth
        surface = np.asarray(room.face)
        shade = np.ones_like(inverse_depth)
        bounds = screen_bounds(self._corners, self._camera, world_T_camera)
        for number in np.flatnonzero(bounds.visible):
            columns, rows = bounds.window(int(number))
            hits = cast(self._solids[number], rays.window(columns, rows), _LIGHT)
            if hits is not None:
                at = (rows, columns)
                base = _FACES * (int(number) + 1)
                _draw(hits, base, inverse_depth[at], surface[at], shade[at])
        depth_m = 1.0 / inverse_depth
        shade *= self._texture(rays, depth_m, surface)
        color = self._rgb.take(surface, axis=0)
        cv2.multiply(color, cv2.merge((shade, shade, shade)), dst=color, dtype=cv2.CV_8U)
        return Rendering(cv2.GaussianBlur(color, (3, 3), 0.6), depth_m, self._instances[surface])

    def _texture(
        self, rays: Rays, depth_m: NDArray[np.float32], surface: NDArray[np.int16]
    ) -> NDArray[np.float32]:
        x, y, z = (
            rays.along(axis) * depth_m + np.float32(start)
            for axis, start in zip(np.eye(3), rays.origin, strict=True)
        )
        factor = self._grain.at(x, y, z)
        floor = surface == BOTTOM
        factor[floor] *= self._floor.at(x[floor], y[floor])
        return factor


def _draw(
    hits: Hits,
    base: int,
    inverse_depth: NDArray[np.float32],
    surface: NDArray[np.int16],
    shade: NDArray[np.float32],
) -> None:
    """Draw a solid into views of the images, where it is nearer than their content."""
    nearer = hits.inverse_depth > inverse_depth
    np.copyto(inverse_depth, hits.inverse_depth, where=nearer)
    np.copyto(surface, np.add(hits.face, base, dtype=np.int16), where=nearer)
    if hits.facing is None:
        np.copyto(shade, np.float32(1.0), where=nearer)
    else:
        side = np.asarray(hits.face) == SIDE
        lit = np.where(side, _brightness(hits.facing), np.float32(1.0))
        np.copyto(shade, lit, where=nearer)


def _surface_colors(room: Room, solids: list[Primitive]) -> NDArray[np.uint8]:
    """Lit colours (6 * (1 + solids), 3) of the room's six sides, then of each solid's faces."""
    colors = np.zeros((1 + len(solids), _FACES, 3))
    colors[0] = np.multiply.outer(_WALL_BRIGHTNESS, room.wall_rgb)
    colors[0, BOTTOM] = room.floor_rgb
    for number, solid in enumerate(solids, start=1):
        normals = _face_normals(solid)
        colors[number] = np.outer(_brightness(normals @ _LIGHT), solid.rgb)
        if not isinstance(solid, Cuboid):
            colors[number, SIDE] = solid.rgb  # a curved side is lit pixel by pixel
    return np.clip(colors, 0, 255).astype(np.uint8).reshape(-1, 3)


def _face_normals(solid: Primitive) -> NDArray[np.float64]:
    yaw = solid.box.yaw if isinstance(solid, Cuboid) else 0.0
    c, s = np.cos(yaw), np.sin(yaw)
    normals = np.zeros((_FACES, 3))
    normals[:4] = [(-c, -s, 0), (c, s, 0), (s, -c, 0), (-s, c, 0)]
    normals[BOTTOM, 2], normals[TOP, 2] = -1.0, 1.0
    return normals


def _brightness(cosine: NDArray[np.floating]) -> NDArray[np.floating]:
    """Lambertian shading: light from the upper hemisphere, most of it from one side."""
    return 0.84 + 0.18 * cosine
