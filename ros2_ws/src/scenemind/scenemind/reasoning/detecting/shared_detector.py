"""One open-vocabulary detector for all questions."""

from __future__ import annotations

from collections.abc import Callable

from scenemind.frames import RGBDFrame
from scenemind.models import Allowance
from scenemind.perception.protocols import OpenVocabularyDetector
from scenemind.perception.types import Detections
from scenemind.reasoning.shared_model import SharedModel


class SharedDetector:
    """A frame at a time, from any thread; see `SharedModel`. It is told what to look for, so it
    must not be the mapper's."""

    def __init__(self, build: Callable[[], OpenVocabularyDetector]) -> None:
        """
        Args:
            build: makes the detector; called again where it failed.
        """
        self._shared = SharedModel(build, "detector")

    @property
    def name(self) -> str:
        """Of the detector; empty before it is made."""
        detector = self._shared.find()
        return "" if detector is None else detector.name

    def open(self, allowance: Allowance | None = None) -> None:
        """Have it made now, where it costs more to find out later that it cannot be had.

        Args:
            allowance: of who waits; None: as long as it takes.

        Raises:
            PerceptionError: it cannot be had.
            ModelError: cancelled, or the allowance is used up.
        """
        self._shared.get(allowance)

    def detect(
        self, frame: RGBDFrame, classes: tuple[str, ...], allowance: Allowance | None = None
    ) -> Detections:
        """Things of these classes, surest first.

        Args:
            classes: normalised (`checked_vocabulary`).
            allowance: of who waits for a turn; None: as long as it takes.

        Raises:
            PerceptionError: the detector cannot be had, does not take the classes, or failed.
            ModelError: cancelled, or the allowance is used up.
        """
        with self._shared.turn(allowance) as detector:
            if detector.vocabulary != classes:  # another question's, or none yet
                detector.set_vocabulary(classes)
            return detector.detect(frame)
