"""What the tracker asks of a camera's motion."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.types import Detections


class CameraMotion(Protocol):
    """Follows the camera from frame to frame."""

    def advance(self, frame: RGBDFrame, detections: Detections, /) -> NDArray[np.float64]:
        """How places moved since the frame of the last call; the identity for the first one.

        Returns:
            (4, 4) to multiply places with (`motion.places`): homogeneous camera coordinates of
            the last frame to those of this one.
        """
        ...
