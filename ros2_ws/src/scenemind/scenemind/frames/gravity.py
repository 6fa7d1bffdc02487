"""Turning recorded worlds so that z points up."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from scenemind.frames.errors import FrameError
from scenemind.geometry import Pose


def z_up_rotation(down: ArrayLike) -> Pose:
    """The smallest turn `zup_T_recorded` that brings "up" of a recorded world to +z.

    Args:
        down: (3,) direction of gravity in the recorded world; its length does not matter.

    Raises:
        FrameError: not three finite numbers, or all of them zero.
    """
    direction = np.asarray(down, dtype=np.float64)
    length = float(np.linalg.norm(direction)) if direction.shape == (3,) else float("nan")
    if not np.isfinite(length) or length < 1e-9:
        raise FrameError(f"the direction of gravity is three numbers, not all 0, got {down!r}")
    up = -direction / length
    if up[2] < -1.0 + 1e-12:  # upside down: any half turn about a horizontal axis will do
        return Pose(np.diag((1.0, -1.0, -1.0)), np.zeros(3))
    # Rodrigues' formula for the turn about up x z, by the angle between them.
    x, y, z = up
    cross = np.array([(0.0, 0.0, -x), (0.0, 0.0, -y), (x, y, 0.0)])
    rotation = np.eye(3) + cross + cross @ cross / (1.0 + z)
    return Pose(rotation, np.zeros(3))
