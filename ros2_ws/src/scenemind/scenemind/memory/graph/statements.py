"""Statements of the scene graph: the best carrier of each thing, levels, and which facts are
stated.

SynergAI (appendix B): the level of a thing is the number of supporters between it and the
building. The floor carries the first level, a table on it carries the next. A wall and a ceiling
are the building as the floor is; a thing without a known supporter counts as carried by the
building. Edges connect a level with itself and its neighbours: of a thing and its carrier only
that is stated, and nothing is stated of things on distant levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from scenemind.language.relation_names import CARRYING, INVERSE
from scenemind.memory.graph.building import Building
from scenemind.memory.graph.common_sense import Sense, spoken_predicate
from scenemind.memory.graph.pair_facts import FOOT_SCORE, Facts, Shape
from scenemind.memory.types import Relation


def find_cycle(carrier_of: Callable[[int], int | None], start: int) -> list[int]:
    """The cycle that following carriers from `start` runs into, in order; empty without one."""
    way: dict[int, int] = {}
    node: int | None = start
    while node is not None:
        if node in way:
            return list(way)[way[node] :]
        way[node] = len(way)
        node = carrier_of(node)
    return []


def contradictions(relations: Iterable[Relation]) -> list[str]:
    """Inconsistencies in a set of relations, a sentence each; empty if it is consistent.

    Consistent means:

    - following carriers (what carries, contains or embeds a thing) never leads back to the thing;
    - nothing is above and below the same thing;
    - a relation that is stated both ways (above and below, next to, near, ...) has its inverse.
    """
    said = {(r.subject_id, r.predicate, r.object_id) for r in relations}
    carriers: dict[int, set[int]] = {}
    found = []
    for subject, predicate, other in sorted(said):
        if predicate == "above" and (subject, "below", other) in said:
            found.append(f"{subject} is both above and below {other}")
        converse = INVERSE.get(predicate)
        if converse is not None and (other, converse, subject) not in said:
            found.append(
                f"{subject} is {predicate} {other}, but {other} is not {converse} {subject}"
            )
        if predicate in CARRYING:
            carriers.setdefault(subject, set()).add(other)
    try:
        TopologicalSorter(carriers).prepare()
    except CycleError as error:
        found.append(f"carriers go round in a circle: {' -> '.join(map(str, error.args[1]))}")
    return found


_CONTAINING = ("inside", "embedded in")
_ATTACHED = ("hanging on", "mounted on", "affixed on")
# From this score on a thing touches its supporter.
SURE = 0.7
# -score, node, predicate: the smallest one is the best.
_Candidate = tuple[float, int, str]


class Carrier(NamedTuple):
    """The carrier of a thing: its node, the predicate and its score."""

    node: int
    predicate: str
    score: float


class Bearer(NamedTuple):
    """Properties of a possible carrier: volume in m3, infinite for the building."""

    volume: float
    sense: Sense
    is_building: bool


def best_carrier(
    facts_of: Mapping[int, Facts], sense: Sense, bearer_of: Callable[[int], Bearer]
) -> Carrier | None:
    """The best carrier of a thing; None without one.

    - A wall holds things that are part of it (a door), even if they reach the floor.
    - Among supporters the best score decides, among containers the smallest volume; of these two
      the smaller one (an apple in a bowl on a table is in the bowl). A smaller supporter must have
      a score of `SURE` (a book is on a board of a shelf, not on the books of the board below).
    - A thing without these may hang on a wall or from the ceiling, unless such things always stand.
      A thing that is usually on walls hangs if that has the better score (a mirror over a basin),
      as does a screen whose foot is not seen (a tv over a cabinet).

    Args:
        facts_of: other node -> facts of the thing and that node.
        sense: common sense about the thing.
        bearer_of: returns the properties of a node.
    """
    attached: list[_Candidate] = []
    standing: list[_Candidate] = []
    contained: list[_Candidate] = []
    for node, facts in facts_of.items():
        for predicate, score in facts.items():
            if predicate in _ATTACHED or (
                predicate == "embedded in" and bearer_of(node).is_building
            ):
                attached.append((-score, node, predicate))
            elif predicate == "on":
                standing.append((-score, node, predicate))
            elif predicate in _CONTAINING:
                contained.append((-score, node, predicate))
    if attached and sense.is_part_of_wall:
        return _carrier_of(min(attached))
    best = _bearing(standing, contained, bearer_of)
    hanging = _carrier_of(min(attached)) if attached and not sense.stands else None
    if best is None:
        return hanging
    is_on_foot = sense.has_foot and best.score <= FOOT_SCORE
    if hanging is not None and (sense.is_on_walls or is_on_foot) and hanging.score > best.score:
        return hanging
    said = spoken_predicate(best.predicate, sense, bearer_of(best.node).sense)
    return best._replace(predicate=said)


def _bearing(
    standing: list[_Candidate],
    contained: list[_Candidate],
    bearer_of: Callable[[int], Bearer],
) -> Carrier | None:
    """The carrier among the things that a thing stands on or is in."""
    stand = _carrier_of(min(standing)) if standing else None
    if not contained:
        return stand
    container = _carrier_of(
        min(contained, key=lambda candidate: (bearer_of(candidate[1]).volume, candidate))
    )
    if stand is None or stand.score < SURE:
        return container
    return min((stand, container), key=lambda carrier: bearer_of(carrier.node).volume)


def cut_circles(best: Mapping[int, Carrier], starts: Iterable[int]) -> set[int]:
    """The objects whose carrier is dropped to break cycles of carriers.

    In each cycle it is the one of lowest score (of equal ones the smallest id); the others keep
    theirs. Only cycles that a start leads to are found.
    """

    def carrier_of(node: int) -> int | None:
        carrier = best.get(node)
        return None if carrier is None else carrier.node

    cut = set()
    for start in starts:
        circle = find_cycle(carrier_of, start)
        if circle:
            cut.add(min(circle, key=lambda object_id: (best[object_id].score, object_id)))
    return cut


def _carrier_of(candidate: _Candidate) -> Carrier:
    score, node, predicate = candidate
    return Carrier(node, predicate, -score)


class Levels:
    """Levels of objects, updated incrementally: only for things that a changed thing carries."""

    def __init__(self) -> None:
        self._carrier: dict[int, int] = {}
        self._carried: dict[int, set[int]] = {}
        self._levels: dict[int, int] = {}
        self._by_id: dict[int, int] | None = {}

    def by_id(self) -> Mapping[int, int]:
        """Object id -> level, ascending ids; a new mapping where any level changed."""
        if self._by_id is None:
            self._by_id = dict(sorted(self._levels.items()))
        return self._by_id

    def of(self, object_id: int) -> int:
        """The level; 0 for floor, walls and ceiling."""
        return self._levels.get(object_id, 0)

    def update(self, carriers: Iterable[tuple[int, int | None]], gone: Iterable[int]) -> set[int]:
        """Set new carriers; the objects whose level changed.

        Args:
            carriers: object and the object that carries it; None for the building or an unknown
                carrier. Following carriers must never lead back.
            gone: removed objects, which carry nothing.
        """
        for object_id in gone:
            self._set_carrier(object_id, None)
            if self._levels.pop(object_id, None) is not None:
                self._by_id = None
        unsettled = []
        for object_id, carrier in carriers:
            self._set_carrier(object_id, carrier)
            unsettled.append(object_id)
        changed = set()
        while unsettled:
            object_id = unsettled.pop()
            level = self._count(object_id)
            if self._levels.get(object_id) != level:
                self._levels[object_id] = level
                self._by_id = None
                changed.add(object_id)
                unsettled.extend(self._carried.get(object_id, ()))
        return changed

    def _set_carrier(self, object_id: int, carrier: int | None) -> None:
        old = self._carrier.pop(object_id, None)
        if old is not None:
            self._carried[old].discard(object_id)
            if not self._carried[old]:
                del self._carried[old]
        if carrier is not None:
            self._carrier[object_id] = carrier
            self._carried.setdefault(carrier, set()).add(object_id)

    def _count(self, object_id: int) -> int:
        level, carrier = 0, self._carrier.get(object_id)
        while carrier is not None:
            level, carrier = level + 1, self._carrier.get(carrier)
        return level


_BUILDING = Bearer(math.inf, Sense(), is_building=True)
# Floors, walls and ceilings are neighbours of level 0 only.
_LEVEL_OF_BUILDING = -1


class Statements:
    """The stated relations of each node, with the carriers and levels that they depend on.

    Attributes:
        by_subject: statements of each subject, by ascending id, ordered by object.
        levels: level of each object above the building.
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
        """Update the statements of these nodes, whose facts changed or which were removed.

        Returns:
            True if any statement changed.
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
        """Everything that is stated for other levels of the objects.

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
        """Choose the carrier of each of these; they and all nodes whose statements that changes."""
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
        """Update the levels of these; they, nodes on another level now, and their neighbours."""
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
