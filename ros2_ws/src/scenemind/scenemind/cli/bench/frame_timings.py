"""The stage times of every frame of a measurement, in memory that does not grow meanwhile."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

# As `Mapper` names them, in the order in which they run.
DETECT = "detect"
STAGES = ("track", "lift", "fuse", "graph", "tree", "store")
_PARTS = 10


class FrameTimings:
    """Room for a fixed number of frames."""

    def __init__(self, frames: int) -> None:
        self._ms = np.full((frames, 1 + len(STAGES)), np.nan)
        self._cpu_ms = np.full(frames, np.nan)
        self._detections = np.full(frames, np.nan)
        self._count = 0

    def add(self, stage_ms: Mapping[str, float], cpu_ms: float, detections: int) -> None:
        """One frame's stages, as `MapperReport` has them, and its CPU time with the detector."""
        self._ms[self._count] = [stage_ms[stage] for stage in (DETECT, *STAGES)]
        self._cpu_ms[self._count] = cpu_ms
        self._detections[self._count] = detections
        self._count += 1

    def summary(self) -> dict[str, object]:
        """Medians unless said; the total is of a frame without its detector.

        Where other programs share the core, `cpu_ms` says what the frame itself took, detector
        included. `total_ms_by_tenth` shows whether frames get slower as the map gets older.
        """
        ms = self._ms[: self._count]
        total_ms = ms[:, 1:].sum(axis=1)
        return {
            "detections": float(np.median(self._detections[: self._count])),
            "total_ms": float(np.median(total_ms)),
            "total_ms_p99": float(np.percentile(total_ms, 99)),
            "stages_ms": dict(zip(STAGES, np.median(ms[:, 1:], axis=0).tolist(), strict=True)),
            "detector_ms": float(np.median(ms[:, 0])),
            "cpu_ms": float(np.median(self._cpu_ms[: self._count])),
            "total_ms_by_tenth": [
                float(np.median(part)) for part in np.array_split(total_ms, _PARTS) if len(part)
            ],
        }
