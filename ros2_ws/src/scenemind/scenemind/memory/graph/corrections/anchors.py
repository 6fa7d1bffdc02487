"""Where the objects of an entry stood, and entries whose objects have other ids now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scenemind.memory.graph.corrections import recurrence
from scenemind.memory.graph.corrections.edits import OF_RELATIONS
from scenemind.memory.types import Correction, Edit, MapObject, ObjectAnchor, StructurePlane


def anchors_of(
    edit: Edit,
    perceived: Mapping[int, MapObject],
    seen: Mapping[int, MapObject],
    structure: Mapping[int, StructurePlane],
) -> tuple[ObjectAnchor, ...]:
    """What an edit speaks of, as perception has it; for a deletion what is beside it, too."""
    planes = [structure[i] for i in edit.object_ids if i in structure]
    things = [perceived.get(i) or seen[i] for i in edit.object_ids if i not in structure]
    if edit.kind == "delete_object":
        things += recurrence.bystanders(things, seen)
    at_planes = (ObjectAnchor(plane.plane_id, plane.kind, plane.box) for plane in planes)
    return (*map(_anchor, things), *at_planes)


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
