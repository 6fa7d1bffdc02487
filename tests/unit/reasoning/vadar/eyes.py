"""A photograph, with a detector and a depth estimator without models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.types import Detections

RED_BOX = (40, 30, 80, 90)


class RedDetector:
    """A detector that finds red areas, by the name "red thing"."""

    name = "red detector"

    def __init__(self) -> None:
        self.vocabulary: tuple[str, ...] = ()

    def set_vocabulary(self, classes: Sequence[str]) -> None:
        self.vocabulary = tuple(classes)

    def label_similarity(self, a: str, b: str) -> float:
        return float(a == b)

    def detect(self, frame: RGBDFrame) -> Detections:
        rows, columns = np.nonzero(frame.color[..., 0].astype(int) - frame.color[..., 1] > 100)
        if self.vocabulary != ("red thing",) or not rows.size:
            return Detections.empty()
        box = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
        boxes = np.array([box, (0, 0, 9, 9)], np.float32)
        scores = np.array([0.9, 0.1], np.float32)  # the second is too unsure to count
        return Detections(("red thing",) * 2, scores, boxes, (None,) * 2)


class SlopeEstimator:
    """A depth estimator for which lower pixels are nearer."""

    name = "slope"

    def __init__(self) -> None:
        self.asked = 0

    def fetch(self) -> None:
        """The method of `MonocularDepth`; no file is fetched."""

    def estimate(self, color: NDArray[np.uint8]) -> NDArray[np.float32]:
        self.asked += 1
        height, width = color.shape[:2]
        return np.repeat(np.linspace(5.0, 1.0, height, dtype=np.float32)[:, None], width, axis=1)


def red_thing_on_a_desk(path: Path) -> Path:
    """A picture file of 160 x 120 pixels: something red at `RED_BOX` on grey."""
    bgr = np.full((120, 160, 3), 200, np.uint8)
    cv2.rectangle(bgr, RED_BOX[:2], (RED_BOX[2] - 1, RED_BOX[3] - 1), (0, 0, 255), -1)
    cv2.imwrite(str(path), bgr)
    return path
