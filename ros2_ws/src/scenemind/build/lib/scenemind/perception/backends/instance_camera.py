"""A simulator's instance camera as a detector: it reads ids and sees no picture.

It replaces a network where none is available, and says so in its name. It returns the
visible part of each object, exactly, so results with it say how well mapping works and nothing
about detection.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.types import BoxMask, Detections, PerceptionError

# Ids are certain; the score is below 1 as for any detector, since confidences build on it.
_SCORE = 0.95
_MAX_ID = 1_000_000


class InstanceCamera:
    """Detections from `RGBDFrame.instances`: the exact visible part of each object."""

    name = "simulated instance camera"

    def __init__(self, names: Mapping[int, str], min_pixels: int = 60) -> None:
        """
        Args:
            names: instance id -> class name; ids without a name (walls, floor) are skipped.
            min_pixels: fewest visible pixels of a reported object.

        Raises:
            PerceptionError: an id that cannot come from an instance image.
        """
        named = sorted((number, name.lower()) for number, name in names.items() if number != 0)
        if named and not 0 < named[0][0] <= named[-1][0] <= _MAX_ID:
            raise PerceptionError(
                f"instance ids go from 1 to {_MAX_ID}, the names have {named[0][0]}"
                f" to {named[-1][0]}"
            )
        self._labels = tuple(name for _, name in named)
        self._min_pixels = min_pixels
        # id -> position in labels, from 1; the last entry stands for all larger ids.
        self._dense_of = np.zeros(named[-1][0] + 2 if named else 2, dtype=np.int32)
        for dense, (number, _) in enumerate(named, start=1):
            self._dense_of[number] = dense

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(sorted(set(self._labels)))

    def detect(self, frame: RGBDFrame) -> Detections:
        """One detection for each named object that shows enough pixels, largest first.

        Raises:
            PerceptionError: the frame carries no instance image.
        """
        if frame.instances is None:
            raise PerceptionError(
                f"frame {frame.number} has no instance image: only simulated sequences carry"
                " one; configure detector.backend: onnx for a real camera"
            )
        found = self._visible(frame.instances)
        if not found:
            return Detections.empty()
        labels, boxes, masks = zip(*found, strict=True)
        scores = np.full(len(found), _SCORE, dtype=np.float32)
        return Detections(labels, scores, np.array(boxes, dtype=np.float32), masks)

    def _visible(
        self, instances: NDArray[np.int32]
    ) -> list[tuple[str, tuple[int, int, int, int], BoxMask]]:
        dense = self._dense_of.take(instances, mode="clip")
        counts = np.bincount(dense.ravel(), minlength=len(self._labels) + 1)[1:]
        windows = scipy.ndimage.find_objects(dense, max_label=len(self._labels))
        found = []
        for index in np.argsort(-counts, kind="stable"):
            if counts[index] < self._min_pixels:
                break
            rows, columns = windows[index]
            mask = BoxMask(columns.start, rows.start, dense[rows, columns] == index + 1)
            box = (columns.start, rows.start, columns.stop, rows.stop)
            found.append((self._labels[index], box, mask))
        return found
