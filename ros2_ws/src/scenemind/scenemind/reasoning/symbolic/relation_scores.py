"""How well objects stand in a relation to anchors.

What the memory keeps (on, inside, next to, ...) is believed as it stands, for people's corrections
hold there. What it does not keep, and what it keeps of nobody's own place or of things on distant
levels, is computed (`memory.graph.relation_query`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory import MapObject, SceneMemoryError
from scenemind.memory.graph.kept_relations import is_kept
from scenemind.memory.graph.relation_query import RelationContext, RelationQuery
from scenemind.memory.graph.relations import CARRYING, RELATION_NAMES
from scenemind.memory.graph.relations.between import between as lies_between
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.scene import Scene, Scores

# What is meant as well: asked -> (kept, subject and object swapped, weight).
_ALSO: dict[str, tuple[tuple[str, bool, float], ...]] = {
    "on": (
        ("hanging on", False, 1.0), ("mounted on", False, 1.0), ("affixed on", False, 1.0),
        ("inside", False, 0.7),
    ),
    "supports": (
        ("hanging on", True, 1.0), ("mounted on", True, 1.0), ("affixed on", True, 1.0),
        ("inside", True, 0.7),
    ),
    "inside": (("embedded in", False, 1.0), ("on", False, 0.7)),
    "contains": (("embedded in", True, 1.0), ("on", True, 0.7)),
    "near": (("next to", False, 1.0), ("next to", True, 1.0)),
    "below": (("on", True, 1.0),),
}  # fmt: skip
# What comes near where none of a description is so: ways to be attached, ways to be beside.
ATTACHED = ("hanging on", "mounted on", "affixed on")
ALIKE = {
    **{name: tuple(other for other in ATTACHED if other != name) for name in ATTACHED},
    "embedded in": ("inside", "on"),
    "besides": ("next to",),
    "above": ("on",),
}
# Farther things are less likely meant by "left of": the score halves over this distance.
_FADE_M = 4.0
# What is called near though it is not so: up to this distance, and how well it fits.
_NEAREST_M, _NEAREST = 3.0, 0.5
# Relations are computed about this many anchors at most, the surest ones.
_MAX_ANCHORS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """What a relation refers to: an object or part of the building, or None for the viewer."""

    box: Box3D
    row: int | None
    score: float
    thing: MapObject | None = None


def is_view_dependent(predicate: str) -> bool:
    """It needs a viewpoint, whatever it is about."""
    return RELATION_NAMES[predicate].category == "allocentric"


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
        viewpoint: needed for relations that depend on it, and for the viewer as an anchor.

    Raises:
        ReasoningError: `invalid_request`: nothing stands so to a viewer ("inside me").
    """
    predicate = _as_meant(predicate, anchors)
    scores = _kept_scores(scene, predicate, anchors)
    candidates = np.flatnonzero((among > 0.0) & scene.is_object)
    context = RelationContext(config, viewpoint)
    fades = is_view_dependent(predicate)
    for anchor in sorted(anchors, key=lambda a: -a.score)[:_MAX_ANCHORS]:
        rows = candidates[_is_to_compute(scene, predicate, anchor, candidates)]
        if not len(rows):
            continue
        found = np.zeros(len(scene))
        found[rows] = _computed(scene, predicate, rows, anchor, context)
        if fades:
            found *= _fading(gaps_to(scene, anchor))
            found[_kept_scores(scene, "on", [anchor]) > 0.0] = 0.0
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
        return scene.gaps_to_m(anchor.row)
    center = np.asarray(anchor.box.center)
    return scene.gaps_m(center, center)


def _as_meant(predicate: str, anchors: Sequence[Anchor]) -> str:
    """All is below the ceiling: what is meant is what it carries."""
    labels = {anchor.thing.label for anchor in anchors if anchor.thing is not None}
    return "on" if predicate == "below" and labels == {"ceiling"} else predicate


def _kept_scores(scene: Scene, predicate: str, anchors: Sequence[Anchor]) -> Scores:
    scores = np.zeros(len(scene))
    of_anchor = np.zeros(len(scene))
    for anchor in anchors:
        if anchor.row is not None:
            of_anchor[anchor.row] = anchor.score
    for name, swapped, weight in _kept_under(predicate):
        kept = scene.stored(name)
        if kept is not None:
            to, of = (kept.objects, kept.subjects) if swapped else (kept.subjects, kept.objects)
            np.maximum.at(scores, to, weight * kept.confidence * of_anchor[of])
    return scores


def _kept_under(predicate: str) -> Iterator[tuple[str, bool, float]]:
    yield predicate, False, 1.0
    inverse = RELATION_NAMES[predicate].inverse
    if inverse is not None:
        yield inverse, True, 1.0
    yield from _ALSO.get(predicate, ())


def _is_to_compute(
    scene: Scene, predicate: str, anchor: Anchor, rows: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """(len(rows),): the memory would not say it of the row and the anchor if it were so."""
    relation = RELATION_NAMES[predicate]
    own = rows == anchor.row if anchor.row is not None else np.zeros(len(rows), bool)
    if anchor.row is None or not is_kept(relation) or not scene.snapshot.relations:
        return ~own
    if predicate in CARRYING or not relation.stored:
        return np.zeros(len(rows), bool)
    return ~own & (np.abs(scene.levels[rows] - scene.levels[anchor.row]) > 1)


def _computed(
    scene: Scene,
    predicate: str,
    rows: NDArray[np.intp],
    anchor: Anchor,
    context: RelationContext,
) -> Scores:
    query = RelationQuery([scene.objects[row] for row in rows], anchor.thing, context)
    try:
        return query.scores(RELATION_NAMES[predicate])
    except SceneMemoryError as error:
        raise ReasoningError("invalid_request", f"{str(error).capitalize()}.") from error


def _fading(gaps: Scores) -> Scores:
    return np.asarray(0.5 ** (gaps / _FADE_M))
