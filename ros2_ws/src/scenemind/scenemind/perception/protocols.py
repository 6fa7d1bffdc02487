"""What the mapper needs from a model; `backends/` holds one file a model."""

from __future__ import annotations

from typing import Protocol

from scenemind.frames import RGBDFrame
from scenemind.perception.types import Detections


class Detector(Protocol):
    """Finds objects in one frame."""

    @property
    def name(self) -> str:
        """Shown wherever results appear; a simulated detector says so here."""
        ...

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The class names that it can return."""
        ...

    def detect(self, frame: RGBDFrame) -> Detections:
        """Detections of the frame, best first.

        Raises:
            PerceptionError: the model failed on this frame; the mapper counts it and goes on.
        """
        ...
