"""A robot's way through the room: along the free loop, once or more, looking about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.simulation.room import Room

EYE_HEIGHT_M = 1.1
_START_RAD = np.deg2rad(-100.0)
_PITCH_RAD = np.deg2rad(-13.0)
_PITCH_SWAY_RAD = np.deg2rad(4.0)
_PITCH_SWAYS = 3  # a round

# How later rounds differ from the first, which has none of it. The frequencies share no multiple
# with a round, so that no two rounds are the same.
_DETOUR_M = 0.12  # the loop is free 0.3 m to both sides
_DETOURS = 1.62  # a round
_GLANCE_RAD = np.deg2rad(12.0)
_GLANCES = 1.27  # a round
_NOD_RAD = np.deg2rad(2.0)


def loop_trajectory(room: Room, frame_count: int, loops: int = 1) -> list[Pose]:
    """`world_T_camera` of each frame; a single round ends where it began.

    The camera turns twice a round, from looking across the room to looking at the wall that it
    passes and back, so that everything is seen from near and from far. Later rounds weave about
    the way of the first and look a little elsewhere.
    """
    turn = np.linspace(0.0, 2.0 * np.pi * loops, frame_count)
    way = room.loop.at(_START_RAD + turn)
    inward = np.arctan2(-way[:, 1], -way[:, 0])
    variation = _variation(turn)
    yaw = inward + turn + variation * _GLANCE_RAD * np.sin(_GLANCES * turn)
    pitch = _PITCH_RAD + _PITCH_SWAY_RAD * np.sin(_PITCH_SWAYS * turn)
    pitch += variation * _NOD_RAD * np.cos(_GLANCES * turn)
    detour = variation * _DETOUR_M * np.sin(_DETOURS * turn)
    way += detour[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)
    return [
        look(float(x), float(y), EYE_HEIGHT_M, float(a), float(b))
        for (x, y), a, b in zip(way, yaw, pitch, strict=True)
    ]


def _variation(turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """0 in the first round, growing to 1 in the first quarter of the second."""
    ramp = np.clip((turn - 2.0 * np.pi) / (0.5 * np.pi), 0.0, 1.0)
    return np.asarray(ramp * ramp * (3.0 - 2.0 * ramp))


def look(x: float, y: float, z: float, yaw: float, pitch: float) -> Pose:
    """`world_T_camera` of an upright camera at a place; yaw about z from +x, pitch up, radians."""
    forward = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
    down = np.cross(forward, right)
    return Pose(np.column_stack((right, down, forward)), np.array([x, y, z]))
