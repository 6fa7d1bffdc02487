"""One open-vocabulary detector for all questions."""

from __future__ import annotations

import threading
from collections.abc import Callable

from scenemind.frames import RGBDFrame
from scenemind.perception.protocols import OpenVocabularyDetector
from scenemind.perception.types import Detections


class SharedDetector:
    """Made by the first question that needs it; used from any thread, a frame at a time. It is told
    what to look for, so it must not be the mapper's."""

    def __init__(self, build: Callable[[], OpenVocabularyDetector]) -> None:
        """
        Args:
            build: makes the detector; called again where it failed.
        """
        self._build = build
        self._detector: OpenVocabularyDetector | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Of the detector; empty before it is made."""
        return "" if self._detector is None else self._detector.name

    def open(self) -> None:
        """Make it now, where it costs more to find out later that it cannot be had.

        Raises:
            PerceptionError: it cannot.
        """
        with self._lock:
            self._opened()

    def detect(self, frame: RGBDFrame, classes: tuple[str, ...]) -> Detections:
        """Things of these classes, surest first.

        Args:
            classes: normalised (`checked_vocabulary`).

        Raises:
            PerceptionError: the detector cannot be had, does not take the classes, or failed.
        """
        with self._lock:
            detector = self._opened()
            if detector.vocabulary != classes:  # another question's, or none yet
                detector.set_vocabulary(classes)
            return detector.detect(frame)

    def _opened(self) -> OpenVocabularyDetector:
        if self._detector is None:
            self._detector = self._build()
        return self._detector
