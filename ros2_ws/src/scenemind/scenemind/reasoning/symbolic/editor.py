"""From a correcting sentence's tree to the edits of the journal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.memory import Edit, MapObject
from scenemind.memory.types import EditKind
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_syntax import (
    AddRelation,
    Confirm,
    DeleteObject,
    DeleteRelation,
    IsA,
    IsAt,
    Merge,
    OfOne,
    Rename,
    SetAttribute,
    Several,
    Split,
    Subject,
)
from scenemind.reasoning.symbolic.described_edits import described_edits
from scenemind.reasoning.symbolic.owning import SPEAKER
from scenemind.reasoning.symbolic.parting import find_parts
from scenemind.reasoning.symbolic.phrasing import be, bounded, sentence, the
from scenemind.reasoning.symbolic.plurals import every_row, is_plural
from scenemind.reasoning.symbolic.relation_scores import ATTACHED
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase, Reference, Related
from scenemind.words.english import joined, plural, with_article

_NUMBERS = {2: "two", 3: "three", 4: "four"}


def edits_of(command: OfOne | IsAt | Merge, at: Resolver, by: str = "") -> tuple[list[Edit], str]:
    """What to write, and a sentence that says so.

    Args:
        by: who speaks, whose is what they call theirs; empty: that cannot be written.

    Raises:
        ReasoningError: `not_found`, or `ambiguous` where more than one object may be meant.
    """
    if isinstance(command, Merge):
        return _merged(command, at)
    if isinstance(command, IsAt):
        command = _placed(command, at)
    objects = _meant(_subject_of(command, at), at)
    ids = [o.object_id for o in objects]
    names = bounded([the(o) for o in objects])
    verb = be(len(objects))
    match command:
        case Rename(label=label):
            edits = [Edit("rename", (i,), value=label) for i in ids]
            return edits, f"Now {names} {verb} {_a(label, len(ids))}."
        case IsA(label=label):
            edits = described_edits(command, objects, at)
            return edits, f"Now {names} {verb} {_a(label, len(ids))}."
        case SetAttribute(key=key, value=value):
            value = by if (key, value) == ("owner", SPEAKER) else value
            edits = [Edit("set_attribute", (i,), key, value) for i in ids]
            return edits, _attributed(names, verb, key, value)
        case DeleteObject():
            _check_called_so(command.subject, objects, at)
            return [Edit("delete_object", (i,)) for i in ids], f"I forgot {names}."
        case Confirm(label=label):
            return _confirmed(objects, label, at)
        case Split(count=count, noun=noun):
            thing = _single(command.subject, at)
            _check_several_of(thing, count, noun, at)
            return _split(thing, count)
        case AddRelation() | DeleteRelation():
            return _related(command, objects, at)


def _placed(command: IsAt, at: Resolver) -> AddRelation | Rename:
    """Where the one thing of that name is; the name of what stands there where none has it."""
    (place,) = command.subject.conditions
    if not isinstance(place, Related):
        raise TypeError(f"{place} says of no thing where it is")
    known = [o for o in at.scene.objects if not at.is_named_otherwise([o], command.noun)]
    if known:
        named = NounPhrase(command.noun, definite=True)
        return AddRelation(named, place.predicate, place.anchors[0])
    return Rename(command.subject, command.noun)


def _subject_of(command: OfOne, at: Resolver) -> Subject:
    """ "It is a red cup": where nothing was pointed at, the cup."""
    if isinstance(command, IsA) and command.subject == Marked() and not at.has_marks:
        return NounPhrase(command.noun, definite=True)
    return command.subject


def _check_called_so(subject: Subject, objects: Sequence[MapObject], at: Resolver) -> None:
    """That "there is no cup there" was said of a cup.

    Raises:
        ReasoningError: `invalid_request`: something else is marked or was spoken of.
    """
    noun = subject.noun if isinstance(subject, Marked) else ""
    if noun and at.is_named_otherwise(objects, noun):
        names = joined([the(thing) for thing in objects])
        raise ReasoningError(
            "invalid_request",
            f'What is meant ({names}) is not called "{noun}", so I deleted nothing. Mark it, or say'
            " its number.",
        )


def _related(
    command: AddRelation | DeleteRelation, objects: Sequence[MapObject], at: Resolver
) -> tuple[list[Edit], str]:
    kind: EditKind = "add_relation" if isinstance(command, AddRelation) else "delete_relation"
    negation = "" if kind == "add_relation" else "not "
    others = [_other(command.anchor, thing, at) for thing in objects]
    for thing, other in zip(objects, others, strict=True):
        if other is thing:
            raise ReasoningError(
                "invalid_request", f"{the(other)} cannot be {command.predicate} itself."
            )
    pairs = list(zip(objects, others, strict=True))
    edits = [
        Edit(kind, (a.object_id, b.object_id), predicate)
        for a, b in pairs
        for predicate in (command.predicate, *_meant_as_well(command, a, b, at))
    ]
    relation = f"{negation}{lexicon.spoken(command.predicate)}"
    return edits, f"Now {joined([f'{the(a)} is {relation} {the(b)}' for a, b in pairs])}."


def _meant_as_well(
    command: AddRelation | DeleteRelation, thing: MapObject, other: MapObject, at: Resolver
) -> list[str]:
    """What is not on the wall does not hang on it either."""
    if isinstance(command, AddRelation) or command.predicate != "on":
        return []
    row_of_id = at.scene.row_of_id
    of_thing = row_of_id[thing.object_id]
    return [
        predicate
        for predicate in ATTACHED
        for row, _ in at.scene.relations_of(of_thing, predicate)
        if row == row_of_id[other.object_id]
    ]


def _other(reference: Reference, thing: MapObject, at: Resolver) -> MapObject:
    """What a thing is related to; of several walls that may be meant, the nearest one."""
    rows, _ = at.existing(reference)
    building = rows[~at.scene.is_object[rows]]
    if not len(building):
        return at.scene.objects[at.single(reference)]
    gaps = at.scene.gaps_to_m(at.scene.row_of_id[thing.object_id])
    return at.scene.objects[building[np.argmin(gaps[building])]]


def _merged(command: Merge, at: Resolver) -> tuple[list[Edit], str]:
    objects: dict[int, MapObject] = {}
    for subject in command.subjects:
        several = len(command.subjects) == 1
        found = _all_of(subject, at) if several else _meant(subject, at)
        objects.update((o.object_id, o) for o in found)
    if command.noun and all(at.is_named_otherwise([o], command.noun) for o in objects.values()):
        ids = joined([str(i) for i in objects])
        way_out = f' If they are one thing, say "merge objects {ids}".' if len(objects) > 1 else ""
        raise ReasoningError(
            "invalid_request",
            f"What is meant ({joined([the(o) for o in objects.values()])}) is not called"
            f' "{command.noun}", so I changed nothing.{way_out}',
        )
    if len(objects) < 2:
        one = joined([the(o) for o in objects.values()])
        raise ReasoningError(
            "invalid_request",
            f"Only {one} is meant: mark all that are the same, or say their numbers.",
        )
    first, *others = objects.values()
    text = f"Now {joined([the(o) for o in others])} {be(len(others))} part of {the(first)}."
    return [Edit("merge", tuple(objects))], text


def _check_several_of(thing: MapObject, count: int, noun: str, at: Resolver) -> None:
    """That there are said to be several of what it is: "2 years" are no desks.

    Raises:
        ReasoningError: `invalid_request`: it is called otherwise.
    """
    if noun and at.is_named_otherwise([thing], noun):
        raise ReasoningError(
            "invalid_request",
            f'{sentence(the(thing))[:-1]} is not called "{noun}", so I changed nothing. If it is'
            f' several things, say "split object {thing.object_id} in {_NUMBERS[count]}".',
        )


def _split(thing: MapObject, count: int) -> tuple[list[Edit], str]:
    if not len(thing.points):
        raise ReasoningError(
            "invalid_request",
            f"The surface of {the(thing)} is not known here: split it where it was mapped.",
        )
    places = find_parts(thing.points, count)
    if places is None:
        raise ReasoningError(
            "invalid_request",
            f"I see no gap in {the(thing)} that parts it in {_NUMBERS[count]}, so I leave it whole:"
            " look at it from more sides, or split it by a place in each part (the edit `split`).",
        )
    text = f"Now {the(thing)} is {_NUMBERS[count]} things, parted where there is a gap."
    return [Edit("split", (thing.object_id,), places=tuple(places))], text


def _confirmed(objects: Sequence[MapObject], label: str, at: Resolver) -> tuple[list[Edit], str]:
    """What is called otherwise gets the name that was said."""
    edits = [Edit("confirm", (o.object_id,)) for o in objects]
    names = joined([the(o) for o in objects])
    if label and at.is_named_otherwise(objects, label):
        renames = [Edit("rename", (o.object_id,), value=label) for o in objects]
        return [*renames, *edits], f"Now {names} {be(len(objects))} {_a(label, len(objects))}."
    return edits, f"Thank you: {names} {be(len(objects))} certain now."


def _a(label: str, count: int) -> str:
    return with_article(label) if count == 1 else plural(label)


def is_of_several(command: OfOne | IsAt | Merge) -> bool:
    """ "the chairs are brown": all that fit are meant, not one."""
    subject = None if isinstance(command, Merge | Split) else command.subject
    return is_plural(subject)


def _attributed(names: str, verb: str, key: str, value: str) -> str:
    if not value:
        return f"I forgot the {key} of {names}."
    if key == "owner":
        return f"Now {names} {'belongs' if verb == 'is' else 'belong'} to {value}."
    return f"Now {names} {verb} {value}."


def _meant(reference: Subject, at: Resolver) -> list[MapObject]:
    """All marked or numbered objects, all of a plural, or else the single one that fits."""
    if isinstance(reference, Several):
        return list({n: _single(n, at) for n in reference.numbers}.values())
    if isinstance(reference, Marked) and (at.has_marks or not reference.noun):
        return _all_of(reference, at)
    if is_plural(reference):
        return [thing for thing in at.objects(every_row(reference, at)) if thing.object_id >= 0]
    return [_single(reference, at)]


def _single(reference: Reference, at: Resolver) -> MapObject:
    rows, _ = at.existing(reference)
    if not at.scene.is_object[rows].any():
        raise ReasoningError(
            "invalid_request",
            "Floors, walls and ceilings are measured anew all the time, so nothing that is said of"
            " them would stay: only objects can be corrected, and what they are on.",
        )
    return at.scene.objects[at.single(reference)]


def _all_of(reference: Reference, at: Resolver) -> list[MapObject]:
    rows, _ = at.existing(reference)
    return at.objects(rows)
