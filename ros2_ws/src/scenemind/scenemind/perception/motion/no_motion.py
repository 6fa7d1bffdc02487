"""A camera that stands still, or a tracker that does not care."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.types import Detections


class NoMotion:
    """Compensates nothing: boxes move by their own velocity only."""

    def advance(self, _frame: RGBDFrame, _detections: Detections, /) -> NDArray[np.float64]:
        """Always the identity (4, 4)."""
        return np.eye(4)
