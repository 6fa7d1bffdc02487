"""Scores of the relations that the scene graph keeps: as it states them, or anew from the pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scenemind.config import RelationConfig
from scenemind.memory.graph.building import Building, Node
from scenemind.memory.graph.pair_facts import Facts, pair_facts
from scenemind.memory.graph.relations.columns import Scores
from scenemind.memory.graph.relations.names import RELATION_NAMES, RelationName, statements_of
from scenemind.memory.graph.shapes import columns_of, shape_of
from scenemind.memory.graph.verification.common_sense import sense_of
from scenemind.memory.types import MapObject, Relation, StructurePlane

Anchor = MapObject | StructurePlane
Statement = tuple[int, str, int]

# The id of the one floor, wall or ceiling that is asked about.
_NODE = -1
# What is also meant by a word: a picture that hangs on a wall is on it, a sink set into a counter
# is in it.
_ALSO: Mapping[str, tuple[str, ...]] = {
    "on": ("hanging on", "mounted on", "affixed on"),
    "supports": ("hung with", "mounted with", "affixed with"),
    "inside": ("embedded in",),
    "contains": ("embeds",),
}


@dataclass(frozen=True, slots=True, eq=False)
class KeptRelations:
    """What a scene graph states, to be believed.

    Attributes:
        confidences: by (subject id, predicate, object id).
        levels: object id -> level; nothing is stated of objects that are more than 1 apart.
    """

    confidences: Mapping[Statement, float]
    levels: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, relations: Sequence[Relation], levels: Mapping[int, int]) -> KeptRelations:
        """From the relations and levels of a snapshot."""
        by_statement = {(r.subject_id, r.predicate, r.object_id): r.confidence for r in relations}
        return cls(by_statement, levels)

    def confidence(self, subject_id: int, name: str, object_id: int) -> float:
        """How sure the graph is of "subject name object"; 0 where it does not state it."""
        return self.confidences.get(statements_of(subject_id, name, object_id)[0], 0.0)

    def speaks_of(self, a: int, b: int) -> bool:
        """Whether the graph would state what holds of two objects."""
        return abs(self.levels.get(a, 0) - self.levels.get(b, 0)) <= 1


def is_kept(relation: RelationName) -> bool:
    """Whether the graph keeps it, or its inverse."""
    return relation.stored or (
        relation.inverse is not None and RELATION_NAMES[relation.inverse].one_way
    )


def kept_scores(
    things: Sequence[MapObject],
    anchor: Anchor,
    relation: RelationName,
    config: RelationConfig,
    kept: KeptRelations | None,
) -> Scores:
    """Scores (N,) of the things towards the anchor.

    Where the graph is given it is believed. Of pairs that it does not speak of, and where none is
    given, what may hold is computed from the two alone: then several things may carry one.
    """
    names = (relation.name, *_ALSO.get(relation.name, ()))
    if kept is None:
        return _computed(things, anchor, names, config)
    anchor_id = _id_of(anchor)
    scores = np.zeros(len(things))
    unknown = []
    for row, thing in enumerate(things):
        if kept.speaks_of(thing.object_id, anchor_id):
            of_names = (kept.confidence(thing.object_id, name, anchor_id) for name in names)
            scores[row] = max(of_names)
        elif not _is_carrying(relation):
            unknown.append(row)
    if unknown:
        scores[unknown] = _computed([things[row] for row in unknown], anchor, names, config)
    return scores


def _is_carrying(relation: RelationName) -> bool:
    return relation.one_way or not relation.stored


def _computed(
    things: Sequence[MapObject], anchor: Anchor, names: Sequence[str], config: RelationConfig
) -> Scores:
    of_things, of_anchor = _facts(things, anchor, config)
    return np.array(
        [
            max(_score(name, facts, inverse) for name in names)
            for facts, inverse in zip(of_things, of_anchor, strict=True)
        ],
        dtype=np.float64,
    )


def _score(name: str, of_thing: Facts, of_anchor: Facts) -> float:
    relation = RELATION_NAMES[name]
    if relation.stored or relation.inverse is None:
        return of_thing.get(name, 0.0)
    return of_anchor.get(relation.inverse, 0.0)


def _facts(
    things: Sequence[MapObject], anchor: Anchor, config: RelationConfig
) -> tuple[list[Facts], list[Facts]]:
    """What may hold of each thing and the anchor, and of the anchor and each thing."""
    if isinstance(anchor, StructurePlane):
        return _facts_with_building(things, (anchor.kind, anchor.box), config)
    kind = sense_of(anchor.label).structure
    if kind is not None:
        return _facts_with_building(things, (kind, anchor.box), config)
    shapes = columns_of([shape_of(thing) for thing in (*things, anchor)])
    rows = np.arange(len(things))
    return pair_facts(shapes, rows, np.full(len(things), len(things)), config)


def _facts_with_building(
    things: Sequence[MapObject], node: Node, config: RelationConfig
) -> tuple[list[Facts], list[Facts]]:
    """Nothing carries the building: nothing that may be asked holds of it and a thing."""
    building = Building(config)
    building.set(_NODE, node)
    found = building.facts(things, [shape_of(thing) for thing in things])
    return [facts.get(_NODE, {}) for facts in found], [{} for _ in things]


def _id_of(anchor: Anchor) -> int:
    return anchor.plane_id if isinstance(anchor, StructurePlane) else anchor.object_id
