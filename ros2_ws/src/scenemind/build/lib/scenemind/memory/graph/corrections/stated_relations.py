"""Relations from geometry combined with those that people stated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set

from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relations import CARRYING, denials_of, find_relation, statements_of
from scenemind.memory.types import Edit, MapObject, Relation

Statement = tuple[int, str, int]
# The largest id of floor, walls and ceiling.
BUILDING = -1


def with_statements(
    computed: Sequence[Relation],
    edits: Sequence[Edit],
    there: Set[int],
    shown_as: Mapping[int, int],
) -> tuple[Relation, ...]:
    """The relations of these objects with corrections applied.

    Args:
        edits: standing edits that add or delete relations, oldest first.
        there: ids of the objects and of floor, walls and ceiling.
        shown_as: id of an object that was merged -> id of the object it is part of.
    """
    said = list(_said(edits, there, shown_as))
    if not said:
        return tuple(computed)
    stated = _Stated(computed)
    for is_true, statement in said:
        stated.apply(is_true, statement)
    return stated.all()


def denied_relations(
    edits: Sequence[Edit], there: Set[int], shown_as: Mapping[int, int]
) -> tuple[Relation, ...]:
    """What people denied of these objects and nobody stated since; arguments as above."""
    denied: dict[Statement, None] = {}
    for is_true, statement in _said(edits, there, shown_as):
        if is_true:
            denied = {one: None for one in denied if one not in statements_of(*statement)}
        else:
            denied.update(dict.fromkeys(denials_of(*statement)))
    return tuple(Relation(*statement, source="user") for statement in denied)


def _said(
    edits: Sequence[Edit], there: Set[int], shown_as: Mapping[int, int]
) -> Iterator[tuple[bool, Statement]]:
    """Statements about objects that are there, and whether they are said to be true."""
    for edit in edits:
        subject, other = (shown_as.get(i, i) for i in edit.object_ids)
        if subject != other and subject in there and other in there:
            yield edit.kind == "add_relation", (subject, edit.key, other)


def with_stated_levels(
    computed: Mapping[int, int],
    relations: Iterable[Relation],
    edited_ids: Collection[int],
    objects: Mapping[int, MapObject],
) -> Mapping[int, int]:
    """The levels of objects, updated for stated and denied carriers of some of them.

    Args:
        computed: object id -> level from geometry.
        relations: with corrections applied.
    """
    carrier_of = _carriers(relations, computed)
    carried: dict[int, list[int]] = {}
    for thing, carrier in carrier_of.items():
        carried.setdefault(carrier, []).append(thing)
    levels = dict(computed)
    unsettled = [thing for thing in edited_ids if thing in levels]
    while unsettled:
        thing = unsettled.pop()
        carrier = carrier_of.get(thing, BUILDING)
        level = 0 if _is_building(carrier, objects) else levels.get(carrier, 0) + 1
        # Bounded, in case stated and geometric carriers together make a cycle.
        if levels[thing] != level and level < len(levels):
            levels[thing] = level
            unsettled += (i for i in carried.get(thing, ()) if i in levels)
    return levels


def _carriers(relations: Iterable[Relation], computed: Mapping[int, int]) -> dict[int, int]:
    """Thing -> its carrier. Of several, a stated one takes precedence, and of those from geometry
    the one on the level below."""
    best: dict[int, tuple[bool, bool, int]] = {}
    for relation in relations:
        if is_carried(relation.predicate):
            thing, carrier = relation.subject_id, relation.object_id
            is_next = computed.get(thing, 0) == computed.get(carrier, -1) + 1
            found = (relation.source == "user", is_next, carrier)
            best[thing] = max(best.get(thing, found), found, key=lambda one: one[:2])
    return {thing: carrier for thing, (_, _, carrier) in best.items()}


def _is_building(node_id: int, objects: Mapping[int, MapObject]) -> bool:
    """True for a plane of structure, or an object with such a label."""
    if node_id <= BUILDING:
        return True
    return node_id in objects and sense_of(objects[node_id].label).structure is not None


def stated_carriers(
    edits: Iterable[Edit], shown_as: Mapping[int, int]
) -> dict[int, dict[str, int]]:
    """Stated carriers: subject -> predicate -> the object that it is on, inside, ..."""
    carriers: dict[int, dict[str, int]] = {}
    for edit in edits:
        subject, other = (shown_as.get(i, i) for i in edit.object_ids)
        for low, predicate, high in statements_of(subject, edit.key, other):
            said = carriers.setdefault(low, {})
            if edit.kind == "add_relation" and is_carried(predicate):
                said[predicate] = high
            elif said.get(predicate) == high:
                del said[predicate]
    return carriers


def is_carried(predicate: str) -> bool:
    """True if the predicate means that the object carries the subject."""
    return predicate in CARRYING


class _Stated:
    """Relations by what they state, and what carries each thing."""

    def __init__(self, computed: Sequence[Relation]) -> None:
        self._all = {(r.subject_id, r.predicate, r.object_id): r for r in computed}
        self._carriers: dict[int, list[Statement]] = {}
        for statement in self._all:
            if is_carried(statement[1]):
                self._carriers.setdefault(statement[0], []).append(statement)

    def all(self) -> tuple[Relation, ...]:
        return tuple(self._all.values())

    def apply(self, is_true: bool, said: Statement) -> None:
        """Add or remove a statement and its inverse."""
        if not is_true:
            for statement in denials_of(*said):
                self._take_out(statement)
            return
        for statement in statements_of(*said):
            self._take_out_opposite(statement)
            if is_carried(statement[1]):
                self._take_out_other_carriers(statement)
                if statement not in self._all:
                    self._carriers.setdefault(statement[0], []).append(statement)
            self._all[statement] = Relation(*statement, confidence=1.0, source="user")

    def _take_out(self, statement: Statement) -> None:
        if self._all.pop(statement, None) is not None and is_carried(statement[1]):
            self._carriers[statement[0]].remove(statement)

    def _take_out_opposite(self, statement: Statement) -> None:
        """Remove contradicting statements: "a above b" if a is below b, "a on b" if b is on a."""
        subject, predicate, other = statement
        relation = find_relation(predicate)
        if relation is not None and relation.inverse not in (None, relation.name):
            self._take_out((subject, str(relation.inverse), other))
            self._take_out((other, predicate, subject))

    def _take_out_other_carriers(self, said: Statement) -> None:
        """Remove carriers from geometry that a stated carrier replaces, the same predicate stated
        before, and a statement that closes a cycle: one from geometry, else the oldest."""
        subject, predicate, carrier = said
        for statement in list(self._carriers.get(subject, ())):
            is_geometry = self._all[statement].source == "geometry"
            if statement != said and (is_geometry or statement[1] == predicate):
                self._take_out(statement)
        while path := self._find_path(carrier, subject):
            of_geometry = (s for s in path if self._all[s].source == "geometry")
            oldest = next(s for s in self._all if s in path)
            self._take_out(next(of_geometry, oldest))

    def _find_path(self, thing: int, carrier: int) -> list[Statement]:
        """Statements of carriers that lead from a thing to a carrier, the last one first; empty
        without a path."""
        passed = {thing}
        paths: list[tuple[int, list[Statement]]] = [(thing, [])]
        while paths:
            at, path = paths.pop()
            if at == carrier:
                return path
            for statement in self._carriers.get(at, ()):
                if statement[2] not in passed:
                    passed.add(statement[2])
                    paths.append((statement[2], [statement, *path]))
        return []
