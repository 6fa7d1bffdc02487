"""Which relations a picture shows: few enough to be read."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scenemind.memory import MemorySnapshot, Relation
from scenemind.memory.graph.relations.names import CARRYING, INVERSE

# From the most to the least telling one.
_TELLING = (*CARRYING, "above", "below", "next to", "besides", "near")


def shown_relations(
    snapshot: MemorySnapshot,
    predicates: Collection[str] = CARRYING,
    object_id: int | None = None,
) -> list[Relation]:
    """One relation between two nodes at most: the most telling one, what people said before all.

    What holds in both directions comes once.

    Args:
        predicates: only these; what people said is always shown.
        object_id: only relations of this object.
    """
    best: dict[tuple[int, int], tuple[bool, int, float, int, Relation]] = {}
    for relation in snapshot.relations:
        ends = (relation.subject_id, relation.object_id)
        is_users = relation.source == "user"
        if not is_users and relation.predicate not in predicates:
            continue
        if object_id is not None and object_id not in ends:
            continue
        rank = (
            not is_users,
            _rank(relation.predicate),
            -relation.confidence,
            # Of the two directions the one that begins with the object, else with the lower id.
            0 if relation.subject_id == object_id else 1 + relation.subject_id,
            relation,
        )
        pair = (min(ends), max(ends))
        if pair not in best or rank[:4] < best[pair][:4]:
            best[pair] = rank
    return [rank[4] for rank in best.values()]


def neighbourhood(object_id: int, relations: Iterable[Relation]) -> set[int]:
    """The object and the nodes that these relations tie it to."""
    ends = ((r.subject_id, r.object_id) for r in relations)
    return {object_id, *(node for pair in ends if object_id in pair for node in pair)}


def _rank(predicate: str) -> int:
    """Said one way or the other, a relation tells as much."""
    names = {predicate, INVERSE.get(predicate, predicate)}
    return min((_TELLING.index(name) for name in names if name in _TELLING), default=len(_TELLING))
