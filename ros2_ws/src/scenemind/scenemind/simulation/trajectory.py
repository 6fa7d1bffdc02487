"""A robot's way through the room: once along the free loop, looking about."""

from __future__ import annotations

import numpy as np

from scenemind.geometry import Pose
from scenemind.simulation.room import Room

EYE_HEIGHT_M = 1.1
_START_RAD = np.deg2rad(-100.0)
_PITCH_RAD = np.deg2rad(-13.0)
_PITCH_SWAY_RAD = np.deg2rad(4.0)
_PITCH_SWAYS = 3  # a round


def loop_trajectory(room: Room, frame_count: int) -> list[Pose]:
    """`world_T_camera` of each frame of one round; the last one is the first one again.

    The camera turns twice a round, from looking across the room to looking at the wall that it
    passes and back, so that everything is seen from near and from far.
    """
    turn = np.linspace(0.0, 2.0 * np.pi, frame_count)
    way = room.loop.at(_START_RAD + turn)
    inward = np.arctan2(-way[:, 1], -way[:, 0])
    yaw = inward + turn
    pitch = _PITCH_RAD + _PITCH_SWAY_RAD * np.sin(_PITCH_SWAYS * turn)
    return [
        look(float(x), float(y), EYE_HEIGHT_M, float(a), float(b))
        for (x, y), a, b in zip(way, yaw, pitch, strict=True)
    ]


def look(x: float, y: float, z: float, yaw: float, pitch: float) -> Pose:
    """`world_T_camera` of an upright camera at a place; yaw about z from +x, pitch up, radians."""
    forward = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
    down = np.cross(forward, right)
    return Pose(np.column_stack((right, down, forward)), np.array([x, y, z]))
