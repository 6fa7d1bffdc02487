"""What of a cloud hangs together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

_LEAST_SHARE = 0.1  # of the largest part's size: a part of the thing that something else cuts off
_GAP_SHARE = 0.1  # of the cloud's extent
_ALL_AROUND = np.ones((3, 3, 3), np.bool_)


def in_sure_parts(
    points: NDArray[np.float32], confirmed: NDArray[np.bool_], least_gap_m: float
) -> NDArray[np.bool_]:
    """Which points (N, 3) are in a large part, or in one of which most points are confirmed (N,).

    Parts are about `least_gap_m` apart or more, and a tenth of the whole cloud's extent: what is
    nearer belongs together, as a lamp's shade and its foot.

    Masks that take in something behind the target leave clumps of points there, which are as dense
    as the target and so no statistical outliers. (The paper tried DBSCAN and left it, supplement
    D.4; with the borders gone that joined such clumps to the target, parts are told apart.)
    """
    offset = points - points.min(axis=0)
    cell_m = max(least_gap_m, _GAP_SHARE * float(offset.max()))
    cells = np.floor(offset / np.float32(cell_m)).astype(np.intp)
    occupied = np.zeros(cells.max(axis=0) + 1, np.bool_)
    at = tuple(cells.T)
    occupied[at] = True
    parts, count = ndimage.label(occupied, _ALL_AROUND)
    if count == 1:
        return np.ones(len(points), np.bool_)
    sizes = np.bincount(parts.reshape(-1), minlength=count + 1)
    sizes[0] = 0
    of_point = parts[at]
    stays = sizes >= _LEAST_SHARE * sizes.max()
    stays |= np.bincount(of_point, confirmed - 0.5, minlength=count + 1) > 0.0
    sure: NDArray[np.bool_] = stays[of_point]
    return sure
