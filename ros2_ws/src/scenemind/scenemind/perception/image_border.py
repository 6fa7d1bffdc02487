"""What the image border cuts: an object that goes on outside is seen only in part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera

_NEAR_PX = 2.0  # detectors' boxes end this near to the border when the object goes on


def cut_by_border(boxes_px: NDArray[np.floating], camera: PinholeCamera) -> NDArray[np.bool_]:
    """Which boxes (N, 4) of x0, y0, x1, y1 reach the border of the camera's image, (N,)."""
    x0, y0, x1, y1 = boxes_px.T
    cut = np.minimum(x0, y0) <= _NEAR_PX
    cut |= x1 >= camera.width - _NEAR_PX
    cut |= y1 >= camera.height - _NEAR_PX
    return cut
