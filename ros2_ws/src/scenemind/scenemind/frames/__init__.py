"""Colour and depth with poses: frames, recorded sequences, synchronisation."""

from scenemind.frames.errors import FrameError
from scenemind.frames.frame import DepthCalibration, RGBDFrame, SensorFrame

__all__ = ["DepthCalibration", "FrameError", "RGBDFrame", "SensorFrame"]
