"""Filtering the map's objects without any language model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.memory.graph.relations.names import statements_of
from scenemind.words.vocabulary import Vocabulary

_SUBJECT, _OBJECT = 1, 2
_LONGEST_NAME = 3  # words, as in "potted house plant"
_NAMED = 0.7  # the word itself, a synonym, its kind or what it is mixed up with; no misspelling


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


def objects_named(snapshot: MemorySnapshot, text: str) -> list[int]:
    """Ids of the objects that a text speaks of by a word for their label, surest first."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    phrases = {
        " ".join(words[first : first + length])
        for length in range(1, _LONGEST_NAME + 1)
        for first in range(len(words) - length + 1)
    }
    labels = {thing.label for thing in snapshot.objects.values()}
    vocabulary = Vocabulary.load()
    named = {
        match.label
        for phrase in phrases
        for match in vocabulary.match(phrase, labels)
        if match.score >= _NAMED
    }
    meant = [thing for thing in snapshot.objects.values() if thing.label in named]
    return [thing.object_id for thing in sorted(meant, key=lambda thing: -thing.confidence)]
