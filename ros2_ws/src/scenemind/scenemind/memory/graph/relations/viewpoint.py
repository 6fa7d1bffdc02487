"""Where left and right are seen from: a pose, or in front of a thing that has a front.

A thing shows its front where its back is not: furniture stands with its back against a wall. That
is all that boxes tell; a thing in the open, or in a corner, has no sure front.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, Pose

# An agent is a column this wide (LLM-TPC takes a cube of 0.3 m; height is no matter here).
AGENT_WIDTH_M = 0.3
# Who faces a thing stands this far before it.
FACING_DISTANCE_M = 1.5
# A back stands at most this far from its wall, and along at least this share of its width.
BACK_GAP_M = 0.3
BACK_SHARE = 0.5
# Thicker boxes of walls go around corners: where they stand says nothing.
WALL_THICKNESS_M = 0.5
PARALLEL_COS = float(np.cos(np.radians(20.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Viewpoint:
    """A person's or camera's place and heading.

    Attributes:
        position: (3,) float64, world, metres.
        ahead: (2,) float64: unit heading in the ground plane.
        origin: what gave it, in words.
    """

    position: NDArray[np.float64]
    ahead: NDArray[np.float64]
    origin: str

    @classmethod
    def of_body(cls, world_T_body: Pose, origin: str = "the given viewpoint") -> Viewpoint:
        """Of a body or head with x forward and z up (REP-103)."""
        axes = world_T_body.rotation
        return cls(world_T_body.translation, _level(axes[:, 0], axes[:, 2]), origin)

    @classmethod
    def of_camera(
        cls, world_T_camera: Pose, origin: str = "the camera's latest position"
    ) -> Viewpoint:
        """Of an optical frame: z forward, y down."""
        axes = world_T_camera.rotation
        return cls(world_T_camera.translation, _level(axes[:, 2], -axes[:, 1]), origin)

    @property
    def box(self) -> Box3D:
        """The viewer as a thing without extent."""
        x, y, z = self.position.tolist()
        return Box3D((x, y, z), (0.0, 0.0, 0.0))

    @property
    def body(self) -> Box3D:
        """The viewer as a thing 0.3 m wide and turned where it looks."""
        x, y, z = self.position.tolist()
        yaw = float(np.arctan2(self.ahead[1], self.ahead[0]))
        return Box3D((x, y, z), (AGENT_WIDTH_M,) * 3, yaw)

    @property
    def right(self) -> NDArray[np.float64]:
        """(2,) unit, world."""
        return np.array((self.ahead[1], -self.ahead[0]))

    def describe(self) -> str:
        x, y, _ = self.position.tolist()
        return f"{self.origin} at x {x:.1f}, y {y:.1f}"


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """A way that a thing may face.

    Attributes:
        ahead: (2,) unit: out of its front, world.
        wall_gap_m: how far its back is from the wall.
    """

    ahead: NDArray[np.float64]
    wall_gap_m: float


def fronts(thing: Box3D, walls: Iterable[Box3D]) -> tuple[Front, ...]:
    """The ways that a thing may face: away from each wall that one of its sides stands along.

    Args:
        walls: boxes of walls, thin ones; what the nodes of the building or detections gave.

    Returns:
        Those with the longer side at the wall first (a shelf in a corner), then the nearer wall;
        none for a thing in the open.
    """
    length, width = thing.size[:2]
    c, s = float(np.cos(thing.yaw)), float(np.sin(thing.yaw))
    sides = (((c, s), length, width), ((-s, c), width, length))
    found: list[tuple[float, Front]] = []
    for wall in walls:
        normal, thickness, long = _thin_side(wall)
        if thickness > WALL_THICKNESS_M:
            continue
        for axis, depth, breadth in sides:
            cosine = float(np.dot(axis, normal))
            if abs(cosine) < PARALLEL_COS:
                continue
            offset = np.asarray(thing.center[:2]) - np.asarray(wall.center[:2])
            from_wall = float(offset @ normal)
            gap = abs(from_wall) - depth / 2.0 - thickness / 2.0
            along = abs(float(offset @ (-normal[1], normal[0])))
            shared = min(breadth, (long + breadth) / 2.0 - along)
            if gap <= BACK_GAP_M and shared >= BACK_SHARE * breadth and from_wall != 0.0:
                ahead = np.asarray(axis) * float(np.sign(cosine) * np.sign(from_wall))
                found.append((breadth, Front(ahead, max(gap, 0.0))))
    found.sort(key=lambda entry: (-round(entry[0], 1), entry[1].wall_gap_m))
    return tuple(_without_repeats(front for _, front in found))


def facing(thing: Box3D, front: Front, origin: str = "before it") -> Viewpoint:
    """Standing before a thing's front and looking at it ("facing the bed")."""
    center = np.asarray(thing.center)
    reach = float(np.linalg.norm(thing.size[:2])) / 2.0 + FACING_DISTANCE_M
    position = np.append(center[:2] + reach * front.ahead, center[2])
    return Viewpoint(position, -front.ahead, origin)


def _without_repeats(found: Iterable[Front]) -> list[Front]:
    kept: list[Front] = []
    for front in found:
        if all(float(front.ahead @ other.ahead) < PARALLEL_COS for other in kept):
            kept.append(front)
    return kept


def _thin_side(wall: Box3D) -> tuple[NDArray[np.float64], float, float]:
    """Unit normal (2,) of the wall's face, its thickness and its length."""
    c, s = np.cos(wall.yaw), np.sin(wall.yaw)
    length, width = wall.size[:2]
    if length < width:
        return np.array((c, s)), length, width
    return np.array((-s, c)), width, length


def _level(forward: NDArray[np.float64], up: NDArray[np.float64]) -> NDArray[np.float64]:
    """The heading in the ground plane; who looks straight down heads where the scalp points."""
    flat = forward[:2] if float(np.linalg.norm(forward[:2])) > 1e-3 else up[:2]
    return np.asarray(flat / np.linalg.norm(flat))
