"""Of what a correcting sentence speaks, and what it denies before or after it says what is so."""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_syntax import Several, Subject
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import (
    Condition,
    Marked,
    NounPhrase,
    ObjectNumber,
    Reference,
    Related,
)
from scenemind.words.english import find_number, normal, plural

_WHAT = ("what", "the thing", "the object", "the one", "that thing", "that object")
_TAKEN_FOR = (
    "call", "called", "name", "named", "label", "labelled", "labeled", "take for", "took for",
    "see as", "saw as", "think is", "thought was", "believe is", "recognise as", "recognised as",
    "recognize as", "recognized as", "identified as", "have as", "list as",
)  # fmt: skip
_SO = ("it is", "this is", "that is", "they are", "these are", "those are")
_TRULY = (
    "actually", "really", "in fact", "in truth", "in reality", "truly", "definitely", "clearly",
    "of course", "now",
)  # fmt: skip
_POINTED_AT = (
    "marked", "mark", "clicked on", "clicked", "click on", "selected", "select", "pointed at",
    "point at", "mean",
)  # fmt: skip


def subject_of(p: Parser) -> Subject:
    """ "the cup", "objects 2, 3 and 7", "what you call a cup", "what is on the table", "every
    chair".

    Raises:
        ReasoningError: nothing of the kind.
    """
    if _skip_pointed_at(p):
        return Marked()
    if _skip_taken_for(p):
        p.take("a", "an", "the")
        return _definite(p.reference())
    if p.take("what is", "what stands", "what lies"):
        given = p.condition()
        if isinstance(given, Related):
            return NounPhrase("", True, conditions=(given,))
        raise p.fail()
    is_every = p.peek() in ("every", "each")
    subject = several(p)
    if p.peek() in ("here", "there") and p.peek(1) in lexicon.NOUN_END:
        p.at += 1
    if is_every and isinstance(subject, NounPhrase):
        return replace(subject, noun=plural(subject.noun))
    return subject


def _skip_pointed_at(p: Parser) -> bool:
    """Over "the thing I marked"."""
    start = p.at
    if p.take(*_WHAT):
        p.take("that", "which")
        if p.take("i", "i have") and p.take(*_POINTED_AT):
            return True
    p.at = start
    return False


def _skip_taken_for(p: Parser) -> bool:
    """Over "what you call" and the like."""
    start = p.at
    if p.take(*_WHAT):
        p.take("that", "which")
        if p.take("you", "the robot") and p.take(*_TAKEN_FOR):
            return True
    p.at = start
    return False


def several(p: Parser) -> Reference | Several:
    """ "the cup", "object 3", "chairs 2, 3 and 7", "4 and 9"."""
    if is_number(p.peek()) and p.peek(1) in lexicon.NOUN_END | {","}:
        first: Reference = another(p)
    else:
        first = p.reference()
    if not isinstance(first, ObjectNumber):
        return first
    numbers = [n for n in references(p, first, "and") if isinstance(n, ObjectNumber)]
    if len(numbers) == 1:
        return first
    return Several(tuple(replace(n, noun=normal(n.noun or first.noun)) for n in numbers))


def references(p: Parser, *first: Reference | str) -> list[Reference]:
    """ "object 3 and 5", "objects 3, 5 and 7", "the cup and the mug".

    Args:
        first: references that were read already, then the words that may stand before another.
    """
    found = [item for item in first if not isinstance(item, str)] or [another(p)]
    between = [item for item in first if isinstance(item, str)] or ["and"]
    if between == ["as"]:
        return [*found, another(p)]
    while p.take(",", *between):
        p.take("and")
        found.append(another(p))
    return found


def another(p: Parser) -> Reference:
    """A bare number counts too."""
    if is_number(p.peek()):
        number = ObjectNumber(int(p.peek()[:9]))
        p.at += 1
        return number
    return p.reference()


def is_number(word: str) -> bool:
    """In figures."""
    return word.isascii() and word.isdigit()


def skip_truly(p: Parser) -> None:
    """ "actually", which changes nothing."""
    while p.take(*_TRULY):
        pass


def skip_denial(p: Parser) -> None:
    """ "not a microwave, it is" and "not red but", where what is so follows; else no move."""
    start = p.at
    if not p.take("not") or not _skip_said(p):
        p.at = start
        return
    comma, but = p.take(",", ":", ";"), p.take("but")
    if not (p.take(*_SO) or but or comma) or p.done:
        p.at = start
        return
    skip_truly(p)


def skip_contrast(p: Parser) -> None:
    """ ", not a microwave", "rather than red", ", not two": said for the ear."""
    start = p.at
    p.take(",")
    p.take("and")
    if not p.take("not", "instead of", "rather than") or not _skip_said(p):
        p.at = start


def _skip_said(p: Parser) -> bool:
    """Over a colour, a quality, a number or a thing."""
    if p.find_attribute() or p.find_quality():
        return True
    if find_number(p.peek()) is not None and p.peek(1) in ("", ",", "but"):
        p.at += 1
        return True
    try:
        p.reference()
    except ReasoningError:
        return False
    return True


def _definite(reference: Reference) -> Reference:
    return replace(reference, definite=True) if isinstance(reference, NounPhrase) else reference


def is_bare(reference: Reference, *conditions: Condition) -> bool:
    """A noun and nothing else that would tell which one."""
    return isinstance(reference, NounPhrase) and reference == NounPhrase(
        reference.noun, reference.definite, conditions=conditions
    )
