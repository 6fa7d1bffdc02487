"""Superlatives: the largest, the second from the left, the closest to the door."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.graph.relations.superlatives import superlative_values
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.relation_scores import Anchor, gaps_to
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.syntax import Rank, Reference, Viewer

# Below this share of the best score a candidate is a stopgap, not a rival.
_SERIOUS = 0.5


class Surroundings(Protocol):
    """What ranking asks of the resolver."""

    scene: Scene

    def viewpoint(self) -> Viewpoint: ...

    def anchors(self, reference: Reference) -> list[Anchor]: ...


def ranked_rows(
    at: Surroundings, rows: NDArray[np.intp], rank: Rank, count: int
) -> NDArray[np.intp]:
    """The `count` rows from the rank's place on; empty where there are not so many."""
    values = _values(at, rank, rows)
    finite = np.isfinite(values)
    rows, values = rows[finite], values[finite]
    ordered = rows[np.argsort(values, kind="stable")]
    return ordered[rank.order - 1 : rank.order - 1 + count]


def _values(at: Surroundings, rank: Rank, rows: NDArray[np.intp]) -> Scores:
    """What to sort the rows by, smallest first; infinite for what is no candidate."""
    bounds = at.scene.bounds[rows]
    match rank.superlative:
        case "closest" | "farthest":
            return _distances(at, rank)[rows]
        case "leftmost" | "rightmost":
            return superlative_values(bounds, rank.superlative, at.viewpoint())
        case name:
            return superlative_values(bounds, name)


def _distances(at: Surroundings, rank: Rank) -> Scores:
    anchors = at.anchors(rank.anchor if rank.anchor is not None else Viewer())
    best = max(anchor.score for anchor in anchors)
    serious = [anchor for anchor in anchors if anchor.score >= _SERIOUS * best]
    gaps = np.full(len(at.scene), np.inf)
    for anchor in serious:
        np.minimum(gaps, gaps_to(at.scene, anchor), out=gaps)
    for anchor in serious:
        if anchor.row is not None:
            gaps[anchor.row] = np.inf
    # Touching things are told apart by their centres, too little to change any other order.
    centers = np.min(
        [np.linalg.norm(at.scene.center - np.asarray(a.box.center), axis=1) for a in serious],
        axis=0,
    )
    gaps = gaps + 1e-3 * centers
    return gaps if rank.superlative == "closest" else np.where(np.isfinite(gaps), -gaps, np.inf)
