"""Where the objects of an entry stood, and entries whose objects have other ids now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scenemind.memory.graph.corrections import recurrence
from scenemind.memory.graph.corrections.edits import OF_RELATIONS
from scenemind.memory.types import Correction, Edit, MapObject, ObjectAnchor


def anchors_of(
    edit: Edit, perceived: Mapping[int, MapObject], seen: Mapping[int, MapObject]
) -> tuple[ObjectAnchor, ...]:
    """The objects that an edit speaks of, as perception has them; for a deletion those beside."""
    things = [perceived.get(i) or seen[i] for i in edit.object_ids]
    if edit.kind == "delete_object":
        things += recurrence.bystanders(things, seen)
    return tuple(map(_anchor, things))


def anchored(entry: Correction, perceived: Mapping[int, MapObject]) -> Correction:
    """An entry that does not say where its objects stood, with where they stand now."""
    there = [perceived[i] for i in entry.edit.object_ids if i in perceived]
    return replace(entry, anchors=tuple(map(_anchor, there))) if there else entry


def renumbered(entry: Correction, into: Mapping[int, int]) -> Correction:
    """The same entry, of the objects that stand for those it spoke of."""
    ids = [into.get(i, i) for i in entry.edit.object_ids]
    if entry.edit.kind not in OF_RELATIONS:
        ids = list(dict.fromkeys(ids))
    anchors = tuple(replace(a, object_id=into.get(a.object_id, a.object_id)) for a in entry.anchors)
    return replace(entry, edit=replace(entry.edit, object_ids=tuple(ids)), anchors=anchors)


def _anchor(thing: MapObject) -> ObjectAnchor:
    return ObjectAnchor(thing.object_id, thing.perceived_label, thing.box)
