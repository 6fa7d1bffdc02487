"""How long the stages of one frame take."""

from __future__ import annotations

from time import perf_counter


class Stopwatch:
    """Laps by name.

    Attributes:
        stage_ms: stage -> milliseconds, in the order in which the stages ended.
    """

    __slots__ = ("_since", "stage_ms")

    def __init__(self) -> None:
        self.stage_ms: dict[str, float] = {}
        self._since = perf_counter()

    def lap(self, stage: str) -> None:
        """The time since the last lap (or the start) belongs to this stage."""
        now = perf_counter()
        self.stage_ms[stage] = self.stage_ms.get(stage, 0.0) + (now - self._since) * 1e3
        self._since = now
