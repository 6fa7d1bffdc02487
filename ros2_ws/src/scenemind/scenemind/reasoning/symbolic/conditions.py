"""How well objects fit what is said of them after their noun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from scenemind.config import RelationConfig
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.attributes import attribute_scores, similar_scores
from scenemind.reasoning.symbolic.ranking import Surroundings
from scenemind.reasoning.symbolic.relation_scores import (
    ALIKE,
    Anchor,
    between,
    closest_scores,
    is_view_dependent,
    relation_scores,
)
from scenemind.reasoning.symbolic.scene import Scores
from scenemind.reasoning.symbolic.syntax import Condition, Described, HasAttribute, Related

_BESIDE = ("near", "next to", "besides", "within reach", "around")


class NamedSurroundings(Surroundings, Protocol):
    """What conditions ask of the resolver."""

    def label_scores(self, noun: str) -> Scores: ...

    def is_sure_of(self, noun: str) -> bool: ...

    def note(self, step: str) -> None: ...


def scores(
    at: NamedSurroundings,
    condition: Condition,
    among: Scores,
    config: RelationConfig,
    lenient: bool,
) -> Scores:
    """Scores (N,) of the candidates (those of `among` above 0), without regard to negation.

    Args:
        lenient: where nothing fits to the letter, take what comes near, and note it.

    Raises:
        ReasoningError: something that the condition refers to does not exist.
    """
    match condition:
        case Described(noun=noun):
            return at.label_scores(noun) * at.is_sure_of(noun)
        case HasAttribute():
            return _with_attribute(at, condition, among, lenient)
        case Related(predicate="between"):
            return _between(at, condition)
        case Related():
            return _related(at, condition, among, config, lenient)


def _with_attribute(
    at: NamedSurroundings, wanted: HasAttribute, among: Scores, lenient: bool
) -> Scores:
    found = attribute_scores(at.scene, among, wanted)
    if lenient and among.any() and not found.any():
        found = similar_scores(at.scene, among, wanted)
        at.note(f"none is known to be {wanted.value}; the nearest to it were taken")
    return found


def _related(
    at: NamedSurroundings,
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
        found = closest_scores(at.scene, anchors, among)
        at.note(f"none is {condition.predicate} it; the closest was taken")
    return found


def _towards(
    at: NamedSurroundings,
    predicate: str,
    anchors: Sequence[Anchor],
    among: Scores,
    config: RelationConfig,
) -> Scores:
    is_seen = is_view_dependent(predicate) or any(anchor.row is None for anchor in anchors)
    viewpoint = at.viewpoint() if is_seen else None
    return relation_scores(at.scene, predicate, anchors, among, viewpoint, config)


def _between(at: NamedSurroundings, condition: Related) -> Scores:
    """Between the best of two references, or the two best of one ("between the chairs")."""
    ends = [at.anchors(reference) for reference in condition.anchors]
    if len(ends) == 2:
        return between(at.scene, ends[0][0], ends[1][0])
    if len(ends[0]) < 2:
        raise ReasoningError("not_found", "Between needs two objects, and only one fits.")
    return between(at.scene, ends[0][0], ends[0][1])
