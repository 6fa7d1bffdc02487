"""Things in a picture, as an open-vocabulary detector finds them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.perception import PerceptionError
from scenemind.perception.protocols import OpenVocabularyDetector
from scenemind.perception.text import normalized_label
from scenemind.perception.types import Detections
from scenemind.reasoning.sandbox import ApiError
from scenemind.reasoning.vadar.view import BoxPx

# The paper's, of GroundingDINO.
_LEAST_SCORE = 0.25


class SharedDetector:
    """One detector for all questions, made by the first that needs it. It is told what to look for,
    so it must not be the mapper's."""

    def __init__(self, build: Callable[[], OpenVocabularyDetector]) -> None:
        self._build = build
        self._detector: OpenVocabularyDetector | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Of the detector; empty before it is made."""
        return "" if self._detector is None else self._detector.name

    def detect(self, color: NDArray[np.uint8], label: str) -> Detections:
        """Things of one kind in a picture (H, W, 3) RGB, surest first.

        Raises:
            PerceptionError: the detector cannot be had, or does not take the label.
        """
        with self._lock:
            if self._detector is None:
                self._detector = self._build()
            if self._detector.vocabulary != (label,):
                self._detector.set_vocabulary((label,))
            return self._detector.detect(_as_frame(color))


class DetectorLocator:
    """A `Locator` that looks at the picture itself."""

    def __init__(self, detector: SharedDetector, color: NDArray[np.uint8]) -> None:
        """
        Args:
            color: (H, W, 3) RGB.
        """
        self._detector = detector
        self._color = color

    @property
    def name(self) -> str:
        return self._detector.name or "a detector"

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """See `Locator`.

        Raises:
            ApiError: the words are no name of a kind of things.
        """
        try:
            label = normalized_label(prompt)
        except PerceptionError as error:
            raise ApiError(f"loc(image, object_prompt): {error}") from error
        found = self._detector.detect(self._color, label)
        sure = found.boxes_px[found.scores >= _LEAST_SCORE].tolist()
        return [(x0, y0, x1, y1) for x0, y0, x1, y1 in sure]


def _as_frame(color: NDArray[np.uint8]) -> RGBDFrame:
    """For a detector, which looks at colours alone: depth is not measured, and the camera of a
    usual field of view."""
    height, width = color.shape[:2]
    camera = PinholeCamera(width, height, width, width, width / 2.0, height / 2.0)
    depth_m = np.zeros((height, width), np.float32)
    return RGBDFrame(0, 0, color, depth_m, camera, Pose.identity())
