"""How much boxes overlap, many pairs at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D


def extents(boxes: Sequence[Box3D]) -> NDArray[np.float64]:
    """(N, 6): x0, y0, z0, x1, y1, z1 of the axis-aligned box around each, in metres."""
    return np.array([box.extent() for box in boxes], dtype=np.float64).reshape(-1, 6)


def iou_pairs(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N,): intersection over union of the k-th boxes of (N, 6) and (N, 6).

    A box that is flat has no volume to share: it is 1 with itself, and 0 with others.
    """
    sides = np.minimum(a[:, 3:], b[:, 3:]) - np.maximum(a[:, :3], b[:, :3])
    shared = np.prod(np.clip(sides, 0.0, None), axis=1)
    union = _volumes(a) + _volumes(b) - shared
    same = (a == b).all(axis=1).astype(np.float64)
    return np.divide(shared, union, out=same, where=union > 0.0)


def _volumes(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    volumes: NDArray[np.float64] = np.prod(boxes[:, 3:] - boxes[:, :3], axis=1)
    return volumes
