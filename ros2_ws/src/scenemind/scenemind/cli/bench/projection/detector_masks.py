"""A detector that gives masks in place of SAM."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import iou_matrix_2d
from scenemind.perception.protocols import Detector, Segmenter
from scenemind.perception.types import BoxMask

_LEAST_IOU = 0.5


class DetectorMasks:
    """A `Segmenter`: the mask of the detection that is most like the box; where the detector has
    none, another segmenter's."""

    def __init__(self, detector: Detector, otherwise: Segmenter) -> None:
        self._detector = detector
        self._otherwise = otherwise

    @property
    def name(self) -> str:
        return f"masks of {self._detector.name}, else {self._otherwise.name}"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`."""
        found = self._detector.detect(frame)
        table = iou_matrix_2d(np.asarray(boxes_px, np.float32), found.boxes_px)
        masks = []
        for row, box_px in enumerate(boxes_px):
            best = int(np.argmax(table[row])) if len(found) else -1
            mask = found.masks[best] if best >= 0 and table[row, best] >= _LEAST_IOU else None
            masks.append(mask or self._otherwise.segment(frame, box_px[None])[0])
        return tuple(masks)
