"""Which of the facts are stated.

What carries a thing says all of the two, and nothing is said of things on distant levels (SynergAI,
appendix B: edges connect one level with itself and its neighbours).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from scenemind.memory.graph.building import Building
from scenemind.memory.graph.carriers import Bearer, Carrier, best_carrier, cut_circles
from scenemind.memory.graph.levels import Levels
from scenemind.memory.graph.pair_facts import Facts
from scenemind.memory.graph.relations.names import CARRYING
from scenemind.memory.graph.shapes import Shape
from scenemind.memory.graph.verification.common_sense import Sense
from scenemind.memory.types import Relation

_BUILDING = Bearer(math.inf, Sense(), is_building=True)
# Floors, walls and ceilings are neighbours of level 0 only.
_LEVEL_OF_BUILDING = -1


class Statements:
    """The stated relations of each node, and what they rest on: carriers and levels.

    Attributes:
        by_subject: what is stated of each subject, ascending ids, ordered by object.
        levels: how far each object is from the building.
    """

    def __init__(
        self,
        shapes: Mapping[int, Shape],
        facts: Mapping[int, Mapping[int, Facts]],
        building: Building,
    ) -> None:
        """Reads what its owner keeps up to date: the objects' shapes, all nodes' facts."""
        self.by_subject: dict[int, tuple[Relation, ...]] = {}
        self.levels = Levels()
        self._shapes = shapes
        self._facts = facts
        self._building = building
        self._best: dict[int, Carrier] = {}
        self._cut: set[int] = set()

    def update(self, dirty: set[int]) -> bool:
        """State anew what is true of these nodes, whose facts changed or which are gone.

        Returns:
            Whether anything is stated otherwise than before.
        """
        dirty = self._with_levels(self._with_carriers(dirty))
        is_other, is_other_set = False, False
        for subject in dirty:
            before = self.by_subject.get(subject)
            if subject not in self._facts:
                is_other_set |= self.by_subject.pop(subject, None) is not None
                continue
            now = self._state(subject, self.levels.of)
            if now != before:
                self.by_subject[subject] = now
                is_other, is_other_set = True, is_other_set or before is None
        if is_other_set:
            self.by_subject = dict(sorted(self.by_subject.items()))
        return is_other or is_other_set

    def all(self) -> tuple[Relation, ...]:
        """Everything that is stated, ordered by subject, then object."""
        relations: list[Relation] = []
        for stated in self.by_subject.values():
            relations += stated
        return tuple(relations)

    def all_at(self, levels: Mapping[int, int]) -> tuple[Relation, ...]:
        """The same, had objects these levels instead: what the levels leave out is another.

        Args:
            levels: object id -> level, of all objects.
        """
        moved = [i for i, level in levels.items() if self.levels.of(i) != level]
        affected = set(moved).union(*(self._facts.get(i, ()) for i in moved))
        relations: list[Relation] = []

        def level_of(object_id: int) -> int:
            return levels.get(object_id, 0)

        for subject, stated in self.by_subject.items():
            relations += self._state(subject, level_of) if subject in affected else stated
        return tuple(relations)

    def _with_carriers(self, dirty: set[int]) -> set[int]:
        """Choose what carries each of these; they and all whose statements that changes."""
        affected = set(dirty)
        for object_id in sorted(dirty):
            shape, old = self._shapes.get(object_id), self._best.pop(object_id, None)
            new = None
            if shape is not None and object_id not in self._building:
                new = best_carrier(self._facts[object_id], shape.sense, self._bearer_of)
            if new is not None:
                self._best[object_id] = new
            if new != old:
                affected |= {carrier.node for carrier in (old, new) if carrier is not None}
        cut = cut_circles(self._best, dirty | self._cut)
        for object_id in cut ^ self._cut:
            affected.add(object_id)
            if object_id in self._best:
                affected.add(self._best[object_id].node)
        self._cut = cut
        return affected

    def _with_levels(self, affected: set[int]) -> set[int]:
        """Count the levels of these; they, all on another level now, and these ones' neighbours."""
        there = [object_id for object_id in affected if object_id in self._shapes]
        carriers = [(object_id, self._object_that_carries(object_id)) for object_id in there]
        changed = self.levels.update(carriers, affected - self._shapes.keys())
        return affected.union(changed, *(self._facts[object_id] for object_id in changed))

    def _bearer_of(self, node_id: int) -> Bearer:
        if node_id in self._building:
            return _BUILDING
        shape = self._shapes[node_id]
        return Bearer(shape.volume, shape.sense, is_building=False)

    def _carrier(self, object_id: int) -> Carrier | None:
        return None if object_id in self._cut else self._best.get(object_id)

    def _object_that_carries(self, object_id: int) -> int | None:
        carrier = self._carrier(object_id)
        return None if carrier is None or carrier.node in self._building else carrier.node

    def _state(self, subject: int, level_of: Callable[[int], int]) -> tuple[Relation, ...]:
        stated: list[Relation] = []
        facts_of, carrier = self._facts[subject], self._carrier(subject)
        level = self._level(subject, level_of)
        for other in sorted(facts_of):
            if carrier is not None and carrier.node == other:
                stated.append(Relation(subject, carrier.predicate, other, carrier.score))
                continue
            carried = self._carrier(other)
            if carried is not None and carried.node == subject:
                continue
            if abs(level - self._level(other, level_of)) > 1:
                continue
            for predicate, score in facts_of[other].items():
                if predicate == "inside" or predicate not in CARRYING:
                    stated.append(Relation(subject, predicate, other, score))
        return tuple(stated)

    def _level(self, node_id: int, level_of: Callable[[int], int]) -> int:
        return _LEVEL_OF_BUILDING if node_id in self._building else level_of(node_id)
