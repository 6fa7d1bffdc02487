"""Colour and depth with poses: frames, recorded sequences, synchronisation."""

from scenemind.frames.frame import DepthCalibration, FrameError, RGBDFrame, SensorFrame
from scenemind.frames.open_sequence import open_sequence
from scenemind.frames.registration import DepthRegistrar
from scenemind.frames.sequence import RecordedSequence, read_sequence
from scenemind.frames.synchronizer import SyncedFrame, Synchronizer

__all__ = [
    "DepthCalibration",
    "DepthRegistrar",
    "FrameError",
    "RGBDFrame",
    "RecordedSequence",
    "SensorFrame",
    "SyncedFrame",
    "Synchronizer",
    "open_sequence",
    "read_sequence",
]
