"""What the agent is told of the scene graph, in the templates of the paper (appendix, part C).

Names and attributes are perceived or said: they are quoted, so that none of them is an order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenemind.memory import MapObject, MemorySnapshot
from scenemind.memory.tree.token_estimate import estimate_tokens
from scenemind.words.quoting import quoted, tame

_MOST_ATTRIBUTES, _MOST_RELATED = 12, 12  # of an object; of a relation


def named(object_id: int, scene: MemorySnapshot) -> str:
    """`"chair" (id: 3)`; floors, walls and ceilings have negative ids."""
    thing = scene.objects.get(object_id)
    if thing is not None:
        return f"{quoted(thing.label)} (id: {object_id})"
    plane = scene.structure.get(object_id)
    return f"{plane.kind if plane else 'thing'} (id: {object_id})"


def about(thing: MapObject, scene: MemorySnapshot) -> Iterator[str]:
    """Position, size and attributes: a sentence each."""
    name = named(thing.object_id, scene)
    position, size = _numbers(thing.box.center), _numbers(thing.box.size)
    yield f"The position of the {name} is {position}, its size {size}."
    known = [f"{tame(k)}: {tame(v)}" for k, v in list(thing.attributes.items())[:_MOST_ATTRIBUTES]]
    if known:
        yield f"The {name} has attributes: {', '.join(map(quoted, known))}."


def related(thing: MapObject, scene: MemorySnapshot) -> Iterator[str]:
    """What the scene graph keeps of an object: a sentence a relation, those of people marked."""
    by_predicate: dict[str, list[str]] = {}
    own = thing.object_id
    about_it = [r for r in scene.relations if own in (r.subject_id, r.object_id)]
    for relation in sorted(about_it, key=lambda r: -r.confidence):
        if relation.subject_id == thing.object_id:
            said = " as a person said" if relation.source == "user" else ""
            other = f"{named(relation.object_id, scene)}{said}"
            by_predicate.setdefault(relation.predicate, []).append(other)
        elif relation.object_id == thing.object_id and relation.predicate in _CARRIED:
            other = named(relation.subject_id, scene)
            by_predicate.setdefault(_CARRIED[relation.predicate], []).append(other)
    for predicate, others in by_predicate.items():
        yield sentence(thing, predicate, others, scene)


def sentence(thing: MapObject, predicate: str, others: Sequence[str], scene: MemorySnapshot) -> str:
    """ "The "box" (id: 21) is supporting "book" (id: 49)." """
    shown = ", ".join(others[:_MOST_RELATED])
    more = f" and {len(others) - _MOST_RELATED} more" if len(others) > _MOST_RELATED else ""
    return f"The {named(thing.object_id, scene)} is {tame(predicate)} {shown}{more}."


def whole_graph_tokens(scene: MemorySnapshot) -> int:
    """Of all that could be told of the scene, about."""
    things = scene.objects.values()
    told = (line for t in things for line in (*about(t, scene), *related(t, scene)))
    return estimate_tokens("\n".join(told))


def _numbers(values: Sequence[float]) -> str:
    return f"[{', '.join(f'{value:.2f}' for value in values)}]"


# Stored one way only: what is then true of the carrier.
_CARRIED = {
    "on": "supporting",
    "inside": "containing",
    "embedded in": "embedding",
    "hanging on": "hung with",
    "mounted on": "mounted with",
    "affixed on": "affixed with",
}
