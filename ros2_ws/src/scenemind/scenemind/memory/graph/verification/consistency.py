"""Whether statements agree: nothing carries what carries it, and above is the inverse of below."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from graphlib import CycleError, TopologicalSorter

from scenemind.memory.graph.relations.names import CARRYING, INVERSE
from scenemind.memory.types import Relation


def find_cycle(carrier_of: Callable[[int], int | None], start: int) -> list[int]:
    """The circle that following carriers from `start` runs into, in that order; empty for none."""
    way: dict[int, int] = {}
    node: int | None = start
    while node is not None:
        if node in way:
            return list(way)[way[node] :]
        way[node] = len(way)
        node = carrier_of(node)
    return []


def contradictions(relations: Iterable[Relation]) -> list[str]:
    """What does not agree in a set of relations, a sentence each; empty where all is well.

    - following what carries, contains or embeds a thing never leads back to it;
    - nothing is above and below the same thing;
    - what is stated both ways (above and below, next to, near, ...) has its other half.
    """
    said = {(r.subject_id, r.predicate, r.object_id) for r in relations}
    carriers: dict[int, set[int]] = {}
    found = []
    for subject, predicate, other in sorted(said):
        if predicate == "above" and (subject, "below", other) in said:
            found.append(f"{subject} is both above and below {other}")
        converse = INVERSE.get(predicate)
        if converse is not None and (other, converse, subject) not in said:
            found.append(
                f"{subject} is {predicate} {other}, but {other} is not {converse} {subject}"
            )
        if predicate in CARRYING:
            carriers.setdefault(subject, set()).add(other)
    try:
        TopologicalSorter(carriers).prepare()
    except CycleError as error:
        found.append(f"carriers go round in a circle: {' -> '.join(map(str, error.args[1]))}")
    return found
