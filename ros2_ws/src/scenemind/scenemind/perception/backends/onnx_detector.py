"""Detectors of the YOLO family, exported to a file, whose classes are fixed."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.perception.backends.network import Network
from scenemind.perception.backends.picture_pipeline import LookedFor, PicturePipeline
from scenemind.perception.errors import PerceptionError
from scenemind.perception.types import Detections


class OnnxDetector:
    """YOLOv8/YOLO11 heads with and without masks, their end2end exports, and YOLOX."""

    def __init__(self, network: Network, config: DetectorConfig, title: str) -> None:
        """Run the network once, which recognises its head and warms it up.

        Args:
            network: one without words as an input.
            config: thresholds and the classes to keep.
            title: of the model, shown with its runtime as the detector's name.

        Raises:
            PerceptionError: the head or a wanted class is not known; says what to do.
        """
        self._pipeline = PicturePipeline(network, config)
        names = self._pipeline.head.class_names
        self._looked_for = LookedFor(names, wanted_classes(config.classes, names))
        self._name = f"{title} ({network.runtime})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return self._looked_for.vocabulary

    @property
    def stage_ms(self) -> Mapping[str, float]:
        """Wall time of the last `detect`: `pre`, `network`, `post`."""
        return self._pipeline.stage_ms

    def detect(self, frame: RGBDFrame) -> Detections:
        """Detections of the frame's colour image, best first.

        Raises:
            PerceptionError: the model failed on this frame.
        """
        return self._pipeline.detect(frame.color, self._looked_for)


def wanted_classes(wanted: Sequence[str], names: tuple[str, ...]) -> NDArray[np.bool_]:
    """(len(names),) bool, the named ones; all where none is named.

    Raises:
        PerceptionError: a wanted class is not there; names the nearest.
    """
    words = [word.lower() for word in wanted]
    for word, lower in zip(wanted, words, strict=True):
        if lower not in names:
            near = difflib.get_close_matches(lower, names, n=3) or names[:10]
            raise PerceptionError(
                f"detector.classes names {word!r}, which this model does not know;"
                f" it knows {len(names)} classes, such as {', '.join(near)}"
            )
    return np.array([not words or name in words for name in names], dtype=np.bool_)
