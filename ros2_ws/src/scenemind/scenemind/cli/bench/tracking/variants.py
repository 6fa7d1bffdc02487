"""The trackers that are compared, each from its start."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenemind.config import TrackerConfig
from scenemind.frames import RGBDFrame
from scenemind.perception.tracker import Tracker
from scenemind.perception.types import Detections

PEERS = {
    "ultralytics_botsort_flow": "sparseOptFlow",
    "ultralytics_botsort_none": "none",
}


class FrameTracker(Protocol):
    """What is measured: `perception.tracker.Tracker` is one."""

    def update(self, detections: Detections, frame: RGBDFrame) -> NDArray[np.int64]: ...


def variants() -> Mapping[str, Callable[[], FrameTracker]]:
    """By name; those of ultralytics only where it is installed, with `lap` for its trackers."""
    own: dict[str, Callable[[], FrameTracker]] = {
        "pose": lambda: Tracker(TrackerConfig(camera_motion="pose")),
        "optical_flow": lambda: Tracker(TrackerConfig(camera_motion="optical_flow")),
        "none": lambda: Tracker(TrackerConfig(camera_motion="none")),
    }
    if not all(map(importlib.util.find_spec, ("ultralytics", "lap"))):
        return own
    from scenemind.cli.bench.tracking.botsort import UltralyticsBotSort

    return {
        **own,
        "ultralytics_botsort_flow": lambda: UltralyticsBotSort(PEERS["ultralytics_botsort_flow"]),
        "ultralytics_botsort_none": lambda: UltralyticsBotSort(PEERS["ultralytics_botsort_none"]),
    }
