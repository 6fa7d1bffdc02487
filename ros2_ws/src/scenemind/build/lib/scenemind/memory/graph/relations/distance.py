"""Far, within reach, around, closest and farthest (SynergAI, Table A.1; LLM-TPC, supplement
1.1.4).

Distances are between the nearest points of two things, as in LLM-TPC, and between their boxes
where points are not known; they are exact. Boxes and a few points first tell which clouds can
matter, and then which of their points. `far` uses boxes only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import gaps_m
from scenemind.memory.graph.relations.box_relations import Bounds, Scores, sizes

# (3, M) float32: x, y and z in a row each, which is several times faster than (M, 3).
Columns = NDArray[np.float32]
# Every 32nd point bounds a distance from above.
SAMPLE_EVERY = 32
# From one cloud to the other and back so often ends near the two nearest points.
STEPS = 4
# Fewer pairs than this are compared one by one, more through a tree.
FEW_PAIRS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Clouds:
    """N clouds with their bounds.

    Attributes:
        points: N arrays (3, M) float32, world, metres; one without points is its box.
        bounds: (N, 6) float64: lowest and highest corner of the points, or of the box.
    """

    points: tuple[Columns, ...]
    bounds: NDArray[np.float64]

    @classmethod
    def of(cls, points: Sequence[NDArray[np.float32]], boxes: NDArray[np.float64]) -> Clouds:
        """Clouds of points (M, 3) each; a cloud without points is its box (N, 6).

        Bounds are those of the points: an object's box may leave out outliers.
        """
        bounds = np.array(boxes, dtype=np.float64).reshape(-1, 6)
        columns = tuple(np.ascontiguousarray(cloud.T, dtype=np.float32) for cloud in points)
        for row, cloud in enumerate(columns):
            if cloud.shape[1]:
                bounds[row] = _bounds_of(cloud)
        return cls(columns, bounds)

    def __len__(self) -> int:
        return len(self.points)

    def at_least_m(self, other: Clouds) -> NDArray[np.float64]:
        """A lower bound (N,) of the distance of each to a single other cloud: the boxes' gap."""
        a, b = self.bounds, other.bounds
        return gaps_m(a[:, :3], a[:, 3:], b[:, :3], b[:, 3:])

    def at_most_m(self, other: Clouds) -> NDArray[np.float64]:
        """An upper bound (N,) of the distance of each to a single other cloud, from samples."""
        theirs = other.points[0][:, ::SAMPLE_EVERY]
        found = self.at_least_m(other)
        known = [row for row, cloud in enumerate(self.points) if cloud.shape[1]]
        if known:
            mine = [self.points[row][:, ::SAMPLE_EVERY] for row in known]
            counts = np.array([sample.shape[1] for sample in mine])
            nearest = _squared_to_cloud(np.concatenate(mine, axis=1), theirs, other.bounds[0])
            found[known] = np.sqrt(np.minimum.reduceat(nearest, np.cumsum(counts) - counts))
        if theirs.shape[1] and len(known) < len(self):
            for row in set(range(len(self))).difference(known):
                found[row] = np.sqrt(_squared_to_box(theirs, self.bounds[row]).min())
        return found

    def distance_m(
        self,
        row: int,
        other: Clouds,
        at_most_m: float,
        near_enough_m: float = 0.0,
        beyond_m: float = math.inf,
    ) -> float:
        """Between the nearest points of one and of a single other cloud.

        Args:
            at_most_m: known not to be exceeded (`at_most_m`).
            near_enough_m: a distance that is no more than this may come back too large, up to it.
            beyond_m: a distance that is more than this may come back too large, or infinite.
        """
        mine, theirs = self.points[row], other.points[0]
        if not mine.shape[1] and not theirs.shape[1]:
            return at_most_m
        if not mine.shape[1]:
            return float(np.sqrt(_squared_to_box(theirs, self.bounds[row]).min()))
        if not theirs.shape[1]:
            return float(np.sqrt(_squared_to_box(mine, other.bounds[0]).min()))
        at_most_m = min(at_most_m, _descend_m(mine, theirs))
        if at_most_m <= near_enough_m:
            return at_most_m
        # A hair more, so that rounding leaves out none of the two that gave the upper bound.
        limit_m = min(at_most_m, beyond_m) * 1.001 + 1e-4
        mine = mine[:, _squared_to_box(mine, other.bounds[0]) <= limit_m**2]
        if not mine.shape[1]:
            return math.inf
        theirs = theirs[:, _squared_to_box(theirs, _bounds_of(mine)) <= limit_m**2]
        return _nearest_m(mine, theirs, limit_m)


def _descend_m(a: Columns, b: Columns) -> float:
    """A distance of two points that are near each other, though maybe not the nearest."""
    point = a.mean(axis=1)
    for step in range(STEPS):
        cloud = (b, a)[step % 2]
        offset = cloud - point[:, None]
        squared = np.einsum("ij,ij->j", offset, offset)
        nearest = int(squared.argmin())
        point = cloud[:, nearest]
    return float(np.sqrt(squared[nearest]))


def _nearest_m(a: Columns, b: Columns, limit_m: float) -> float:
    """Infinite where it may be more than the limit."""
    if a.shape[1] * b.shape[1] <= FEW_PAIRS:
        return float(
            np.sqrt(scipy.spatial.distance.cdist(a.T, b.T, "sqeuclidean").min(initial=math.inf))
        )
    few, many = (a, b) if a.shape[1] < b.shape[1] else (b, a)
    tree = scipy.spatial.cKDTree(few.T, balanced_tree=False, compact_nodes=False)
    return float(tree.query(many.T, distance_upper_bound=limit_m)[0].min())


def _squared_to_cloud(
    points: Columns, cloud: Columns, bounds: NDArray[np.float64]
) -> NDArray[np.floating]:
    """(M,) squared distances to the nearest point of a cloud; to its bounds where it has none."""
    if cloud.shape[1]:
        return np.asarray(
            scipy.spatial.distance.cdist(points.T, cloud.T, "sqeuclidean").min(axis=1)
        )
    return _squared_to_box(points, bounds)


def _squared_to_box(points: Columns, bounds: NDArray[np.float64]) -> NDArray[np.float32]:
    """(M,) squared distances of points to a box, 0 within it."""
    low, high = bounds[:3, None].astype(np.float32), bounds[3:, None].astype(np.float32)
    outside = np.maximum(np.maximum(low - points, points - high), np.float32(0.0))
    return np.asarray(np.einsum("ij,ij->j", outside, outside))


def _bounds_of(points: Columns) -> NDArray[np.float64]:
    return np.concatenate((points.min(axis=1), points.max(axis=1))).astype(np.float64)


# Accuracy of distances: things that differ by less are equally close.
DISTANCE_NOISE_M = 0.02
# Weight of the centre distance that orders touching things; too small to change another order.
CENTER_WEIGHT = 1e-3


def far(a: Bounds, b: Bounds, config: RelationConfig) -> Scores:
    """Centres are more than `far_factor` times both half diagonals together apart.

    The limit grows with the size of things (SceneVerse's rule, which SynergAI's graph follows). The
    score is 0.5 at the limit and 1 from twice the limit on.
    """
    distance = _centers_m(a, b)
    half_diagonals = (np.linalg.norm(sizes(a), axis=1) + np.linalg.norm(sizes(b), axis=1)) / 2.0
    limit = np.maximum(config.far_factor * half_diagonals, 1e-9)
    return np.where(distance > limit, np.minimum(0.5 * distance / limit, 1.0), 0.0)


def within_reach(targets: Clouds, anchor: Clouds, config: RelationConfig) -> Scores:
    """At most `reach_m` (LLM-TPC: wr_dist) from the anchor, point to point; (N,).

    The score is 1 where the boxes touch and 0.5 where they are the limit apart.
    """
    return _within(targets, anchor, config.reach_m)


def around(targets: Clouds, anchor: Clouds, config: RelationConfig) -> Scores:
    """At most `around_m` (LLM-TPC: ar_dist) from the anchor; scores as `within_reach`."""
    return _within(targets, anchor, config.around_m)


def closest(targets: Clouds, anchor: Clouds, config: RelationConfig) -> Scores:
    """The one of the targets that is closest to the anchor: scores (N,), 0 for all others.

    There is always a closest one: its score grows from 0.5 to 1 with its lead over the next, up to
    `closest_margin_m`. (LLM-TPC requires that lead, epsilon, or there is no closest; its code
    switches this off, because too many questions had no answer.) Targets that differ by less than
    2 cm share the place, at 0.5, unless both touch the anchor: then the one with the closer centre
    has it.
    """
    centers_m = _centers_m(targets.bounds, anchor.bounds)
    values = _nearest_distances(targets, anchor, centers_m, config)
    touching = values <= DISTANCE_NOISE_M
    return _leaders(_told_apart(values, centers_m), ~touching, config)


def farthest(targets: Clouds, anchor: Clouds, config: RelationConfig) -> Scores:
    """The one of the targets that is farthest from the anchor; scores as `closest`."""
    values = -_farthest_distances(targets, anchor, config)
    return _leaders(values, np.ones(len(values), dtype=bool), config)


def distances_m(targets: Clouds, anchor: Clouds) -> NDArray[np.float64]:
    """Distances (N,) between the nearest points of each target and of the anchor.

    For targets that touch it (less than 2 cm) it is a small share of the distance between the
    centres, which orders them.
    """
    at_most = targets.at_most_m(anchor)
    exact = [targets.distance_m(row, anchor, float(at_most[row])) for row in range(len(targets))]
    return _told_apart(np.array(exact, dtype=np.float64), _centers_m(targets.bounds, anchor.bounds))


def _within(targets: Clouds, anchor: Clouds, limit_m: float) -> Scores:
    at_least, at_most = targets.at_least_m(anchor), targets.at_most_m(anchor)
    holds = at_most <= limit_m
    for row in np.flatnonzero(~holds & (at_least <= limit_m)).tolist():
        holds[row] = targets.distance_m(row, anchor, float(at_most[row])) <= limit_m
    return np.where(holds, 1.0 - 0.5 * at_least / limit_m, 0.0)


def _nearest_distances(
    targets: Clouds, anchor: Clouds, centers_m: NDArray[np.float64], config: RelationConfig
) -> NDArray[np.float64]:
    """Distances (N,): exact for the nearest, the next and what shares their places; else bounds.

    Of those that touch the anchor two are enough, the ones with the closest centres.
    """
    found, at_most = targets.at_least_m(anchor), targets.at_most_m(anchor)
    touching = 0
    for row in np.lexsort((centers_m, found)).tolist():
        best, second = np.partition(np.append(at_most, (np.inf, np.inf)), 1)[:2]
        beyond_m = max(best + DISTANCE_NOISE_M, min(second, best + config.closest_margin_m))
        if found[row] > beyond_m or touching == 2:
            break
        found[row] = targets.distance_m(
            row, anchor, float(at_most[row]), DISTANCE_NOISE_M, float(beyond_m)
        )
        at_most[row] = min(at_most[row], found[row])
        touching += bool(found[row] <= DISTANCE_NOISE_M)
    return found


def _farthest_distances(
    targets: Clouds, anchor: Clouds, config: RelationConfig
) -> NDArray[np.float64]:
    """Distances (N,): exact for those that the farthest could have to give way to."""
    at_least, found = targets.at_least_m(anchor), targets.at_most_m(anchor)
    most = float(at_least.max(initial=0.0))
    for row in np.argsort(-found, kind="stable").tolist():
        if found[row] < most - config.closest_margin_m:
            break
        found[row] = targets.distance_m(row, anchor, float(found[row]))
        most = max(most, float(found[row]))
    return found


def _leaders(
    values: NDArray[np.float64], may_share: NDArray[np.bool_], config: RelationConfig
) -> Scores:
    """Scores of the smallest value by its lead, and of those that share its place."""
    scores = np.zeros(len(values))
    if not len(values):
        return scores
    best = int(np.argmin(values))
    scores[may_share & may_share[best] & (values <= values[best] + DISTANCE_NOISE_M)] = 0.5
    lead_m = float(np.min(np.delete(values, best), initial=np.inf) - values[best])
    scores[best] = 0.5 + 0.5 * min(lead_m / config.closest_margin_m, 1.0)
    return scores


def _centers_m(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(a[:, :3] + a[:, 3:] - b[:, :3] - b[:, 3:], axis=1) / 2.0)


def _told_apart(values: NDArray[np.float64], centers_m: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(values <= DISTANCE_NOISE_M, CENTER_WEIGHT * centers_m, values)
