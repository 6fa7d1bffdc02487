"""Filtering the map's objects without any language model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.memory.graph.relations.names import statements_of

_SUBJECT, _OBJECT = 1, 2


@dataclass(frozen=True, slots=True)
class ObjectQuery:
    """What an object must fulfil; what is None or empty is not asked.

    Attributes:
        label: the exact category name.
        text: words that all occur in the label or the values of attributes.
        region: holds the centre of the object's box.
        predicate: the object is the subject of such a relation ...
        related_object_id: ... to this object; None for any.
    """

    label: str = ""
    text: str = ""
    region: Box3D | None = None
    predicate: str = ""
    related_object_id: int | None = None


def select_objects(snapshot: MemorySnapshot, query: ObjectQuery) -> list[MapObject]:
    """The objects that fulfil all of it, by ascending id."""
    wanted_words = query.text.lower().split()
    related = _related(snapshot, query.predicate, query.related_object_id)
    return [
        thing
        for thing in snapshot.objects.values()
        if query.label in ("", thing.label)
        and _has_words(thing, wanted_words)
        and (query.region is None or _is_inside(thing, query.region))
        and (not query.predicate or thing.object_id in related)
    ]


def _related(snapshot: MemorySnapshot, predicate: str, to_object_id: int | None) -> set[int]:
    """Ids of what stands in a relation to an object; also where the graph keeps its inverse."""
    subject, kept, _ = statements_of(_SUBJECT, predicate, _OBJECT)[0]
    stated = (
        (relation.subject_id, relation.object_id)
        if subject == _SUBJECT
        else (relation.object_id, relation.subject_id)
        for relation in snapshot.relations
        if relation.predicate == kept
    )
    return {one for one, other in stated if to_object_id in (None, other)}


def _has_words(thing: MapObject, wanted: list[str]) -> bool:
    words = " ".join((thing.label, *thing.attributes.values())).lower().split()
    return all(word in words for word in wanted)


def _is_inside(thing: MapObject, region: Box3D) -> bool:
    return bool(region.contains(np.array([thing.box.center]))[0])
