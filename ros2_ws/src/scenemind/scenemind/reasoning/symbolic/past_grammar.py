"""Questions about the past: where something was, when it was seen, what changed."""

from __future__ import annotations

from collections.abc import Callable

from scenemind.memory.history import ChangeKind
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.moments import SaidMoment, find_moment
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import (
    Changed,
    NounPhrase,
    Question,
    WhenSeen,
    WhereAt,
)

# "What was added": the kinds of `memory.history` that people call so.
_KINDS: dict[str, tuple[ChangeKind, ...]] = {
    "moved": ("moved",),
    "displaced": ("moved",),
    "added": ("added", "new"),
    "new": ("added", "new"),
    "brought": ("added", "new"),
    "appeared": ("added", "new"),
    "removed": ("removed", "missing"),
    "gone": ("removed", "missing"),
    "missing": ("removed", "missing"),
    "disappeared": ("removed", "missing"),
    "vanished": ("removed", "missing"),
    "changed": (),
    "different": (),
}
_BEEN = ("has been", "have been", "had been", "was", "were", "is", "are", "has", "have", "did")
_ROOM = ("in the room", "in this room", "in here", "here", "in the scene", "around here")


def where_at(p: Parser) -> Question | None:
    """ "where was the cup at 10:05"."""
    if not p.take("where was", "where were", "where had", "where did you see"):
        return None
    said = _cut_moment(p)
    if said is None or said.moment is None:
        return None
    subject = p.reference()
    p.take("been")
    p.take_of(lexicon.POSTURES)
    return WhereAt(subject, said.moment)


def when_seen(p: Parser) -> Question | None:
    """ "when did you last see the cup", "when was the cup first seen"."""
    if not p.take("when"):
        return None
    if p.take("did you", "have you", "did the robot", "did we", "did i"):
        order = p.take("last", "first")
        if not p.take("see", "seen", "notice", "observe"):
            return None
        subject = p.reference()
        order = order or p.take("last", "first", "the last time", "for the first time")
        return WhenSeen(subject, "first" in order)
    if not p.take_of(lexicon.BE) or not p.cut_ending("seen", "observed", "noticed"):
        return None
    order = p.cut_ending("last", "first")
    return WhenSeen(p.reference(), order == "first")


def changed(p: Parser) -> Question | None:
    """ "what changed since 10:05", "what was moved", "has the cup moved"."""
    since = _cut_moment(p)
    moment = since.moment if since is not None else None
    if p.take("what", "which things", "which objects", "what things"):
        return _with_kind(p, lambda kinds: Changed(kinds, moment))
    if not p.take("has", "have", "was", "were", "did", "is"):
        return None
    if p.take("anything", "something", "any object", "any objects", "things", "any thing"):
        return _with_kind(p, lambda kinds: Changed(kinds, moment))
    if not p.cut_ending("been moved", "moved", "move"):
        return None
    subject = p.reference()
    if isinstance(subject, NounPhrase) and not subject.noun:
        return None
    return Changed(("moved",), moment, subject)


def _with_kind(p: Parser, made: Callable[[tuple[ChangeKind, ...]], Changed]) -> Changed | None:
    p.take(*_BEEN)
    word = p.take(*_KINDS, "change", "move")
    if not word:
        return None
    p.take(*_ROOM)
    return made(_KINDS.get(word, _KINDS["moved"] if word == "move" else ()))


def _cut_moment(p: Parser) -> SaidMoment | None:
    """The moment at the sentence's end, which is then not to be read again."""
    said = find_moment(p.words)
    if said is not None:
        p.cut(said.start)
    return said
