"""Whether what was said likely is as often right as that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 10


def calibration_error(said: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Expected calibration error: mean distance of what is said and what is right, over bins of
    equal width, each weighing as many as it holds.

    Args:
        said: (N,) in [0, 1]. right: (N,).
    """
    off = sum(abs(float(said[rows].sum() - right[rows].sum())) for rows in _bins(said, BINS))
    return off / len(said)


def brier_score(said: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Mean squared distance of what is said and what is so."""
    return float(np.mean((said - right) ** 2))


def reliability(
    said: NDArray[np.float64], right: NDArray[np.bool_], bins: int
) -> list[dict[str, Any]]:
    """Mean of what is said, and the share that is right, of each bin with boxes."""
    return [
        {
            "boxes": len(rows),
            "said": float(said[rows].mean()),
            "right": float(right[rows].mean()),
        }
        for rows in _bins(said, bins)
    ]


def _bins(said: NDArray[np.float64], count: int) -> Iterator[NDArray[np.intp]]:
    """Rows of each bin that is not empty."""
    at = np.minimum((said * count).astype(np.intp), count - 1)
    for number in np.unique(at):
        yield np.flatnonzero(at == number)
