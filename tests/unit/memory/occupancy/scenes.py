"""A room with a few exact things, and frames of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.simulation.primitives import Cuboid
from scenemind.simulation.renderer import Renderer
from scenemind.simulation.room import Loop, Room, SimObject
from scenemind.simulation.trajectory import look

CAMERA = PinholeCamera(320, 240, 280.0, 280.0, 159.5, 119.5)
EYE_M, PITCH_RAD = 1.1, float(np.deg2rad(-25.0))


def thing(number: int, box: Box3D, parts: Sequence[Box3D] = ()) -> SimObject:
    solids = tuple(Cuboid(part, (120, 120, 120)) for part in parts or (box,))
    return SimObject(number, "thing", "gray", box, solids)


def room(*things: SimObject, size: tuple[float, float, float] = (6.0, 6.0, 2.6)) -> Room:
    return Room(1, size, things, Loop(1.0, 1.0))


def table(number: int = 1, x: float = 2.0, y: float = 0.0) -> SimObject:
    """A top of 1.0 x 0.8 m, 0.72 to 0.75 m high, on four legs of 5 cm."""
    legs = [
        Box3D((x + dx, y + dy, 0.36), (0.05, 0.05, 0.72))
        for dx in (-0.45, 0.45)
        for dy in (-0.35, 0.35)
    ]
    top = Box3D((x, y, 0.735), (1.0, 0.8, 0.03))
    return thing(number, Box3D((x, y, 0.375), (1.0, 0.8, 0.75)), (top, *legs))


def frames_at(place: Room, poses: Sequence[Pose]) -> list[RGBDFrame]:
    renderer = Renderer(place, CAMERA)
    frames = []
    for number, pose in enumerate(poses):
        seen = renderer.render(pose)
        frames.append(RGBDFrame(number, number + 1, seen.color, seen.depth_m, CAMERA, pose))
    return frames


def driving(x: float, y: float, yaw: float, count: int = 4) -> list[Pose]:
    """Poses of a camera that drives ahead by 5 cm a frame."""
    steps = 0.05 * np.arange(count)
    return [
        look(x + s * float(np.cos(yaw)), y + s * float(np.sin(yaw)), EYE_M, yaw, PITCH_RAD)
        for s in steps
    ]


def turning(x: float, y: float, count: int = 24) -> list[Pose]:
    """Poses of a camera that turns once around."""
    return [
        look(x, y, EYE_M, float(a), PITCH_RAD)
        for a in np.linspace(-np.pi, np.pi, count, endpoint=False)
    ]
