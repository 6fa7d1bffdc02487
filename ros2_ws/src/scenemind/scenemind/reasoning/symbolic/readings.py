"""The other reading of "the cup on the table next to the sofa": both are said of the cup."""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.symbolic.syntax import Condition, NounPhrase, Reference, Related


def flattened(phrase: NounPhrase) -> NounPhrase | None:
    """The phrase with the relations of its anchors moved to its own noun; None without any."""
    conditions: list[Condition] = []
    moved = False
    for condition in phrase.conditions:
        if not isinstance(condition, Related) or len(condition.anchors) != 1 or condition.negated:
            conditions.append(condition)
            continue
        anchor = condition.anchors[0]
        inner = _relations(anchor)
        if isinstance(anchor, NounPhrase) and inner:
            kept = tuple(c for c in anchor.conditions if c not in inner)
            conditions.append(replace(condition, anchors=(replace(anchor, conditions=kept),)))
            conditions.extend(inner)
            moved = True
        else:
            conditions.append(condition)
    return replace(phrase, conditions=tuple(conditions)) if moved else None


def _relations(reference: Reference) -> list[Related]:
    if not isinstance(reference, NounPhrase):
        return []
    return [c for c in reference.conditions if isinstance(c, Related)]
