"""How well objects stand in a relation to anchors.

What the memory keeps (on, inside, next to, ...) is believed as it stands, for people's corrections
hold there; the relations that depend on the viewpoint, `between` and distances are computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory.graph.relations import allocentric
from scenemind.memory.graph.relations.between import between as lies_between
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.scene import Scene, Scores

# Asked predicate -> (kept predicate, subject and object swapped, weight).
_KEPT: dict[str, tuple[tuple[str, bool, float], ...]] = {
    "on": (("on", False, 1.0), ("supports", True, 1.0), ("inside", False, 0.7)),
    "supports": (("supports", False, 1.0), ("on", True, 1.0), ("inside", True, 0.7)),
    "inside": (("inside", False, 1.0), ("on", False, 0.7)),
    "next to": (("next to", False, 1.0), ("next to", True, 1.0)),
    "near": (
        ("near", False, 1.0), ("near", True, 1.0), ("next to", False, 1.0), ("next to", True, 1.0),
    ),
    "above": (("above", False, 1.0), ("below", True, 1.0)),
    "below": (
        ("below", False, 1.0), ("above", True, 1.0), ("on", True, 1.0), ("supports", False, 1.0),
    ),
}  # fmt: skip
# Farther things are less likely meant by "left of": the score halves over this distance.
_FADE_M = 4.0
# What is called near though it is not so: up to this distance, and how well it fits.
_NEAREST_M, _NEAREST = 3.0, 0.5
# Directions are computed about this many anchors at most, the surest ones.
_MAX_ANCHORS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """What a relation refers to: an object's row, or None for the viewer."""

    box: Box3D
    row: int | None
    score: float


def relation_scores(
    scene: Scene,
    predicate: str,
    anchors: Sequence[Anchor],
    among: Scores,
    viewpoint: Viewpoint | None,
    config: RelationConfig,
) -> Scores:
    """Scores (N,) of the candidates towards the best of the anchors.

    Args:
        among: (N,) above 0 for candidates; of others the score means nothing.
        viewpoint: needed for `lexicon.VIEW_DEPENDENT` only.
    """
    scores = _kept_scores(scene, predicate, anchors)
    viewer_asked = any(anchor.row is None for anchor in anchors)
    computed = predicate in ("near", "next to") and (viewer_asked or not _keeps(scene, predicate))
    view_dependent = predicate in lexicon.VIEW_DEPENDENT and viewpoint is not None
    if not computed and not view_dependent:
        return scores
    rows = np.flatnonzero(among > 0.0)
    for anchor in sorted(anchors, key=lambda a: -a.score)[:_MAX_ANCHORS]:
        gaps = gaps_to(scene, anchor)
        if view_dependent and viewpoint is not None:
            found = _directed(scene, rows, predicate, anchor, viewpoint, config) * _fading(gaps)
            found[_kept_scores(scene, "on", [anchor]) > 0.0] = 0.0
        else:
            found = _close(gaps, config.near_m if predicate == "near" else config.next_to_m)
        if anchor.row is not None:
            found[anchor.row] = 0.0
        np.maximum(scores, found * anchor.score, out=scores)
    return scores


def between(scene: Scene, first: Anchor, second: Anchor) -> Scores:
    """Scores (N,) of lying between two anchors, which themselves do not."""
    ends = [np.tile(np.array(end.box.extent()), (len(scene), 1)) for end in (first, second)]
    scores = lies_between(scene.bounds, ends[0], ends[1])
    for anchor in (first, second):
        if anchor.row is not None:
            scores[anchor.row] = 0.0
    return scores * first.score * second.score


def closest_scores(scene: Scene, anchors: Sequence[Anchor], among: Scores) -> Scores:
    """Scores (N,) for "the chair near the door" where none is near: the closest candidate's."""
    gaps = np.min([gaps_to(scene, anchor) for anchor in anchors], axis=0)
    gaps[among <= 0.0] = np.inf
    gaps[[anchor.row for anchor in anchors if anchor.row is not None]] = np.inf
    scores = np.zeros(len(scene))
    closest = int(np.argmin(gaps))
    if gaps[closest] <= _NEAREST_M:
        scores[closest] = _NEAREST
    return scores


def gaps_to(scene: Scene, anchor: Anchor) -> Scores:
    """Distances (N,) in metres between surfaces (the axis-aligned hulls)."""
    if anchor.row is not None:
        return scene.gaps_m(scene.low[anchor.row], scene.high[anchor.row])
    center = np.asarray(anchor.box.center)
    return scene.gaps_m(center, center)


def _kept_scores(scene: Scene, predicate: str, anchors: Sequence[Anchor]) -> Scores:
    scores = np.zeros(len(scene))
    of_anchor = np.zeros(len(scene))
    for anchor in anchors:
        if anchor.row is not None:
            of_anchor[anchor.row] = anchor.score
    for name, swapped, weight in _KEPT.get(predicate, ((predicate, False, 1.0),)):
        kept = scene.stored(name)
        if kept is not None:
            to, of = (kept.objects, kept.subjects) if swapped else (kept.subjects, kept.objects)
            np.maximum.at(scores, to, weight * kept.confidence * of_anchor[of])
    return scores


def _keeps(scene: Scene, predicate: str) -> bool:
    return any(scene.stored(name) is not None for name, _, _ in _KEPT[predicate])


def _directed(
    scene: Scene,
    rows: NDArray[np.intp],
    predicate: str,
    anchor: Anchor,
    viewpoint: Viewpoint,
    config: RelationConfig,
) -> NDArray[np.float64]:
    scores = np.zeros(len(scene))
    if predicate in allocentric.DIRECTIONS:
        scores[rows] = allocentric.direction(
            scene.bounds[rows], anchor.box, viewpoint, predicate, config, anchor.row is None
        )
    return scores


def _fading(gaps: Scores) -> Scores:
    return np.asarray(0.5 ** (gaps / _FADE_M))


def _close(gaps: Scores, limit_m: float) -> Scores:
    return np.where(gaps <= limit_m, 1.0 - 0.5 * gaps / limit_m, 0.0)
