"""YOLOX's head: offsets on a grid of three strides (Ge et al. 2021, arXiv:2107.08430)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.backends.candidates import Candidates
from scenemind.perception.errors import PerceptionError

STRIDES = (8, 16, 32)
_LARGEST_LOG_SIZE = 10.0  # exp(10) strides is wider than any image


def decode_yolox(
    prediction: NDArray[np.float32], input_size: tuple[int, int], min_score: float
) -> Candidates:
    """One row an anchor: offset x, y in strides, log width, log height, objectness, classes.

    Args:
        prediction: (N, 5 + class_count), anchors row by row, finest stride first.
        input_size: width and height of the network's input in pixels.
        min_score: rows whose objectness times best class probability is below are dropped.

    Raises:
        PerceptionError: the export has decoded its boxes already.
    """
    scores = prediction[:, 4] * prediction[:, 5:].max(axis=1)
    kept = np.flatnonzero(scores >= min_score)
    rows = prediction[kept]
    if rows.size and rows[:, 2:4].max() > _LARGEST_LOG_SIZE:
        raise PerceptionError(
            f"the YOLOX output holds log sizes up to {rows[:, 2:4].max():.0f}: these are decoded"
            " boxes; export the model again without --decode_in_inference"
        )
    cells, strides = _grid(input_size)
    center = (rows[:, :2] + cells[kept]) * strides[kept]
    size = np.exp(rows[:, 2:4]) * strides[kept]
    return Candidates(
        boxes_px=np.hstack((center - size / 2, center + size / 2)).astype(np.float32),
        scores=scores[kept],
        class_ids=rows[:, 5:].argmax(axis=1).astype(np.int32),
        coefficients=np.zeros((len(kept), 0), dtype=np.float32),
    )


@lru_cache(maxsize=8)
def _grid(input_size: tuple[int, int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Cell x, y (N, 2) and stride (N, 1) of every anchor."""
    width, height = input_size
    cells, strides = [], []
    for stride in STRIDES:
        y, x = np.mgrid[: height // stride, : width // stride]
        cells.append(np.column_stack((x.ravel(), y.ravel())))
        strides.append(np.full((x.size, 1), stride))
    return np.vstack(cells).astype(np.float32), np.vstack(strides).astype(np.float32)
