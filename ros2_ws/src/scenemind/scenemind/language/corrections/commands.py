"""Clauses of corrections, by the shapes of `shapes.yaml`: commands, and remarks beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, get_args

from scenemind.language import lexicon
from scenemind.language.corrections.slots import (
    SLOTS,
    TABLE,
    Kind,
    as_definite,
    may_be_named,
    names_no_thing,
)
from scenemind.language.english import find_number, is_plural, normal, plural, singular
from scenemind.language.qualities import find_look
from scenemind.language.shapes import Bound, Sentence, ShapeBook
from scenemind.language.trees import (
    AddRelation,
    Attribute,
    Command,
    DeleteRelation,
    HasAttribute,
    IsA,
    IsAt,
    Marked,
    Merge,
    NounPhrase,
    ObjectNumber,
    Reference,
    Related,
    Rename,
    SetAttribute,
    Several,
    Split,
    Subject,
    Viewer,
    is_definite,
    parts_of,
)

_MOST_PARTS = 4
_PIECES = lexicon.ANYTHING | {"pieces", "parts", "them", "halves"}
NOWHERE = NounPhrase("", definite=True)  # of what is said to be missing, and not where
_NO_PLACES = frozenset(("air", "mid air", "midair", "thin air", "space", "way"))


@dataclass(frozen=True, slots=True)
class Aside:
    """A remark without content of its own, such as "you got this wrong".

    Attributes:
        is_objection: whether it objects to something; a mere "well" does not.
    """

    is_objection: bool = False


@dataclass(frozen=True, slots=True)
class Topic:
    """The topic of the clauses that follow ("the microwave?").

    Attributes:
        is_bare: named and nothing more: a clause that follows has to be about it.
        at: the other thing of what is said to be wrong: "you say that the lamp is on the desk".
    """

    subject: Subject
    is_bare: bool = False
    at: Reference | None = None


@dataclass(frozen=True, slots=True)
class Denied:
    """A denial, such as "it is not a microwave" or "you think that it is one".

    Attributes:
        subject: None where it names no object.
        is_absent: of "there is no microwave": the object is deleted, unless it gets another name.
        noun: what is denied; empty for what is neither a name nor a value.
        key: the attribute of a value that is denied.
    """

    subject: Subject | None = None
    is_absent: bool = False
    noun: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Bare:
    """A name alone ("toolbox"), where the rest of the sentence objects to another name.

    Attributes:
        is_objection: whether its own clause objects: "nope, toolbox".
    """

    label: str
    is_objection: bool = False


@dataclass(frozen=True, slots=True)
class Excepted:
    """Things of which another clause does not speak, and their words: "except the red one"."""

    things: Reference
    said: Sequence[str]


Remark = Aside | Topic | Denied | Bare | Excepted
Clause = Command | Remark
Said = Clause | tuple[Clause, ...]


def find_clause(said: Sentence, start: int, end: int) -> Said | None:
    """The command or remark of a clause without speech acts, or several; None where no shape reads
    it.

    Args:
        start, end: index of its first word, and of the word after it.
    """
    clause: Said | None = _book().find(said, start, end)
    if isinstance(clause, Merge) and clause.subjects == (Marked(),):
        words = said.words[start:end]
        numbers = (2 if word == "both" else find_number(word) or 0 for word in words)
        return replace(clause, count=next((number for number in numbers if number > 1), None))
    return clause


def _subject(b: Bound) -> Subject:
    """The subject; what is marked for "(no chair) here"."""
    subject = as_definite(b.get("subject", Marked()))
    if "at" in b and isinstance(subject, NounPhrase) and subject == NounPhrase(subject.noun, True):
        return Marked(subject.noun)
    return subject


def _subject_part(b: Bound) -> Subject | None:
    """The subject of any clause: "what you call a cup", "every chair", "what is on the table"."""
    if "taken_for" in b:
        taken_for = as_definite(b["taken_for"])
        is_one = "one" in b and isinstance(taken_for, NounPhrase)
        return Marked(taken_for.noun) if is_one else taken_for
    if "place" in b:
        return NounPhrase("", True, conditions=(b["place"],))
    if "every" in b:
        every = b["every"]
        return replace(every, noun=plural(every.noun)) if isinstance(every, NounPhrase) else None
    return b.get("several", Marked())


def _things(b: Bound) -> tuple[int, str] | None:
    """Number and kind in "two chairs", but not in "2 m wide"."""
    noun = b["noun"]
    is_many = is_plural(noun) or noun == plural(noun)
    return (b.get("count", 2), noun) if is_many and not noun.startswith("more") else None


def _named(b: Bound) -> Said | None:
    kind: Kind = b.get("kind") or b.get("a_kind") or Kind(b["label"], b["label"])
    subject = _subject(b)
    if "place" in b:  # "it is a toolbox that stands on the table"
        if subject != Marked():
            return None
        subject = NounPhrase("", True, conditions=(b["place"],))
    denied = b.get("contrast") or b.get("denial") or ""
    if isinstance(denied, NounPhrase):  # "that is a tin, not a bowl on the table"
        subject = as_definite(denied) if subject == Marked() else subject
        denied = denied.noun
    if isinstance(subject, NounPhrase) and (subject.count or 1) > 1 and "a_kind" in b:
        return None  # "the two chairs are a bench"
    named: Command = Rename(subject, kind.label, denied)
    if kind.attributes:
        keys = {key for key, _ in kind.attributes}
        denied = "" if _key_of(denied) in keys else denied  # "a walnut table, not oak"
        named = IsA(subject, kind.label, kind.noun, kind.attributes, denied)
    place = b.get("now_at")
    is_part = place and place.predicate in ("supports", "contains")  # "a box with a lid"
    if place is None or is_part or place in getattr(subject, "conditions", ()):
        return named
    return named, AddRelation(subject, place.predicate, place.anchors[0])


def _owned_kind(b: Bound) -> Said | None:
    """ "These are Tom's headphones": what they are, and whose."""
    named = _named(b)
    owned = SetAttribute(_subject(b), "owner", b["owner"])
    return named if named is None or isinstance(named, tuple) else (named, owned)


def _key_of(word: str) -> str:
    """The attribute of which a word is a value; empty for others."""
    found = find_look(word.split(), 0) if word else None
    return found[0].key if found is not None else ""


def _attributed(b: Bound) -> SetAttribute | None:
    given = b["value"]
    if b.get("key") == "owner" and given in lexicon.POSTURES:
        return None  # "its owner is sitting there"
    key: Attribute | str = b.get("key") or (given.key if isinstance(given, HasAttribute) else "")
    denied = b.get("contrast") or b.get("denial") or b.get("denied") or ""
    if isinstance(denied, HasAttribute | NounPhrase):
        denied = denied.value if isinstance(denied, HasAttribute) else denied.noun
    if isinstance(given, str):
        return None if key in ("color", "size") else SetAttribute(_subject(b), key, given, denied)
    return SetAttribute(_subject(b), key, given.value, denied) if given.key == key else None


def _merged(b: Bound) -> Merge | None:
    """The merge; None for a subject that can only be one thing."""
    said = b.get("merged") or b.get("same_ones") or b.get("references") or (Marked(),)
    subjects: tuple[Reference, ...] = said if isinstance(said, tuple) else (said,)
    if "other" in b:
        subjects = (*subjects, b["other"])
    counted = b.get("counted")
    noun = b.get("noun") or normal(getattr(counted, "noun", ""))
    only = subjects[0] if len(subjects) == 1 else None
    if isinstance(only, ObjectNumber) or any(map(_is_anything, subjects)):
        return None
    return Merge(subjects, "" if noun in lexicon.ANYTHING else noun)


def _split(b: Bound) -> Split | None:
    subject: Reference = b.get("one", Marked())
    denied = b.get("denial")
    if isinstance(denied, NounPhrase) and subject == Marked():
        subject = replace(denied, count=None)  # "that is not one book on the shelf, it is two"
    count, noun = b.get("pieces") or (b.get("count", 2), b.get("noun", ""))
    if count > _MOST_PARTS or _is_anything(subject):
        return None
    return Split(as_definite(subject), count, "" if noun in _PIECES else noun)


def _is_anything(reference: Subject) -> bool:
    """Whether a reference is "everything" or "one"."""
    return isinstance(reference, NounPhrase) and not (reference.noun or reference.conditions)


def _related(b: Bound) -> Said | None:
    given = b["relation"]
    anchor, *others = given.anchors
    is_part = "subject" not in b and given.predicate in ("supports", "contains")
    if is_part and not is_definite(anchor):
        return Aside()  # "a mug, with a handle"
    if others:  # what is between two things is near both
        near = tuple(AddRelation(_subject(b), "near", one) for one in given.anchors)
        return None if given.negated or "negated" in b else near
    nowhere = isinstance(anchor, NounPhrase) and anchor.noun
    if nowhere and (nowhere in _NO_PLACES or nowhere.split()[0] == "wrong"):
        return None
    edit = DeleteRelation if given.negated or "negated" in b else AddRelation
    return edit(_subject(b), given.predicate, anchor)


def _moved(b: Bound) -> AddRelation | None:
    """ "I moved the cup from the table to the shelf": where it is said to be now."""
    subject, anchor, way = _subject(b), b["anchor"], b["way"]
    if isinstance(anchor, Viewer) or (isinstance(anchor, NounPhrase) and not anchor.noun):
        return None
    if "origin" in b and isinstance(subject, NounPhrase):
        origin = Related("on", (b["origin"],))
        subject = subject.that(origin)
    return AddRelation(subject, way, anchor, is_wish=not way)


def _should_be(b: Bound) -> AddRelation | None:
    """ "The book belongs on the shelf"; that it does not belong there says nothing more."""
    said = _related(b)
    return replace(said, is_wish=True) if isinstance(said, AddRelation) else None


def _swapped(b: Bound) -> tuple[Rename, ...] | None:
    """The names of two things, each for the other: "you mixed up the kettle and the jug"."""
    both = b["both"]
    if len(both) != 2 or not all(isinstance(one, NounPhrase) and one.noun for one in both):
        return None
    first, second = map(as_definite, both)
    return Rename(first, singular(second.noun)), Rename(second, singular(first.noun))


def _at_place(b: Bound) -> NounPhrase:
    """What is at a place: "there is a lamp on the desk, not a vase"."""
    place = b.get("place") or Related("on", (b["anchor"],))
    return NounPhrase(b.get("wrong", ""), True, conditions=(place,))


def _missed(b: Bound) -> IsAt | None:
    """ "You missed the lamp on the desk", but not "you missed a bit"."""
    there = _at_place(b) if "place" in b else NOWHERE
    return None if names_no_thing(b["label"].split()) else IsAt(there, b["label"], is_missed=True)


def _wrong_at(b: Bound) -> Rename:
    """ "It is a lamp on the desk, not a vase"; "a crate with bags on it" tells of no place."""
    there = _at_place(b)
    is_place = any(is_definite(anchor) for at in parts_of(there, Related) for anchor in at.anchors)
    return Rename(there if is_place or "wrong" in b else Marked(), b["label"])


def _topic(b: Bound) -> Topic:
    """The lamp of "the lamp's colour"; the marked object for "the colour" alone."""
    subject = _subject(b)
    *words, last = (isinstance(subject, NounPhrase) and subject.noun.split()) or [""]
    if last in lexicon.ATTRIBUTE_NAMES.keys() | {"name", "label"}:
        noun = " ".join(words)
        return Topic(NounPhrase(noun, definite=True) if noun else Marked())
    return Topic(subject)


def _mentioned(b: Bound) -> Topic | None:
    subject = b["subject"]
    is_one = not isinstance(subject, NounPhrase) or subject.definite or subject.conditions
    return Topic(subject, is_bare=True) if is_one else None


def _denied(b: Bound) -> Denied:
    said, subject = b.get("value"), b.get("subject")
    if isinstance(said, HasAttribute):
        return Denied(subject, noun=said.value, key=said.key)
    if said is not None:
        return Denied(subject, noun=said, key="owner")
    noun = b.get("noun", "")
    if isinstance(noun, NounPhrase):  # "that is not a bowl on the table"
        subject = as_definite(noun) if subject in (None, Marked()) else subject
        noun = noun.noun
    subject = None if isinstance(subject, Marked) else subject
    return Denied(subject, noun=noun if may_be_named(noun) else "")


def _reported(b: Bound) -> Topic | Denied | None:
    """What the robot is said to have: "you call it a microwave"."""
    said = b.get("number") or b.get("said")
    if said is not None and "place" in b:
        return Topic(as_definite(said), at=b["place"].anchors[0])
    if isinstance(said, ObjectNumber) or (isinstance(said, NounPhrase) and said.conditions):
        return Topic(as_definite(said))
    if isinstance(said, NounPhrase) and not said.noun:
        return None
    if not isinstance(said, NounPhrase) or names_no_thing(said.noun.split()):
        return Denied()
    return Topic(Marked(said.noun))


def _meaning(name: str, b: Bound) -> Said | None:
    """What a shape means; without a function of its own, the tree of its name."""
    if name in _MEANINGS:
        return _MEANINGS[name](b)
    kind = _TREES[name]
    values = {field.name: b[field.name] for field in fields(kind) if field.name in b}
    if any(field.name == "subject" for field in fields(kind)):
        values["subject"] = _subject(b)
    clause: Clause = kind(**values)
    return clause


_TREES = {kind.__name__: kind for kind in (*get_args(Command), *get_args(Remark))}
_MEANINGS: dict[str, Callable[[Bound], Said | None]] = {
    "attributed": _attributed,
    "confused": lambda b: Rename(as_definite(b["wrong"]), b["label"]),
    "denied": _denied,
    "excepted": lambda b: Excepted(*b["things"]),
    "is_at": lambda b: IsAt(_at_place(b), b["label"]),
    "mentioned": _mentioned,
    "merged": _merged,
    "missed": _missed,
    "moved": _moved,
    # "That is not my bag, it is Tom's": a bag it is.
    "not_owned": lambda b: Topic(Marked(normal(b["label"]))),
    "owned_kind": _owned_kind,
    "named": _named,
    "related": _related,
    "reported": _reported,
    "should_be": _should_be,
    "split": _split,
    "swapped": _swapped,
    "topic": _topic,
    "wrong_at": _wrong_at,
}
# The values of parts that are not the one value in them.
_PARTS: dict[str, Callable[[Bound], Any]] = {
    "marked": lambda _: Marked(),
    "marked_subject": lambda b: b["subject"] if isinstance(b["subject"], Marked) else None,
    "nobody": lambda b: NounPhrase(
        "people", True, conditions=(b["place"],) if "place" in b else ()
    ),
    "one": lambda b: None if isinstance(b["subject"], Several) else b["subject"],
    "pieces": lambda b: b.get("things") or (b.get("count", 2), ""),
    "relation": lambda b: replace(b["condition"], negated=b["condition"].negated or "negated" in b),
    "subject": _subject_part,
    "things": _things,
}


@cache
def _book() -> ShapeBook:
    words = {
        **TABLE["words"],
        "be": " | ".join(lexicon.BE),
        "key": " | ".join(lexicon.ATTRIBUTE_NAMES),
        "noun_end": " | ".join(lexicon.NOUN_END),
    }
    return ShapeBook({**TABLE, "words": words}, SLOTS, _meaning, _PARTS)
