"""The scene graph as a tree by what carries what (SynergAI, appendix B), for people to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from scenemind.memory import MemorySnapshot, Relation
from scenemind.memory.graph.relations.names import CARRYING
from scenemind.memory.graph.verification.common_sense import sense_of
from scenemind.memory.types import RelationSource, StructureKind

_ORDER: tuple[StructureKind, ...] = ("floor", "wall", "ceiling")
NodeKind = Literal["structure", "object", "unknown"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A node where it stands in the tree.

    Attributes:
        depth: 0 is the building; objects of level n stand at depth n + 1.
        node_id: None for the head of those that nothing known carries.
        kind: `structure` for planes and for objects that are floor, wall or ceiling.
        predicate: how the node above carries it; empty at depth 0 and where nothing known does.
        source: who says so.
        carries: how many nodes it carries itself.
    """

    depth: int
    node_id: int | None
    kind: NodeKind
    label: str
    predicate: str = ""
    source: RelationSource = "geometry"
    carries: int = 0


def support_tree(snapshot: MemorySnapshot) -> Iterator[Branch]:
    """All nodes, each followed by what it carries; what carries something comes first.

    Each object comes once: where several relations carry it, under the surest.
    """
    objects = snapshot.objects
    roots = _structure(snapshot)
    best = _carrying_relations(snapshot)
    carried: dict[int | None, list[int]] = {}
    for object_id in objects:
        if object_id not in roots:
            relation = best.get(object_id)
            above = None if relation is None else relation.object_id
            carried.setdefault(above, []).append(object_id)

    def branch(node_id: int | None, depth: int) -> Branch:
        carries = len(carried.get(node_id, ()))
        if node_id is None:
            return Branch(depth, None, "unknown", "carrier unknown", carries=carries)
        if node_id in roots:
            return Branch(depth, node_id, "structure", roots[node_id], carries=carries)
        label, relation = objects[node_id].label, best.get(node_id)
        if relation is None:
            return Branch(depth, node_id, "object", label, carries=carries)
        said = (relation.predicate, relation.source)
        return Branch(depth, node_id, "object", label, *said, carries=carries)

    heads: list[int | None] = [*roots, *([None] if None in carried else [])]
    waiting = [(node_id, 0) for node_id in reversed(heads)]
    while waiting:
        node_id, depth = waiting.pop()
        yield branch(node_id, depth)
        below = sorted(carried.get(node_id, ()), key=lambda i: (i not in carried, i), reverse=True)
        waiting.extend((object_id, depth + 1) for object_id in below)


def _structure(snapshot: MemorySnapshot) -> Mapping[int, str]:
    """Id -> label of planes and of objects that count as such: floors, walls, then ceilings."""
    found: list[tuple[StructureKind, int, str]] = [
        (plane.kind, plane.plane_id, plane.kind) for plane in snapshot.structure.values()
    ]
    for thing in snapshot.objects.values():
        kind = sense_of(thing.label).structure
        if kind is not None:
            found.append((kind, thing.object_id, thing.label))
    found.sort(key=lambda node: (_ORDER.index(node[0]), abs(node[1])))
    return {node_id: label for _, node_id, label in found}


def _carrying_relations(snapshot: MemorySnapshot) -> dict[int, Relation]:
    """Object id -> the relation that carries it; without circles, which a person may have said."""
    candidates: dict[int, list[Relation]] = {}
    for relation in snapshot.relations:
        if relation.predicate in CARRYING:
            candidates.setdefault(relation.subject_id, []).append(relation)
    best: dict[int, Relation] = {}
    for object_id, relations in candidates.items():
        for relation in sorted(relations, key=lambda r: -r.confidence):
            if not _leads_to(relation.object_id, object_id, best):
                best[object_id] = relation
                break
    return best


def _leads_to(start: int, goal: int, best: Mapping[int, Relation]) -> bool:
    """Whether going from carrier to carrier comes to the goal."""
    node = start
    while node != goal:
        if node not in best:
            return False
        node = best[node].object_id
    return True
