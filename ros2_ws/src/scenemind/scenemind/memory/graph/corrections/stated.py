"""The relations that geometry gives, with what people said of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from scenemind.memory.graph.relations import (
    RELATION_NAMES,
    denials_of,
    find_relation,
    statements_of,
)
from scenemind.memory.types import Edit, MapObject, Relation

Statement = tuple[int, str, int]
# This id and those below it are floor, walls and ceiling.
BUILDING = -1


def with_statements(
    computed: Sequence[Relation],
    edits: Iterable[Edit],
    objects: Mapping[int, MapObject],
    shown_as: Mapping[int, int],
) -> tuple[Relation, ...]:
    """The relations of these objects as people see them.

    Args:
        edits: that stand and add or delete relations, oldest first.
        shown_as: id of an object that a person merged -> id of what it is part of.
    """
    stated = {(r.subject_id, r.predicate, r.object_id): r for r in computed}
    has_said = False
    for edit in edits:
        subject, other = (shown_as.get(i, i) for i in edit.object_ids)
        if subject != other and subject in objects and other in objects:
            _lay_over(stated, edit, (subject, edit.key, other))
            has_said = True
    return tuple(stated.values()) if has_said else tuple(computed)


def with_said_levels(
    computed: Mapping[int, int], relations: Sequence[Relation], subjects: Collection[int]
) -> Mapping[int, int]:
    """The levels of objects where people said of some subjects what carries them, or does not.

    Args:
        computed: object id -> level as geometry has it.
        relations: as people see them.
    """
    if not subjects:
        return computed
    carrier_of = {r.subject_id: r.object_id for r in relations if is_carried(r.predicate)}
    carried: dict[int, list[int]] = {}
    for thing, carrier in carrier_of.items():
        carried.setdefault(carrier, []).append(thing)
    levels = dict(computed)
    unsettled = [subject for subject in subjects if subject in levels]
    while unsettled:
        thing = unsettled.pop()
        carrier = carrier_of.get(thing, BUILDING)
        level = 0 if carrier <= BUILDING else levels[carrier] + 1
        # Bounded, should two sources of one thing's carriers ever make a ring.
        if levels[thing] != level and level < len(levels):
            levels[thing] = level
            unsettled += carried.get(thing, ())
    return levels


def said_carriers(edits: Iterable[Edit], shown_as: Mapping[int, int]) -> dict[int, dict[str, int]]:
    """Who carries whom, as people say: subject -> predicate -> what it is on, inside, ..."""
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


def _lay_over(stated: dict[Statement, Relation], edit: Edit, said: Statement) -> None:
    """Add or take out a statement with what it says the other way round."""
    if edit.kind == "delete_relation":
        for statement in denials_of(*said):
            stated.pop(statement, None)
        return
    statements = statements_of(*said)
    for statement in statements:
        _take_out_opposite(stated, statement)
        stated[statement] = Relation(*statement, confidence=1.0, source="user")
    if is_carried(statements[0][1]):
        _take_out_other_carriers(stated, statements[0])


def _take_out_opposite(stated: dict[Statement, Relation], statement: Statement) -> None:
    """What cannot be true with it: "a above b" where a is below b, "a on b" where b is on a."""
    subject, predicate, other = statement
    relation = find_relation(predicate)
    if relation is not None and relation.inverse not in (None, relation.name):
        stated.pop((subject, str(relation.inverse), other), None)
        stated.pop((other, predicate, subject), None)


def _take_out_other_carriers(stated: dict[Statement, Relation], said: Statement) -> None:
    """What geometry says carries a thing, where a person says what does (or said so before); and
    what geometry says this thing carries, as far as that would carry it in turn."""
    subject, predicate, carrier = said
    for key, relation in list(stated.items()):
        is_other = key[0] == subject and is_carried(key[1]) and key != said
        if is_other and (relation.source == "geometry" or key[1] == predicate):
            del stated[key]
    carriers = {key[0]: key for key in stated if is_carried(key[1]) and key != said}
    passed = {subject}
    at = carrier
    while at not in passed:
        passed.add(at)
        if at not in carriers:
            return
        if carriers[at][2] == subject:
            if stated[carriers[at]].source == "geometry":
                del stated[carriers[at]]
            return
        at = carriers[at][2]


def is_carried(predicate: str) -> bool:
    relation = RELATION_NAMES.get(predicate)
    return relation is not None and relation.one_way
