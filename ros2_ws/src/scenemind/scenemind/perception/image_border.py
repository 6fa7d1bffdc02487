"""What the image border cuts: an object that goes on outside is seen only in part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera

_NEAR_PX = 2.0  # detectors' boxes end this near to the border when the object goes on


def cut_sides(boxes_px: NDArray[np.floating], camera: PinholeCamera) -> NDArray[np.bool_]:
    """Which sides (N, 4) of boxes (N, 4) end at the border: left, top, right, bottom."""
    far = np.array((camera.width, camera.height)) - _NEAR_PX
    return np.concatenate((boxes_px[:, :2] <= _NEAR_PX, boxes_px[:, 2:] >= far), axis=1)
