"""Claims that correct how things stand to each other."""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import subject_of
from scenemind.reasoning.symbolic.command_syntax import (
    AddRelation,
    Command,
    DeleteRelation,
    Subject,
)
from scenemind.reasoning.symbolic.denials import skip_contrast, skip_truly
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase, Related
from scenemind.words.english import word_set

_IS = word_set("is are")
_STANDS = word_set("hangs hang stands stand sits sit lies lie rests rest leans lean stays")
_FIND = (
    "you can find", "you will find", "you find", "you can see", "one can see", "you will see",
    "i can see", "i see", "i put", "i placed", "i left", "i have put", "we keep", "i keep",
)  # fmt: skip
# What a verb says of its subject.
_CARRIES: dict[str, str] = {
    "supports": "supports",
    "holds": "supports",
    "carries": "supports",
    "contains": "contains",
}
_EXACTLY = (
    "right", "directly", "just", "squarely", "firmly", "straight", "safely", "clearly", "still",
    "in fact", "actually", "really", "definitely", "only", "up", "down", "all the way",
)  # fmt: skip
_NOWHERE = ("air", "mid air", "midair", "thin air", "space", "way")
_CARRIED_BY = ("supported by", "carried by", "held up by", "held by")
_IN_THE_AIR = (
    "in the air", "in mid air", "in midair", "above it", "over it", "in thin air",
)  # fmt: skip
_UPON_IT = ("on it", "on top", "on top of it", "standing on it", "sitting on it", "on its top",
            "lying on it", "resting on it", "on its surface")  # fmt: skip


def claim_relation(p: Parser) -> Command | None:
    """ "the hanger is left of the ironing board", "the cup is not on the table"."""
    carried = _found(p) if p.take(*_FIND) else _carried(p)
    if carried is not None:
        return carried
    subject = _before_verb(p)
    if subject is None:
        subject = subject_of(p)
        if not p.take("is supposed to be", "is meant to be") and not p.take_of(_IS):
            return None
    skip_truly(p)
    if p.take(*_CARRIED_BY):
        return AddRelation(subject, "on", p.reference())
    return _related(p, subject)


def placed_fragment(p: Parser) -> Command | None:
    """ "on the desk", "standing right on top of the desk": of what is pointed at."""
    p.take("is")
    return _related(p, Marked())


def _related(p: Parser, subject: Subject) -> AddRelation | DeleteRelation | None:
    is_denied = bool(p.take("not", "no longer"))
    p.take("placed", "standing", "sitting", "lying", "resting", "located", "put", "set", "found",
           "positioned", "situated")  # fmt: skip
    while p.take(*_EXACTLY):
        pass
    given = p.condition()
    if not isinstance(given, Related) or len(given.anchors) != 1:
        return None
    anchor = given.anchors[0]
    if isinstance(anchor, NounPhrase) and anchor.noun in _NOWHERE:
        return None
    _skip_denied_place(p)
    is_denied |= given.negated
    edit = DeleteRelation if is_denied else AddRelation
    return edit(subject, given.predicate, given.anchors[0])


def _skip_denied_place(p: Parser) -> None:
    """Over ", not on the floor" and ", not above it"."""
    start = p.at
    p.take(",")
    if p.take("not", "rather than", "instead of"):
        p.take("floating", "hovering", "flying", "hanging")
        if p.take(*_IN_THE_AIR) or p.done:
            return
        try:
            p.condition()
        except ReasoningError:
            p.at = start
        return
    p.at = start
    skip_contrast(p)


def _before_verb(p: Parser) -> Subject | None:
    """The subject of "the picture hangs on the wall", where such a verb and a relation stand; the
    next word is the verb."""
    verbs = (i for i, word in enumerate(p.words) if word in _STANDS)
    verb = next(verbs, len(p.words))
    if verb == len(p.words):
        return None
    words = p.words
    stressed = verb > 1 and words[verb - 1] in ("does", "do")  # "it does stand on the table"
    p.cut(verb - stressed)
    subject = subject_of(p)
    skip_truly(p)
    ends_there = p.done
    p.words = words
    if not ends_there:
        return None
    p.at += stressed
    if not lexicon.longest(lexicon.RELATIONS, p.words, p.at)[1]:  # as in "hangs on"
        p.at += 1
    return subject


def _found(p: Parser) -> AddRelation | None:
    """ "(you can find) the lamp on the desk"."""
    subject = p.reference()
    if not isinstance(subject, NounPhrase) or not subject.conditions:
        return None
    *others, last = subject.conditions
    if not isinstance(last, Related) or last.negated or len(last.anchors) != 1:
        return None
    if not subject.definite:  # "I see a lamp on the desk" may be news
        return None
    return AddRelation(replace(subject, conditions=tuple(others)), last.predicate, last.anchors[0])


def _carried(p: Parser) -> AddRelation | None:
    """ "the desk supports the lamp"."""
    verb = next((i for i, word in enumerate(p.words) if word in _CARRIES), 0)
    if not verb:
        return None
    start, words = p.at, p.words
    p.cut(verb)
    subject = subject_of(p)
    ends_there = p.done
    p.words = words
    if not ends_there:
        p.at = start
        return None
    p.at = verb + 1
    return AddRelation(subject, _CARRIES[words[verb]], p.reference())


def has_on_it(p: Parser) -> AddRelation | None:
    """ "the desk has the lamp on it"."""
    verb = next((i for i, word in enumerate(p.words) if word in ("has", "have")), 0)
    if not verb or not p.cut_ending(*_UPON_IT):
        return None
    words = p.words
    p.cut(verb)
    subject = subject_of(p)
    ends_there = p.done
    p.words, p.at = words, verb + 1
    if not ends_there:
        return None
    above = p.reference()
    return AddRelation(above, "on", subject) if not hasattr(subject, "numbers") else None
