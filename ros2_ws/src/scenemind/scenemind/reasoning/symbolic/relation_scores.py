"""Scores of objects for relations, superlatives and other conditions.

Relations that the memory keeps (on, inside, next to) are believed as they stand, since people's
corrections hold there. All others, and those to the viewer or between distant levels, are computed
(`memory.graph.relation_query`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.language.trees import (
    Among,
    Condition,
    Described,
    HasAttribute,
    NounPhrase,
    Rank,
    Reference,
    Related,
    Viewer,
)
from scenemind.memory import MapObject, SceneMemoryError
from scenemind.memory.graph.relation_query import RelationContext, RelationQuery, is_kept
from scenemind.memory.graph.relations import CARRYING, RELATION_NAMES
from scenemind.memory.graph.relations.box_relations import between as lies_between
from scenemind.memory.graph.relations.superlatives import OF_A_VIEWER, superlative_values
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic.attribute_scores import (
    attribute_scores,
    darkness,
    similar_scores,
    usual_scores,
)
from scenemind.reasoning.symbolic.replies import has_plural_noun
from scenemind.reasoning.symbolic.scene import Scene, Scores

# Asked relation -> kept relations that count as well: (name, subject and object swapped, weight).
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
# Asked relation -> near matches where none holds: ways to be attached, ways to be beside.
ATTACHED = ("hanging on", "mounted on", "affixed on")
ALIKE = {
    **{name: tuple(other for other in ATTACHED if other != name) for name in ATTACHED},
    "embedded in": ("inside", "on"),
    "besides": ("next to",),
    "above": ("on",),
}
# Distance over which scores of directions halve.
_FADE_M = 4.0
# Largest distance of a near match for "near", and its score.
_NEAREST_M, _NEAREST = 3.0, 0.5
# Most anchors of a computed relation; the surest ones count.
_MAX_ANCHORS = 8
# Below this share of the best score a candidate is a stopgap, not a rival.
_SERIOUS = 0.5
_BESIDE = ("near", "next to", "besides", "within reach", "around")


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """Anchor of a relation: an object, a part of the building, or the viewer (row None)."""

    box: Box3D
    row: int | None
    score: float
    thing: MapObject | None = None

    @classmethod
    def of_row(cls, scene: Scene, row: int, score: float = 1.0) -> Anchor:
        """The object in a row of the scene."""
        thing = scene.objects[row]
        return cls(thing.box, row, score, thing)


def is_view_dependent(predicate: str) -> bool:
    """Whether a relation needs a viewpoint, whatever its anchor."""
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
        among: (N,) above 0 for candidates; scores of others are meaningless.
        viewpoint: needed for relations that depend on it, and for the viewer as an anchor.

    Raises:
        ReasoningError: `invalid_request`: impossible for a viewer ("inside me").
    """
    predicate = _intended_predicate(predicate, anchors)
    scores = _kept_scores(scene, predicate, anchors)
    candidates = np.flatnonzero((among > 0.0) & scene.is_object)
    context = RelationContext(config, viewpoint)
    fades = is_view_dependent(predicate)
    for anchor in sorted(anchors, key=lambda a: -a.score)[:_MAX_ANCHORS]:
        rows = candidates[_computed_mask(scene, predicate, anchor, candidates)]
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


def _closest_scores(scene: Scene, anchors: Sequence[Anchor], among: Scores) -> Scores:
    """Scores (N,) for "near" where nothing is near: the closest candidate."""
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


def _intended_predicate(predicate: str, anchors: Sequence[Anchor]) -> str:
    """The predicate; "on" for "below the ceiling", since everything is below it."""
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


def _computed_mask(
    scene: Scene, predicate: str, anchor: Anchor, rows: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Mask over the rows: whether the memory would not state the relation if it held."""
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


class ReferenceResolver(Protocol):
    """Part of the resolver that superlatives and conditions call."""

    scene: Scene

    def viewpoint(self) -> Viewpoint: ...

    def anchors(self, reference: Reference) -> list[Anchor]: ...

    def label_scores(self, noun: str) -> Scores: ...

    def is_sure_of(self, noun: str) -> bool: ...

    @property
    def allows_usual(self) -> bool: ...

    def ambiguous(self, reference: Reference, rows: NDArray[np.intp]) -> ReasoningError: ...

    def note(self, step: str) -> None: ...


def ranked_rows(
    at: ReferenceResolver, rows: NDArray[np.intp], rank: Rank, count: int
) -> NDArray[np.intp]:
    """The `count` rows from the rank's place on; empty where there are too few."""
    values = _values(at, rank, rows)
    finite = np.isfinite(values)
    rows, values = rows[finite], values[finite]
    ordered = rows[np.argsort(values, kind="stable")]
    return ordered[rank.order - 1 : rank.order - 1 + count]


def _values(at: ReferenceResolver, rank: Rank, rows: NDArray[np.intp]) -> Scores:
    """Sort keys of the rows, ascending; infinite for rows that are no candidates."""
    bounds = at.scene.bounds[rows]
    match rank.superlative:
        case "closest" | "farthest":
            return _distances(at, rank)[rows]
        case "darkest" | "lightest" as name:
            dark = darkness([at.scene.objects[row] for row in rows])
            return -dark if name == "darkest" else dark
        case name:
            viewpoint = at.viewpoint() if name in OF_A_VIEWER else None
            return superlative_values(bounds, name, viewpoint)


def _distances(at: ReferenceResolver, rank: Rank) -> Scores:
    anchors = at.anchors(rank.anchor if rank.anchor is not None else Viewer())
    best = max(anchor.score for anchor in anchors)
    serious = [anchor for anchor in anchors if anchor.score >= _SERIOUS * best]
    gaps = np.full(len(at.scene), np.inf)
    for anchor in serious:
        np.minimum(gaps, gaps_to(at.scene, anchor), out=gaps)
    for anchor in serious:
        if anchor.row is not None:
            gaps[anchor.row] = np.inf
    # Centres decide between touching objects; the term is too small to change any other order.
    centers = np.min(
        [np.linalg.norm(at.scene.center - np.asarray(a.box.center), axis=1) for a in serious],
        axis=0,
    )
    gaps = gaps + 1e-3 * centers
    return gaps if rank.superlative == "closest" else np.where(np.isfinite(gaps), -gaps, np.inf)


def condition_scores(
    at: ReferenceResolver,
    condition: Condition,
    among: Scores,
    config: RelationConfig,
    lenient: bool,
) -> Scores:
    """Scores (N,) of the candidates (those of `among` above 0), ignoring negation.

    Args:
        lenient: where nothing fits to the letter, use near matches, with a note.

    Raises:
        ReasoningError: something that the condition refers to does not exist.
    """
    match condition:
        case Described(noun=noun):
            return at.label_scores(noun) * at.is_sure_of(noun)
        case Among(things=things):
            rows = np.array([a.row for a in at.anchors(things) if a.row is not None], np.intp)
            is_one = isinstance(things, NounPhrase) and things.noun and not has_plural_noun(things)
            if is_one and len(rows) > 1:
                raise at.ambiguous(things, rows)
            return np.isin(np.arange(len(among)), rows).astype(np.float64)
        case HasAttribute():
            return _with_attribute(at, condition, among, lenient)
        case Related(predicate="between"):
            return _between(at, condition)
        case Related():
            return _related(at, condition, among, config, lenient)


def _with_attribute(
    at: ReferenceResolver, wanted: HasAttribute, among: Scores, lenient: bool
) -> Scores:
    found = attribute_scores(at.scene, among, wanted)
    if wanted.key == "affordance" and at.allows_usual:
        np.maximum(found, usual_scores(at.scene, among, wanted), out=found)
    if lenient and among.any() and not found.any():
        found = similar_scores(at.scene, among, wanted)
        at.note(f"none is known to be {wanted.value}; the nearest to it were taken")
    return found


def _related(
    at: ReferenceResolver,
    condition: Related,
    among: Scores,
    config: RelationConfig,
    lenient: bool,
) -> Scores:
    anchors = at.anchors(condition.anchors[0])
    alike = ALIKE.get(condition.predicate, ()) if lenient else ()
    for predicate in (condition.predicate, *alike):
        found = _towards(at, predicate, anchors, among, config)
        if (found * among).any():
            if predicate != condition.predicate:
                at.note(f"none is {condition.predicate} it; what is {predicate} it was taken")
            return found
    if lenient and condition.predicate in _BESIDE:
        found = _closest_scores(at.scene, anchors, among)
        at.note(f"none is {condition.predicate} it; the closest was taken")
    return found


def _towards(
    at: ReferenceResolver,
    predicate: str,
    anchors: Sequence[Anchor],
    among: Scores,
    config: RelationConfig,
) -> Scores:
    is_seen = is_view_dependent(predicate) or any(anchor.row is None for anchor in anchors)
    viewpoint = at.viewpoint() if is_seen else None
    return relation_scores(at.scene, predicate, anchors, among, viewpoint, config)


def _between(at: ReferenceResolver, condition: Related) -> Scores:
    """Between the best of two references, or the two best of one ("between the chairs")."""
    ends = [at.anchors(reference) for reference in condition.anchors]
    if len(ends) == 2:
        return between(at.scene, ends[0][0], ends[1][0])
    if len(ends[0]) < 2:
        raise ReasoningError("not_found", "Between needs two objects, and only one fits.")
    return between(at.scene, ends[0][0], ends[0][1])
