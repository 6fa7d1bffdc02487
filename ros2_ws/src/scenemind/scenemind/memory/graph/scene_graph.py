"""The scene graph, kept up to date by comparing only what changed.

What may hold of a pair depends on that pair alone (`pair_facts`, `building`). Which of several
things carries an object (`carriers`), and how far it is from the building (`levels`), decide which
of these facts are stated (`statements`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from scenemind.config import RelationConfig
from scenemind.memory.frames_first import give_way
from scenemind.memory.graph.building import Building, Node
from scenemind.memory.graph.pair_facts import Facts, Shape, columns_of, pair_facts, shape_of
from scenemind.memory.graph.statements import Statements
from scenemind.memory.objects.box_table import BoxTable
from scenemind.memory.types import MapObject, Relation, StructurePlane

# Predicates that hold of structure and a thing if they hold of the thing and the structure.
_SYMMETRIC = ("next to", "near")


class SceneGraph:
    """Relations of all objects, updated incrementally. Not thread-safe: its owner holds a lock."""

    def __init__(self, config: RelationConfig) -> None:
        self._config = config
        self._boxes = BoxTable()
        self._building = Building(config)
        self._things: dict[int, MapObject] = {}
        self._shapes: dict[int, Shape] = {}
        self._planes: set[int] = set()
        self._facts: dict[int, dict[int, Facts]] = {}
        self._statements = Statements(self._shapes, self._facts, self._building)
        self._dirty: set[int] = set()
        self._all: tuple[Relation, ...] = ()

    def refresh(
        self,
        objects: Mapping[int, MapObject],
        changed: Iterable[int],
        structure: Iterable[StructurePlane] = (),
    ) -> None:
        """Bring the relations of changed, new and vanished objects up to date.

        Args:
            objects: all objects by id, with corrections applied.
            changed: at least the ids that are new, changed or removed since the last call.
            structure: all floors, walls and ceilings, as they are now.
        """
        changed = sorted(set(changed))
        moved, resurveyed = self._note(objects, changed)
        give_way()  # of a graph that is made anew
        rebuilt = self._rebuild(structure, changed)
        self._relate([i for i in moved if i not in self._building])
        give_way()
        self._touch([*moved, *resurveyed])
        if rebuilt:
            self._touch(sorted(self._beside(rebuilt).difference(moved)), rebuilt)

    def relations(self) -> tuple[Relation, ...]:
        """All relations, ordered by subject, then object; the same value until they change."""
        if self._dirty:
            if self._statements.update(self._dirty):
                self._all = self._statements.all()
            self._dirty = set()
        return self._all

    def relations_at(self, levels: Mapping[int, int]) -> tuple[Relation, ...]:
        """All relations for other levels of the objects, which follow from stated carriers.

        Args:
            levels: object id -> level, of all objects.
        """
        self.relations()
        return self._statements.all_at(levels)

    def levels(self) -> Mapping[int, int]:
        """Object id -> its level, ascending ids; see `MemorySnapshot.levels`."""
        self.relations()
        return self._statements.levels.by_id()

    def _note(
        self, objects: Mapping[int, MapObject], changed: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """Note changed objects; ids of those with another shape, and with other points only."""
        moved, resurveyed = [], []
        for object_id in changed:
            thing, known = objects.get(object_id), self._things.get(object_id)
            if thing is not None and known is not None and _looks_alike(thing, known):
                self._things[object_id] = thing
                continue
            shape = None if thing is None else shape_of(thing)
            if shape != self._shapes.get(object_id):
                self._forget(object_id)
                if shape is not None:
                    self._shapes[object_id] = shape
                    self._facts[object_id] = {}
                    moved.append(object_id)
            elif thing is not None and known is not None and thing.points is not known.points:
                resurveyed.append(object_id)
            if thing is not None:
                self._things[object_id] = thing
        self._dirty.update(moved)
        return moved, resurveyed

    def _forget(self, node_id: int) -> None:
        """Remove an object or a structure node."""
        if node_id in self._boxes:
            self._boxes.remove(node_id)
        self._things.pop(node_id, None)
        self._shapes.pop(node_id, None)
        others = self._facts.pop(node_id, None)
        if others is not None:
            for other in others:
                del self._facts[other][node_id]
            self._dirty |= {node_id, *others}

    def _relate(self, moved: list[int]) -> None:
        """Compare moved objects with those that are near, or over or under them."""
        if not moved:
            return
        for object_id in moved:
            self._boxes.set(object_id, np.array(self._shapes[object_id].bounds))
        config = self._config
        reach_m = max(config.near_m, config.next_to_m, config.support_gap_m)
        rows, ids, _ = self._boxes.pairs(self._boxes.bounds_of(moved), reach_m, any_height=True)
        asked = np.array(moved)[rows]
        # A pair of two moved objects comes twice, and each object comes with itself.
        once = (asked < ids) | ((asked > ids) & ~np.isin(ids, moved))
        a_ids, b_ids = asked[once], ids[once]
        known, lines = np.unique(np.concatenate((a_ids, b_ids)), return_inverse=True)
        shapes = columns_of([self._shapes[object_id] for object_id in known.tolist()])
        of_a, of_b = pair_facts(shapes, lines[: len(a_ids)], lines[len(a_ids) :], config)
        for a, b, facts_of_a, facts_of_b in zip(
            a_ids.tolist(), b_ids.tolist(), of_a, of_b, strict=True
        ):
            if facts_of_a or facts_of_b:
                self._facts[a][b], self._facts[b][a] = facts_of_a, facts_of_b
                self._dirty.add(b)

    def _rebuild(self, structure: Iterable[StructurePlane], changed: Iterable[int]) -> set[int]:
        """Update floors, walls and ceilings, including objects that are such; ids of moved ones."""
        planes: dict[int, Node | None] = {p.plane_id: (p.kind, p.box) for p in structure}
        nodes = dict.fromkeys(self._planes - planes.keys()) | planes
        self._planes = set(planes)
        nodes.update((object_id, self._node(object_id)) for object_id in changed)
        rebuilt = {i for i, node in nodes.items() if self._building.set(i, node)}
        for node_id in rebuilt:
            if nodes[node_id] is None and node_id not in self._shapes:
                self._forget(node_id)
            else:
                self._facts.setdefault(node_id, {})
                self._dirty.add(node_id)
        return {node_id for node_id in rebuilt if nodes[node_id] is not None}

    def _node(self, object_id: int) -> Node | None:
        """The floor, wall or ceiling that an object is; None for others."""
        shape = self._shapes.get(object_id)
        kind = None if shape is None else shape.sense.structure
        return None if kind is None else (kind, self._things[object_id].yaw_box)

    def _beside(self, node_ids: Iterable[int]) -> set[int]:
        """Objects that touch one of these nodes, or did."""
        reach = np.vstack([np.zeros((0, 6)), *(self._building.reach_of(i) for i in node_ids)])
        _, near, _ = self._boxes.pairs(reach, self._config.near_m)
        return set(near.tolist()).union(*(self._facts[node_id] for node_id in node_ids))

    def _touch(self, object_ids: Sequence[int], among: Collection[int] | None = None) -> None:
        """Compare objects with what of the building they touch; with these nodes only, or all."""
        ids = [i for i in object_ids if i not in self._building]
        found = self._building.facts(
            [self._things[i] for i in ids], [self._shapes[i] for i in ids], among
        )
        for object_id, now in zip(ids, found, strict=True):
            facts = self._facts[object_id]
            nodes = [n for n in facts if n in self._building and (among is None or n in among)]
            if {node: facts[node] for node in nodes} == now:
                continue
            for node in nodes:
                del facts[node], self._facts[node][object_id]
            for node, of_node in now.items():
                facts[node] = of_node
                self._facts[node][object_id] = {p: of_node[p] for p in _SYMMETRIC if p in of_node}
            self._dirty |= {object_id, *nodes, *now}


def _looks_alike(a: MapObject, b: MapObject) -> bool:
    """True if two values of an object have the same relations for sure, by a cheap comparison."""
    return a.points is b.points and a.box == b.box and a.label == b.label
