"""A mask of a whole image, or a part of one, cut to what is set in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.types import BoxMask


def cut_mask(bits: NDArray[np.bool_], x_px: int = 0, y_px: int = 0) -> BoxMask | None:
    """Bits (h, w) whose first is pixel (x_px, y_px); None where none is set."""
    rows, columns = np.flatnonzero(bits.any(axis=1)), np.flatnonzero(bits.any(axis=0))
    if len(rows) == 0:
        return None
    top, left = int(rows[0]), int(columns[0])
    window = bits[top : rows[-1] + 1, left : columns[-1] + 1]
    return BoxMask(x_px + left, y_px + top, np.ascontiguousarray(window))
