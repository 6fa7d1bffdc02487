"""A room for the tests of corrections, and short ways to correct it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from scenemind.geometry import Box3D
from scenemind.memory import Edit, MapObject, Relation
from scenemind.memory.graph.corrections import CorrectionsJournal, PerceivedMap
from tests.unit.memory.things import Vector, surface_points, thing


def solid(object_id: int, label: str, center: Vector, size: Vector, seed: int = 0) -> MapObject:
    """A thing whose surface is known."""
    points = surface_points(center, size, 400, seed)
    box = Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
    return replace(thing(object_id, label, center, size), points=points, box=box)


TABLE = solid(1, "table", (0, 0, 0.4), (1, 1, 0.8))
CUP = solid(2, "cup", (0, 0, 0.85), (0.1, 0.1, 0.1))
SHELF = solid(4, "shelf", (-3, 0, 1.0), (1, 0.3, 2.0))
CHAIR = solid(7, "chair", (2, 0, 0.45), (0.5, 0.5, 0.9))
# Two monitors side by side that perception took for one.
MONITORS = solid(8, "monitor", (0, 4, 1.0), (1.2, 0.1, 0.4))
OBJECTS: Mapping[int, MapObject] = {o.object_id: o for o in (TABLE, CUP, SHELF, CHAIR, MONITORS)}
RELATIONS = (
    Relation(1, "near", 7),
    Relation(2, "on", 1),
    Relation(7, "near", 1),
)
LEFT, MIDDLE, RIGHT = (-0.3, 4.0, 1.0), (0.0, 4.0, 1.0), (0.3, 4.0, 1.0)


def new_journal() -> CorrectionsJournal:
    """Parts that are split off count from 100."""
    return CorrectionsJournal(count(100).__next__)


def write(
    journal: CorrectionsJournal, *edits: Edit, objects: Mapping[int, MapObject] = OBJECTS
) -> list[int]:
    """Write each edit as a sentence of its own; their numbers."""
    return [number for edit in edits for number in tell(journal, edit, objects=objects)]


def tell(
    journal: CorrectionsJournal, *edits: Edit, objects: Mapping[int, MapObject] = OBJECTS
) -> list[int]:
    """Write edits as one sentence; their numbers."""
    stamp_ns = 5 + len(journal.entries())
    written = journal.apply(edits, "Ada", "I say so", PerceivedMap(objects), stamp_ns)
    return [entry.correction_id for entry in written]


def seen(
    journal: CorrectionsJournal, objects: Mapping[int, MapObject] = OBJECTS
) -> Mapping[int, MapObject]:
    return journal.apply_to(objects).objects


def said(journal: CorrectionsJournal) -> list[tuple[int, str, int, str]]:
    return [
        (r.subject_id, r.predicate, r.object_id, r.source)
        for r in journal.relations(RELATIONS, seen(journal))
    ]


def rename(object_id: int, name: str) -> Edit:
    return Edit("rename", (object_id,), value=name)


def delete(*object_ids: int) -> Edit:
    return Edit("delete_object", object_ids)


def merge(*object_ids: int) -> Edit:
    return Edit("merge", object_ids)


def split(object_id: int, *places: tuple[float, float, float]) -> Edit:
    return Edit("split", (object_id,), places=places)


def relate(subject: int, predicate: str, other: int) -> Edit:
    return Edit("add_relation", (subject, other), predicate)


def set_attribute(object_id: int, key: str, value: str) -> Edit:
    return Edit("set_attribute", (object_id,), key, value)
