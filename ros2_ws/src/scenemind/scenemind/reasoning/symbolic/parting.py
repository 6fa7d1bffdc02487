"""Where an object comes apart: a place in each of the things that were taken for one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2

from scenemind.memory.graph.corrections.parts import nearest_place

Place = tuple[float, float, float]

# Between two parts there are few points: at most this share of what an even spread would have, in
# a slab of this share of the way from one part's middle to the other's.
_VALLEY, _SLAB = 0.25, 0.1
# Of slabs about the half of that way, up to so far from it, the emptiest counts.
_SLABS, _OFF_HALF = 21, 0.2
# Fewer points than these thin out by chance; parts with less than this share of them are none.
_FEWEST, _LEAST_SHARE = 120, 0.1
_STARTS, _SEED = 6, 7


def find_parts(points: NDArray[np.float32], count: int) -> list[Place] | None:
    """The middles of the `count` clusters that part best; None where nothing parts.

    Clusters are those of k-means from several starts. Two of them part where the points thin out
    between their middles: a single thing has its surface all the way.

    Args:
        points: (M, 3), world, metres.
    """
    if len(points) < _FEWEST:
        return None
    best: tuple[float, NDArray[np.float64]] | None = None
    for start in range(_STARTS):
        middles, part_of = kmeans2(
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
    """How full the emptiest slab is between the two parts that part worst; infinite for no parts.

    1 stands for points that are spread evenly.
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
