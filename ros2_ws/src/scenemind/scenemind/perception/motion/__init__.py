"""How the camera moved between frames: from its pose, from the picture, or not at all."""

from __future__ import annotations

from scenemind.config import TrackerConfig
from scenemind.perception.motion.no_motion import NoMotion
from scenemind.perception.motion.optical_flow import OpticalFlowMotion
from scenemind.perception.motion.pose_motion import PoseMotion
from scenemind.perception.motion.protocol import CameraMotion

__all__ = ["CameraMotion", "NoMotion", "OpticalFlowMotion", "PoseMotion", "make_camera_motion"]


def make_camera_motion(config: TrackerConfig) -> CameraMotion:
    """The configured way, at its start."""
    if config.camera_motion == "optical_flow":
        return OpticalFlowMotion()
    if config.camera_motion == "none":
        return NoMotion()
    return PoseMotion()
