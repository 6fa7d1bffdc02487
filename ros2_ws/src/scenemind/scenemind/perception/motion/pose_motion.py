"""The camera's motion from its known poses: exact, and nearly free."""

from __future__ import annotations

import logging
import math

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose
from scenemind.perception.types import Detections

_log = logging.getLogger(__name__)

# What a camera on a robot or in a hand can do between two frames; a pose that moves further was
# corrected (a relocalisation, a loop closure), and the camera itself did not jump.
_JUMP_M, _SPEED_M_S = 0.7, 5.0
_JUMP_RAD, _SPEED_RAD_S = 0.8, 10.0


class PoseMotion:
    """Six degrees of freedom from odometry.

    Attributes:
        jumps: how often the pose moved further than a camera can; those frames count as still.
    """

    def __init__(self) -> None:
        self.jumps = 0
        self._pose: Pose | None = None
        self._stamp_ns = 0

    def advance(self, frame: RGBDFrame, _detections: Detections, /) -> NDArray[np.float64]:
        """(4, 4), `current_T_previous` as a matrix; the identity where the pose jumped."""
        previous, pose = self._pose, frame.world_T_camera
        # A late or repeated stamp is no jump: what counts is how far apart the frames are.
        elapsed_s = abs(frame.stamp_ns - self._stamp_ns) / 1e9
        self._pose, self._stamp_ns = pose, frame.stamp_ns
        if previous is None:
            return np.eye(4)
        motion = pose.inverse() @ previous
        if _is_jump(motion, elapsed_s):
            self._report(frame, motion)
            return np.eye(4)
        return motion.matrix()

    def _report(self, frame: RGBDFrame, motion: Pose) -> None:
        self.jumps += 1
        if self.jumps == 1:
            _log.warning(
                "the pose of frame %d is %.2f m away from the last one's: taken for a correction"
                " of the pose; tracks stay where they are in the image",
                frame.number,
                float(np.linalg.norm(motion.translation)),
            )


def _is_jump(motion: Pose, elapsed_s: float) -> bool:
    distance_m = math.hypot(*motion.translation)
    if distance_m > _JUMP_M + _SPEED_M_S * elapsed_s:
        return True
    # The angle is arccos((trace - 1) / 2); beyond half a turn everything is possible.
    limit_rad = min(_JUMP_RAD + _SPEED_RAD_S * elapsed_s, math.pi)
    r = motion.rotation
    return bool((r.trace() - 1.0) / 2.0 < math.cos(limit_rad) - 1e-9)
