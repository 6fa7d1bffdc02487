"""Claims that correct how things stand to each other."""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import skip_truly, subject_of
from scenemind.reasoning.symbolic.command_syntax import (
    AddRelation,
    Command,
    DeleteRelation,
    Subject,
)
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import NounPhrase, Related
from scenemind.words.english import word_set

_STANDS = word_set("hangs hang stands stand sits sit lies lie rests rest")
_FIND = ("you can find", "you will find", "you find", "you can see", "one can see")
# What a verb says of its subject.
_CARRIES: dict[str, str] = {
    "supports": "supports",
    "holds": "supports",
    "carries": "supports",
    "contains": "contains",
}


def claim_relation(p: Parser) -> Command | None:
    """ "the hanger is left of the ironing board", "the cup is not on the table"."""
    carried = _found(p) if p.take(*_FIND) else _carried(p)
    if carried is not None:
        return carried
    subject = _before_verb(p)
    if subject is None:
        subject = subject_of(p)
        if not p.take_of(lexicon.BE):
            return None
    skip_truly(p)
    given = p.condition()
    if not isinstance(given, Related) or len(given.anchors) != 1:
        return None
    edit = DeleteRelation if given.negated else AddRelation
    return edit(subject, given.predicate, given.anchors[0])


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
