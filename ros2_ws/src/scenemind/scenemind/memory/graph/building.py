"""What the building carries: which floor, wall or ceiling a thing touches, and how."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory.graph.contacts import ceiling_facts, floor_facts, wall_facts
from scenemind.memory.graph.pair_facts import Facts
from scenemind.memory.graph.relations.columns import Bounds
from scenemind.memory.graph.shapes import Shape
from scenemind.memory.graph.surfaces import Surface, surfaces_of
from scenemind.memory.objects.association import BoxTable
from scenemind.memory.types import MapObject, StructureKind

Node = tuple[StructureKind, Box3D]
# Surfaces of one node at most; a surface's key is its node's id times this, and its number.
_PIECES = 4


class Building:
    """Floors, walls and ceilings by node id, with an index of where they are."""

    def __init__(self, config: RelationConfig) -> None:
        self._config = config
        self._nodes: dict[int, Node] = {}
        self._surfaces: dict[int, Surface] = {}
        self._boxes = BoxTable()

    def __contains__(self, node_id: int) -> bool:
        return node_id in self._nodes

    def set(self, node_id: int, node: Node | None) -> bool:
        """Put a node where it is now, or take it out; whether that changes anything."""
        if self._nodes.get(node_id) == node:
            return False
        for key in self._keys(node_id):
            self._boxes.remove(key)
            del self._surfaces[key]
        self._nodes.pop(node_id, None)
        if node is not None:
            self._nodes[node_id] = node
            for key, surface in enumerate(surfaces_of(*node), node_id * _PIECES):
                self._surfaces[key] = surface
                self._boxes.set(key, np.array(surface.reach))
        return True

    def reach_of(self, node_id: int) -> Bounds:
        """(S, 6): where its surfaces are, world."""
        return self._boxes.bounds_of(self._keys(node_id))

    def facts(
        self,
        things: Sequence[MapObject],
        shapes: Sequence[Shape],
        among: Collection[int] | None = None,
    ) -> list[dict[int, Facts]]:
        """Of each thing: node -> what may hold of the thing and that node.

        Args:
            shapes: of the things, in their order.
            among: only of these nodes; None: of all.
        """
        found: list[dict[int, Facts]] = [{} for _ in things]
        bounds = np.array([shape.bounds for shape in shapes], np.float64).reshape(-1, 6)
        lines, keys, _ = self._boxes.pairs(bounds, self._config.near_m)
        pairs: dict[StructureKind, list[tuple[int, int]]] = {}
        for line, key in zip(lines.tolist(), keys.tolist(), strict=True):
            if among is None or key // _PIECES in among:
                pairs.setdefault(self._surfaces[key].kind, []).append((line, key))
        for kind, of_kind in pairs.items():
            facts = self._facts_of_kind(kind, of_kind, bounds, things, shapes)
            for (line, key), fact in zip(of_kind, facts, strict=True):
                if fact:
                    _keep_best(found[line].setdefault(key // _PIECES, {}), fact)
        return found

    def _facts_of_kind(
        self,
        kind: StructureKind,
        pairs: list[tuple[int, int]],
        bounds: Bounds,
        things: Sequence[MapObject],
        shapes: Sequence[Shape],
    ) -> list[Facts]:
        lines = [line for line, _ in pairs]
        surfaces = [self._surfaces[key] for _, key in pairs]
        senses = [shapes[line].sense for line in lines]
        if kind == "floor":
            return floor_facts(bounds[lines], surfaces, senses, self._config)
        if kind == "ceiling":
            return ceiling_facts(bounds[lines], surfaces, senses, self._config)
        points = [things[line].points for line in lines]
        return wall_facts(bounds[lines], surfaces, senses, points, self._config)

    def _keys(self, node_id: int) -> list[int]:
        keys = range(node_id * _PIECES, (node_id + 1) * _PIECES)
        return [key for key in keys if key in self._surfaces]


def _keep_best(known: Facts, facts: Facts) -> None:
    for predicate, score in facts.items():
        known[predicate] = max(score, known.get(predicate, 0.0))
