"""Places at which one map object separates into several, for splitting it."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.memory.graph.corrections.overlay import nearest_place

Place = tuple[float, float, float]

# Largest density in the gap between two parts, relative to an even spread, in a slab whose
# thickness is this share of the distance of their centres.
_VALLEY, _SLAB = 0.25, 0.1
# Number of slabs, and their range about the midpoint; the emptiest counts.
_SLABS, _OFF_HALF = 21, 0.2
# Fewest points of an object, and least share of them in each part.
_FEWEST, _LEAST_SHARE = 120, 0.1
_STARTS, _SEED = 6, 7


def find_split_places(points: NDArray[np.float32], count: int) -> list[Place] | None:
    """Centres of the `count` clusters that separate best; None where none separate.

    Clusters are those of k-means from several starts. Two of them separate where the points thin
    out between their centres: a single thing has surface all the way.

    Args:
        points: (M, 3), world, metres.
    """
    if len(points) < _FEWEST:
        return None
    best: tuple[float, NDArray[np.float64]] | None = None
    for start in range(_STARTS):
        middles, part_of = scipy.cluster.vq.kmeans2(
            points.astype(np.float64), count, minit="++", rng=np.random.default_rng(_SEED + start)
        )
        depth = _depth(points, middles, part_of)
        if depth <= _VALLEY and (best is None or depth < best[0]):
            best = depth, middles
    if best is None:
        return None
    places = [(float(x), float(y), float(z)) for x, y, z in best[1]]
    return places if len(set(nearest_place(points, places).tolist())) == count else None


def _depth(
    points: NDArray[np.float32], middles: NDArray[np.float64], part_of: NDArray[np.int32]
) -> float:
    """Relative density of the emptiest slab between the two clusters that separate worst.

    1 stands for evenly spread points; infinite where a cluster is too small.
    """
    sizes = np.bincount(part_of, minlength=len(middles))
    if sizes.min() < _LEAST_SHARE * len(points):
        return np.inf
    worst = 0.0
    for a in range(len(middles)):
        for b in range(a + 1, len(middles)):
            own = points[(part_of == a) | (part_of == b)]
            worst = max(worst, _emptiest(own, middles[a], middles[b]))
    return worst


def _emptiest(points: NDArray[np.float32], a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    way = b - a
    length = float(way @ way)
    if length <= 0.0:
        return np.inf
    at = (points - a) @ way / length  # 0 at a, 1 at b
    spread = float(np.ptp(at))
    slabs = np.linspace(0.5 - _OFF_HALF, 0.5 + _OFF_HALF, _SLABS)
    counts = [np.count_nonzero(np.abs(at - slab) <= _SLAB / 2.0) for slab in slabs]
    even = len(points) * _SLAB / max(spread, 1e-9)
    return float(min(counts)) / even
