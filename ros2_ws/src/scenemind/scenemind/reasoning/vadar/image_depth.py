"""Depth of every pixel: a sensor's, an estimate, or the truth."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.protocols import DepthEstimator
from scenemind.reasoning.vadar.view import BoxPx

# Of a box, in the middle of it.
_MIDDLE = 0.25


class ImageDepth:
    """A `DepthSource` of a depth image."""

    def __init__(self, depth_m: NDArray[np.float32], name: str) -> None:
        """
        Args:
            depth_m: (H, W), 0 where nothing is known.
        """
        self.name = name
        self._depth_m = depth_m

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        """See `DepthSource`: the median about the middle of the box."""
        x0, y0, x1, y1 = box_px
        x, y = (x0 + x1) / 2.0, (y0 + y1) / 2.0
        half_x, half_y = _MIDDLE * (x1 - x0) / 2.0, _MIDDLE * (y1 - y0) / 2.0
        rows = slice(max(0, int(y - half_y)), max(0, int(y + half_y) + 1))
        columns = slice(max(0, int(x - half_x)), max(0, int(x + half_x) + 1))
        known = self._depth_m[rows, columns]
        known = known[np.isfinite(known) & (known > 0.0)]
        return float(np.median(known)) if known.size else None


class EstimatedDepth:
    """A `DepthSource` of a picture without depth. The model looks at it when somebody asks; what it
    says is kept."""

    def __init__(self, estimator: DepthEstimator, color: NDArray[np.uint8]) -> None:
        """
        Args:
            color: (H, W, 3) RGB.
        """
        self.name = f"{estimator.name} (estimated)"
        self._estimator = estimator
        self._color = color
        self._lock = threading.Lock()
        self._depth: ImageDepth | None = None

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        """See `DepthSource`."""
        with self._lock:
            if self._depth is None:
                self._depth = ImageDepth(self._estimator.estimate(self._color), self.name)
        return self._depth.find_depth_m(box_px)
