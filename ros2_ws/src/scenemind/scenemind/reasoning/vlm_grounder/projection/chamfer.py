"""How far two views' surfaces of one thing are apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

_FEWEST = 10  # points that both views see


def chamfer_m(
    a: cKDTree,
    b: cKDTree,
    a_seen_by_b: NDArray[np.bool_],
    b_seen_by_a: NDArray[np.bool_],
) -> float:
    """L2 Chamfer distance, symmetric: the mean of both directions' mean distances, metres.

    Of the paper's distance (section 3.4) its code takes matched keypoints alone, that is what both
    views can see: a front and a side of one cupboard are 0.3 m apart without being two. So here
    only points count that the other view's depth image has, in its mask or not; they are compared
    with the other's whole cloud. A direction with too few of them does not count. Where neither
    view sees enough of the other's, as from two sides of a cup, all points count, as in the paper.

    Args:
        a, b: of points (N, 3), (M, 3), world; at least one each.
        a_seen_by_b, b_seen_by_a: (N,), (M,) bool.
    """
    sides = [(a.data[a_seen_by_b], b), (b.data[b_seen_by_a], a)]
    sides = [side for side in sides if len(side[0]) >= _FEWEST] or [(a.data, b), (b.data, a)]
    return float(np.mean([other.query(points)[0].mean() for points, other in sides]))
