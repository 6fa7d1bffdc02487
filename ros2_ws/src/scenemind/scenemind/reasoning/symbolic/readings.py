"""How else a sentence may be read than to the letter."""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.symbolic.syntax import (
    Condition,
    Ground,
    NounPhrase,
    Question,
    Reference,
    Related,
    Viewer,
)


def flattened(phrase: NounPhrase) -> NounPhrase | None:
    """The other reading of "the cup on the table next to the sofa", where both are said of the cup.

    The phrase with the relations of its anchors moved to its own noun; None without any.
    """
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


def is_description(question: Question) -> bool:
    """Whether it is a phrase in words, which may be taken loosely: with the number of an object, or
    a mark, one thing is meant and no other."""
    return isinstance(question, Ground) and _is_in_words(question.subject)


def _is_in_words(reference: Reference) -> bool:
    if not isinstance(reference, NounPhrase):
        return isinstance(reference, Viewer)
    related = [c for c in reference.conditions if isinstance(c, Related)]
    others = [anchor for condition in related for anchor in condition.anchors]
    if reference.rank is not None and reference.rank.anchor is not None:
        others.append(reference.rank.anchor)
    return all(map(_is_in_words, others))


def _relations(reference: Reference) -> list[Related]:
    if not isinstance(reference, NounPhrase):
        return []
    return [c for c in reference.conditions if isinstance(c, Related)]
