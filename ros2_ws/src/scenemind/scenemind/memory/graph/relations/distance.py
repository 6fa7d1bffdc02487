"""Far, within reach, around, closest and farthest (SynergAI, Table A.1; LLM-TPC, supplement 1.1.4).

Distances are between the nearest points of two things, as LLM-TPC has them, and between their boxes
where points are not known. `far` is about boxes only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations.clouds import Clouds
from scenemind.memory.graph.relations.columns import Bounds, Scores, sizes

# Distances are not surer than this: things that differ by less are equally close.
DISTANCE_NOISE_M = 0.02
# Touching things are told apart by their centres, too little to change any other order.
CENTER_WEIGHT = 1e-3


def far(a: Bounds, b: Bounds, config: RelationConfig) -> Scores:
    """Centres are more than `far_factor` times both half diagonals together apart.

    So far is farther for large things (SceneVerse's rule, which SynergAI's graph follows). The
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

    One is always the closest: its score grows from 0.5 to 1 with its lead over the next, which is
    full at `closest_margin_m`. (LLM-TPC demands that lead, epsilon, or has no closest, which left
    so many questions without an answer that its code has it switched off.) Targets that differ by
    less than 2 cm share the place, at 0.5, unless both touch the anchor: then the one whose centre
    is closer has it.
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

    Of those that touch it (less than 2 cm), which are all as close, a little of the distance
    between the centres, so that they have an order.
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
