"""Boxes that somebody asks to be cut out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.errors import PerceptionError


def check_boxes(boxes_px: NDArray[np.floating]) -> None:
    """
    Raises:
        PerceptionError: not (N, 4) finite numbers.
    """
    if boxes_px.ndim != 2 or boxes_px.shape[1] != 4 or not np.isfinite(boxes_px).all():
        raise PerceptionError(
            f"boxes to cut out are (N, 4) finite numbers x0, y0, x1, y1, not {boxes_px.tolist()}"
        )
