"""Claims that say where a thing is and what it is: "on the desk there is a lamp, not a vase"."""

from __future__ import annotations

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.command_syntax import Command, IsAt, Rename
from scenemind.reasoning.symbolic.denials import skip_truly
from scenemind.reasoning.symbolic.labels import label_of
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import NounPhrase, Related
from scenemind.words.english import singular

_POINTS = ("that is", "it is", "this is")
_THERE_IS = (
    "there is", "there stands", "there sits", "there lies", "here is", "you see", "you will see",
    "you will find", "you can see", "you find", "i see", "i have", "we have", "you should see",
    "i put", "i placed", "i keep", "we keep", "there should be", "it is", "that is", "stands",
    "sits", "lies", "rests", "hangs", "is", "i can see", "you have",
)  # fmt: skip
_ON_IT = ("on it", "on top", "on top of it", "standing on it", "sitting on it", "lying on it")


def named_at(p: Parser) -> Command | None:
    """ "there is a lamp on the desk, not a vase", "that is a lamp there on the desk"."""
    points = p.take(*_POINTS)
    if not points and not p.take(*_THERE_IS):
        return None
    skip_truly(p)
    if not p.take("a", "an"):
        return None
    noun = p.noun_words()
    p.take("there", "here")
    p.take("that is", "which is", "that stands", "that sits")
    p.skip_posture()
    place = _place(p)
    if place is None or not noun:
        return None
    return _named(p, " ".join((*noun[:-1], singular(noun[-1]))), place, bool(points))


def at_is_named(p: Parser) -> Command | None:
    """ "on the desk is a lamp, not a vase", "on the desk you see a lamp"."""
    p.skip_posture()
    place = _place(p)
    p.take(",")
    if place is None or not p.take(*_THERE_IS):
        return None
    skip_truly(p)
    return _named(p, label_of(p), place, False) if p.take("a", "an") else None


def has_named_on_it(p: Parser) -> Command | None:
    """ "the desk has a lamp on it, not a vase"."""
    anchor = p.reference()
    if not p.take("has", "holds", "carries"):
        return None
    skip_truly(p)
    if not p.take("a", "an"):
        return None
    noun = p.noun_words()
    if not noun or not p.take(*_ON_IT) or not isinstance(anchor, NounPhrase):
        return None
    return _named(p, " ".join(noun), Related("on", (anchor,)), False)


def _place(p: Parser) -> Related | None:
    try:
        given = p.condition()
    except ReasoningError:
        return None
    if not isinstance(given, Related) or given.negated or len(given.anchors) != 1:
        return None
    return given if isinstance(given.anchors[0], NounPhrase) else None


def _named(p: Parser, label: str, place: Related, points: bool) -> Command | None:
    """What was taken for another thing, where that is said or pointed at; else it may be news."""
    p.take(",")
    wrong = ""
    if p.take("not", "and not", "instead of", "rather than", "but not"):
        p.take("a", "an", "the")
        wrong = " ".join(p.noun_words())
    if wrong or points:
        return Rename(NounPhrase(wrong, True, conditions=(place,)), label)
    return IsAt(NounPhrase("", True, conditions=(place,)), label)
