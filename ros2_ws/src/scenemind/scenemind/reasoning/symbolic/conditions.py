"""Scores of objects for the conditions of a phrase, to the letter or by near matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenemind.language.trees import (
    Among,
    Condition,
    Described,
    HasAttribute,
    NounPhrase,
    Reference,
    Related,
)
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic.attribute_scores import (
    attribute_scores,
    similar_scores,
    usual_scores,
)
from scenemind.reasoning.symbolic.relation_scores import (
    ALIKE,
    BESIDE,
    Anchor,
    is_view_dependent,
)
from scenemind.reasoning.symbolic.replies import has_plural_noun
from scenemind.reasoning.symbolic.scene import Scene, Scores


class Resolving(Protocol):
    """Part of the resolver that conditions call."""

    scene: Scene

    def viewpoint(self) -> Viewpoint: ...

    def anchors(self, reference: Reference) -> list[Anchor]: ...

    def label_scores(self, noun: str) -> Scores: ...

    def is_sure_of(self, noun: str) -> bool: ...

    @property
    def allows_usual(self) -> bool: ...

    def ambiguous(self, reference: Reference, rows: NDArray[np.intp]) -> ReasoningError: ...

    def note(self, step: str) -> None: ...


def condition_scores(
    at: Resolving, condition: Condition, among: Scores, *, lenient: bool
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
            return _one_of(at, things)
        case HasAttribute():
            return _with_attribute(at, condition, among, lenient)
        case Related(predicate="between"):
            return _between(at, condition)
        case Related():
            return _related(at, condition, among, lenient)


def _one_of(at: Resolving, things: Reference) -> Scores:
    """1 for each of the things, else 0 (N,).

    Raises:
        ReasoningError: `ambiguous`: one is said, and several fit.
    """
    rows = np.array([a.row for a in at.anchors(things) if a.row is not None], np.intp)
    is_one = isinstance(things, NounPhrase) and things.noun and not has_plural_noun(things)
    if is_one and len(rows) > 1:
        raise at.ambiguous(things, rows)
    return np.isin(np.arange(len(at.scene)), rows).astype(np.float64)


def _with_attribute(at: Resolving, wanted: HasAttribute, among: Scores, lenient: bool) -> Scores:
    found = attribute_scores(at.scene, among, wanted)
    if wanted.key == "affordance" and at.allows_usual:
        found = found.clip(min=usual_scores(at.scene, among, wanted))
    if lenient and among.any() and not found.any():
        found = similar_scores(at.scene, among, wanted)
        at.note(f"none is known to be {wanted.value}; the nearest to it were taken")
    return found


def _related(at: Resolving, condition: Related, among: Scores, lenient: bool) -> Scores:
    anchors = at.anchors(condition.anchors[0])
    alike = ALIKE.get(condition.predicate, ()) if lenient else ()
    denied = at.scene.relations.denied(condition.predicate, [anchor.row for anchor in anchors])
    for predicate in (condition.predicate, *alike):
        found = np.where(denied, 0.0, _towards(at, predicate, anchors, among))
        if (found * among).any():
            if predicate != condition.predicate:
                at.note(f"none is {condition.predicate} it; what is {predicate} it was taken")
            return found
    if lenient and condition.predicate in BESIDE:
        found = at.scene.relations.closest(condition.predicate, anchors, among)
        at.note(f"none is {condition.predicate} it; the closest was taken")
    return found


def _towards(at: Resolving, predicate: str, anchors: Sequence[Anchor], among: Scores) -> Scores:
    is_seen = is_view_dependent(predicate) or any(anchor.row is None for anchor in anchors)
    viewpoint = at.viewpoint() if is_seen else None
    return at.scene.relations.to_the_letter(predicate, anchors, among, viewpoint)


def _between(at: Resolving, condition: Related) -> Scores:
    """Between the best of two references, or the two best of one ("between the chairs")."""
    ends = [at.anchors(reference) for reference in condition.anchors]
    if len(ends) == 2:
        return at.scene.relations.lies_between(ends[0][0], ends[1][0])
    if len(ends[0]) < 2:
        raise ReasoningError("not_found", "Between needs two objects, and only one fits.")
    return at.scene.relations.lies_between(ends[0][0], ends[0][1])
