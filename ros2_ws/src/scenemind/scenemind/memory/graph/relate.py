"""The relation queries that programs call (LLM-TPC, table 1; SynergAI's tools ask the same).

    chairs_left = relate(chairs, table, "left", context)
    relate_agent(objects, "three o'clock", context)
    query_relation_agent(table, context=context)      # ["right", "back", "4 o'clock"]

Relations are named as in `relations.names`, or spelled as people and the papers do. About an
anchor, "front" is the viewer's side of it; about the agent it is where the agent looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.graph.kept_relations import Anchor
from scenemind.memory.graph.relation_query import RelationContext, RelationQuery
from scenemind.memory.graph.relations.columns import Scores
from scenemind.memory.graph.relations.names import canonical_relation
from scenemind.memory.graph.relations.superlatives import SUPERLATIVES, superlative_order
from scenemind.memory.types import MapObject

DIRECTIONS = ("left", "right", "front", "back")
# Asks for the hour of the clock, whichever it is.
OCLOCK = "o'clock"
_COMPARING = ("closest", "farthest")
_NOWHERE = RelationContext()


@dataclass(frozen=True, slots=True, eq=False)
class Related:
    """An object that stands in a relation, and how well: in (0, 1]."""

    thing: MapObject
    score: float


def relate(
    objects: Sequence[MapObject],
    anchor: Anchor | tuple[Anchor, Anchor],
    relation: str,
    context: RelationContext = _NOWHERE,
) -> tuple[Related, ...]:
    """Those of the objects that stand in a relation to an anchor, best first.

    Args:
        anchor: what they are related to: an object, or a floor, wall or ceiling; two for "between".
            It is never among the result.

    Raises:
        SceneMemoryError: no such relation, one anchor too few or too many, or it depends on where
            one stands and the context does not say.
    """
    name = canonical_relation(relation)
    ends = anchor if isinstance(anchor, tuple) else (anchor,)
    if (name.name == "between") != (len(ends) == 2):
        needed = "two anchors" if name.name == "between" else "one anchor"
        raise SceneMemoryError(f"{name.name!r} needs {needed}, got {len(ends)}")
    query = RelationQuery(_without(objects, ends), ends[0], context)
    scores = query.between_scores(ends[1]) if len(ends) == 2 else query.scores(name)
    return _best_first(query.things, scores)


def relate_agent(
    objects: Sequence[MapObject], relation: str, context: RelationContext
) -> tuple[Related, ...]:
    """Those of the objects that stand in a relation to the viewer, best first.

    Distances from the viewer are level: its camera's height does not make a mug out of reach.

    Raises:
        SceneMemoryError: no such relation, or none of a viewer ("inside me"), or no viewpoint.
    """
    query = RelationQuery(objects, None, context)
    return _best_first(query.things, query.scores(canonical_relation(relation)))


def query_relation(
    thing: MapObject,
    anchor: Anchor,
    candidates: Sequence[str] = DIRECTIONS,
    context: RelationContext = _NOWHERE,
) -> list[str]:
    """Which of the candidates hold of a thing and an anchor, as they are spelled, best first.

    The candidate "o'clock" is answered with the nearest hour, such as "4 o'clock".

    Raises:
        SceneMemoryError: as `relate`; or a candidate compares several things, as "closest" does.
    """
    return _holding(RelationQuery((thing,), anchor, context), candidates)


def query_relation_agent(
    thing: MapObject,
    candidates: Sequence[str] = (*DIRECTIONS, OCLOCK),
    context: RelationContext = _NOWHERE,
) -> list[str]:
    """Which of the candidates hold of a thing and the viewer; as `query_relation`."""
    return _holding(RelationQuery((thing,), None, context), candidates)


def superlative(
    objects: Sequence[MapObject],
    name: str,
    anchor: Anchor | None = None,
    context: RelationContext = _NOWHERE,
) -> tuple[MapObject, ...]:
    """The objects in the order of a superlative, the most extreme one first.

    Args:
        name: one of `SUPERLATIVES`, or closest or farthest.
        anchor: what closest and farthest are measured from; None: the viewer.

    Raises:
        SceneMemoryError: no such superlative, or it needs a viewpoint and there is none.
    """
    query = RelationQuery(_without(objects, () if anchor is None else (anchor,)), anchor, context)
    if name in _COMPARING:
        order = np.argsort(query.distances_m() * (1 if name == "closest" else -1), kind="stable")
    elif name in SUPERLATIVES:
        order = superlative_order(query.bounds, name, context.viewpoint)
    else:
        known = ", ".join((*SUPERLATIVES, *_COMPARING))
        raise SceneMemoryError(f"there is no superlative {name[:60]!r}; there are {known}")
    return tuple(query.things[row] for row in order)


def _without(objects: Sequence[MapObject], ends: Sequence[Anchor]) -> list[MapObject]:
    """Nothing is related to itself, also where it comes from another snapshot."""
    ids = {end.object_id for end in ends if isinstance(end, MapObject)}
    return [thing for thing in objects if thing.object_id not in ids]


def _best_first(things: Sequence[MapObject], scores: Scores) -> tuple[Related, ...]:
    order = np.argsort(-scores, kind="stable")
    return tuple(Related(things[row], float(scores[row])) for row in order if scores[row] > 0.0)


def _holding(query: RelationQuery, candidates: Sequence[str]) -> list[str]:
    found: list[tuple[float, str]] = []
    for candidate in candidates:
        if candidate == OCLOCK:
            found.append((0.0, query.hours()[0]))
            continue
        relation = canonical_relation(candidate)
        if relation.name in _COMPARING:
            raise SceneMemoryError(
                f"{candidate!r} compares several things: ask relate() for it, with all of them"
            )
        score = float(query.scores(relation)[0])
        if score > 0.0:
            found.append((-score, candidate))
    return [candidate for _, candidate in sorted(found, key=lambda entry: entry[0])]
