"""Running statistics of how long each stage takes."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

_WINDOW = 1000  # frames: half a minute at 30 Hz


@dataclass(frozen=True, slots=True)
class StageStats:
    """Of one stage, over the last frames. `count` is of all frames."""

    median_ms: float
    p99_ms: float
    count: int


class StageTimings:
    """Collects from the mapping thread, is read from any."""

    def __init__(self, window: int = _WINDOW) -> None:
        self._window = window
        self._recent: dict[str, deque[float]] = {}
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, stage_ms: Mapping[str, float]) -> None:
        """The stages of one frame, milliseconds."""
        with self._lock:
            for stage, ms in stage_ms.items():
                self._recent.setdefault(stage, deque(maxlen=self._window)).append(ms)
                self._counts[stage] = self._counts.get(stage, 0) + 1

    def stats(self) -> dict[str, StageStats]:
        """By stage, in the order in which the stages first ran."""
        with self._lock:
            recent = {stage: np.array(values) for stage, values in self._recent.items()}
            counts = dict(self._counts)
        return {
            stage: StageStats(
                float(np.median(values)), float(np.percentile(values, 99)), counts[stage]
            )
            for stage, values in recent.items()
        }
