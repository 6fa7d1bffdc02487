"""Statements of relations that the graph keeps."""

from __future__ import annotations

from scenemind.errors import MemoryRequestError
from scenemind.language.relation_names import RELATION_NAMES, RelationName, find_relation

# Relation -> narrower ones, which imply it.
_NARROWER = {"next to": ("besides",)}


def canonical_relation(text: str) -> RelationName:
    """The relation of this name or spelling ("front", "three o'clock", "supported-by").

    Raises:
        SceneMemoryError: there is none; the message lists the names.
    """
    found = find_relation(text)
    if found is None:
        raise MemoryRequestError(
            f"there is no relation {text[:60]!r}; the relations are {', '.join(RELATION_NAMES)}"
        )
    return found


def statements_of(
    subject_id: int, predicate: str, object_id: int
) -> tuple[tuple[int, str, int], ...]:
    """All statements (subject, predicate, object) that the graph keeps if this one is true.

    "table supports cup" is kept as "cup on table", "a above b" with "b below a". A predicate that
    is no known relation ("tied to") is kept unchanged.
    """
    relation = find_relation(predicate)
    if relation is None:
        return ((subject_id, predicate, object_id),)
    said = (subject_id, relation.name, object_id)
    if relation.inverse is None or relation.one_way:
        return (said,)
    converse = (object_id, relation.inverse, subject_id)
    return (converse,) if RELATION_NAMES[relation.inverse].one_way else (said, converse)


def denials_of(subject_id: int, predicate: str, object_id: int) -> tuple[tuple[int, str, int], ...]:
    """All statements that are false if this one is: a thing that is not next to another is not
    besides it either."""
    relation = find_relation(predicate)
    narrower = () if relation is None else _NARROWER.get(relation.name, ())
    return tuple(
        statement
        for name in (predicate, *narrower)
        for statement in statements_of(subject_id, name, object_id)
    )
