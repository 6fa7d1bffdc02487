"""The original rendering of a default drive: its frames must stay the same bit for bit."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.simulation import Room
from scenemind.simulation.trajectory import look


def old_poses(room: Room, count: int) -> list[Pose]:
    """Poses of one round at a height of 1.1 m, with two turns and three nods."""
    turn = np.linspace(0.0, 2.0 * np.pi, count)
    way = room.loop.at(np.deg2rad(-100.0) + turn)
    yaw = np.arctan2(-way[:, 1], -way[:, 0]) + turn
    pitch = np.deg2rad(-13.0) + np.deg2rad(4.0) * np.sin(3 * turn)
    return [
        look(float(x), float(y), 1.1, float(a), float(b))
        for (x, y), a, b in zip(way, yaw, pitch, strict=True)
    ]


def old_depth(depth_m: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Depth of amount 1: white noise, holes and flying pixels at edges, speckle, millimetres."""
    noise = rng.standard_normal(depth_m.shape, dtype=np.float32)
    noisy = depth_m + np.float32(0.0018) * depth_m * depth_m * noise
    kernel = np.ones((3, 3), np.uint8)
    nearest, farthest = cv2.erode(depth_m, kernel), cv2.dilate(depth_m, kernel)
    edge = np.flatnonzero(farthest - nearest > np.float32(0.06) * depth_m)
    chance = rng.random(len(edge), dtype=np.float32)
    near, far, flat = nearest.ravel()[edge], farthest.ravel()[edge], noisy.ravel()
    mixed = near + rng.random(len(edge), dtype=np.float32) * (far - near)
    flat[edge[chance < 0.6]] = 0.0
    flying = (chance >= 0.6) & (chance < 0.7)
    flat[edge[flying]] = mixed[flying]
    flat[rng.integers(0, flat.size, int(0.002 * flat.size))] = 0.0
    return np.rint(noisy * np.float32(1000.0)) * np.float32(0.001)
