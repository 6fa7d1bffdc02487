"""One segmenter for all queries."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.protocols import Segmenter
from scenemind.perception.types import BoxMask


class SharedSegmenter:
    """A `Segmenter` that is made by the first query that needs it; used from any thread, an image
    at a time."""

    def __init__(self, build: Callable[[], Segmenter]) -> None:
        """
        Args:
            build: makes the segmenter; called again where it failed.
        """
        self._build = build
        self._segmenter: Segmenter | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Of the segmenter; empty before it is made."""
        return "" if self._segmenter is None else self._segmenter.name

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`."""
        with self._lock:
            if self._segmenter is None:
                self._segmenter = self._build()
            return self._segmenter.segment(frame, boxes_px)
