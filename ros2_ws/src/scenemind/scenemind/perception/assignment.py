"""Who belongs to whom: optimal one-to-one assignment above a threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment


def assign(
    value: NDArray[np.floating], allowed: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows matched to columns so that the values of allowed pairs sum up highest.

    Args:
        value: (N, M) in [0, 1].
        allowed: (N, M) pairs that may be matched.

    Returns:
        Row and column indices of the matched pairs, equally long.
    """
    if not allowed.any():
        nothing = np.zeros(0, dtype=np.intp)
        return nothing, nothing
    rows, columns = linear_sum_assignment(np.where(allowed, value, 0.0), maximize=True)
    kept = allowed[rows, columns]
    return rows[kept], columns[kept]
