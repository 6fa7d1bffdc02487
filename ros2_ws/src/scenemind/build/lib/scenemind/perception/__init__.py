"""From a frame to observations: detection, tracking, lifting."""

from scenemind.perception.protocols import Detector
from scenemind.perception.types import BoxMask, Detections, Observation, PerceptionError

__all__ = ["BoxMask", "Detections", "Detector", "Observation", "PerceptionError"]
