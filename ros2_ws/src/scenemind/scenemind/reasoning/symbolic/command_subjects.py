"""Of what a correcting sentence speaks, and with which words it says that something is so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_syntax import Several, Subject
from scenemind.reasoning.symbolic.labels import is_no_thing
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import (
    Condition,
    Marked,
    NounPhrase,
    ObjectNumber,
    Reference,
    Related,
    Viewer,
)
from scenemind.words.english import normal, plural, word_set

_WHAT = (
    "what", "whatever", *(f"{that} {thing}" for that in ("the", "that", "this") for thing in
                          ("thing", "object", "item", "one", "part")),
)  # fmt: skip
_POINTED_AT = (
    "marked", "mark", "clicked on", "clicked", "click on", "selected", "select", "pointed at",
    "point at", "mean", "meant", "pointing at", "pointing to", "looking at", "highlighted",
    "tapped", "touched", "chose", "picked", "clicking on", "showing you", "talking about",
    "marking",
)  # fmt: skip
_ME = ("i have just", "i am", "i have", "i just", "i was", "i")
_ROBOT = (
    "you have", "you are", "you were", "you had", "you just", "you keep", "you", "the robot",
    "your map", "the map",
)  # fmt: skip
_TAKES_FOR = (
    "call", "called", "calling", "name", "named", "label", "labelled", "labeled", "labelling",
    "labeling", "take for", "took for", "taken for", "see as", "saw as", "think is",
    "thought was", "thought is", "believe is", "think was", "assume is", "assumed is",
    "assumed was", "say is", "said is", "said was", "claim is", "recognise as", "recognised as",
    "recognize as", "recognized as", "identify as", "identified as", "have as", "have down as",
    "have labelled", "have labeled", "list as", "listed as", "mistook for", "mistake for",
    "mistaken for", "mark as", "marked as", "tag as", "tagged as", "tagged", "show as",
    "detected as", "register as", "registered as", "classified as", "describe as", "described as",
    "refer to as", "regard as", "consider", "believed was", "believe to be", "think to be",
    "thought to be", "perceive as", "perceived as", "interpreted as", "know as", "put down as",
    "misread as", "misidentified as", "mislabelled", "mislabeled", "mislabelled as",
    "mislabeled as", "confused with", "confuse with",
)  # fmt: skip
_TAKEN_FOR = (
    "called", "labelled", "labeled", "named", "marked", "listed", "tagged", "shown", "known",
    "registered", "classified", "identified", "recorded", "described", "mislabelled",
    "mislabeled", "recognised", "recognized", "detected",
)  # fmt: skip
_FOUND = (
    "see", "saw", "seen", "have", "found", "find", "detected", "detect", "spotted", "show",
    "showing", "marked", "put", "placed", "seeing", "list", "listed", "drew", "drawn", "got",
    "mapped", "added", "recorded", "noticed", "mention", "mentioned", "counted", "recognised",
    "recognized",
)  # fmt: skip
_MUST_BE = (
    "should be", "must be", "ought to be", "has to be", "have to be", "should have been",
    "would be", "has got to be", "can only be", "turns out to be", "happens to be", "needs to be",
    "is in fact", "is not anything but",
    *(f"{be} {must} to be" for be in ("is", "are") for must in ("supposed", "meant", "said")),
)  # fmt: skip
# "Some chairs are red" does not say which.
_SOME = word_set(
    "some few most many several half either neither any another other one two three four five no"
)
# No thing is called so: "combine 4 and 9".
_ORDERS = word_set(
    "merge join unite combine fuse unify group put treat count split divide separate break cut"
    " delete remove forget drop erase discard ignore rename call label make change merging"
    " combining into"
)
_POSTURES = word_set("stands sits lies rests hangs leans standing sitting lying resting hanging is")
_IS = word_set("is are be")


def subject_of(p: Parser) -> Subject:
    """ "the cup", "objects 2, 3 and 7", "what you call a cup", "what is on the table", "every
    chair".

    Raises:
        ReasoningError: nothing of the kind.
    """
    if _skip_pointed_at(p):
        return Marked()
    if _skip_taken_for(p):
        is_one = p.take("one", "a single")
        p.take("a", "an", "the")
        taken_for = as_definite(p.reference())
        if is_one and isinstance(taken_for, NounPhrase):
            return Marked(taken_for.noun)
        return taken_for
    at_place = _find_at_place(p)
    if at_place is not None:
        return at_place
    if p.peek() in _SOME:
        raise p.fail()
    is_every = p.peek() in ("every", "each")
    p.take("that so called", "the so called", "the so-called", "this so-called", "that so-called")
    subject = several(p)
    if p.peek() in ("here", "there") and p.peek(1) in lexicon.NOUN_END | {",", ""}:
        p.at += 1
    _skip_found(p)
    if is_every and isinstance(subject, NounPhrase):
        return replace(subject, noun=plural(subject.noun))
    return subject


def is_said_so(p: Parser) -> bool:
    """Move over "is", "should be" and the like; what was so is not said to be so."""
    return bool(p.take(*_MUST_BE) or p.take_of(_IS))


def _skip_pointed_at(p: Parser) -> bool:
    """Over "the thing I marked", "what you are looking at", "what we have here", "what this is"."""
    start = p.at
    if p.take(*_WHAT):
        p.take("that", "which")
        if p.take(*_ME) and p.take(*_POINTED_AT):
            p.take("here", "there")
            return True
        if p.take("we have", "you see", "we see", "you have") and p.take("here", "there"):
            return True
        if p.take("you are looking at", "this is", "that is", "you see", "you are seeing"):
            p.take("here", "there")
            if p.peek() in lexicon.BE | {""}:
                return True
        elif p.take("is here", "is there", "stands here", "stands there", "is standing there"):
            return True
    p.at = start
    return False


def _skip_taken_for(p: Parser) -> bool:
    """Over "what you call" and "the thing labelled"."""
    start = p.at
    if p.take(*_WHAT):
        p.take("that", "which")
        if any(_take_both(p, robot, _by_length(_TAKES_FOR)) for robot in _ROBOT):
            p.take("as")
            return True
        p.take("is", "was", "has been")
        if p.take(*_TAKEN_FOR):
            p.take("as")
            return p.peek() not in lexicon.BE | {""}
    p.at = start
    return False


def _find_at_place(p: Parser) -> NounPhrase | None:
    """ "What is on the table", "what you see standing on the table"."""
    start = p.at
    if p.take(*_WHAT):
        p.take("that", "which")
        p.take("you see", "you have", "you can see", "you found")
        p.take_of(_POSTURES)
        try:
            given: Condition | object = p.condition()
        except ReasoningError:
            given = None
        if isinstance(given, Related):
            return NounPhrase("", True, conditions=(given,))
    p.at = start
    return None


def _skip_found(p: Parser) -> None:
    """Over "(the lamp) that you have there"."""
    start = p.at
    p.take("that", "which")
    if any(_take_both(p, robot, _FOUND) for robot in _ROBOT):
        p.take("here", "there", "over there", "on your map", "in your map", "on the map", "in mind")
        if p.peek() in lexicon.NOUN_END | {"", ","}:
            return
    p.at = start
    p.take("in question")


def _take_both(p: Parser, first: str, phrases: Sequence[str]) -> bool:
    """Move over a phrase and one of several; not over the first alone."""
    start = p.at
    if p.take(first) and p.take(*phrases):
        return True
    p.at = start
    return False


def _by_length(phrases: tuple[str, ...]) -> list[str]:
    return sorted(phrases, key=len, reverse=True)


def several(p: Parser) -> Reference | Several:
    """ "the cup", "object 3", "chairs 2, 3 and 7", "4 and 9"."""
    if is_number(p.peek(1)):
        p.take("both")
    if is_number(p.peek()) and p.peek(1) in lexicon.NOUN_END | {",", ""}:
        first: Reference = another(p)
    else:
        first = reference_of(p)
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
    return reference_of(p)


def reference_of(p: Parser) -> Reference:
    """Whatever stands for objects here, and has the name of a thing.

    Raises:
        ReasoningError: nothing that does.
    """
    reference = p.reference()
    noun = [] if isinstance(reference, Viewer) else reference.noun.split()
    if noun and (noun[0] in _ORDERS or is_no_thing(noun)):
        raise p.fail()
    return reference


def is_number(word: str) -> bool:
    """In figures."""
    return word.isascii() and word.isdigit()


def as_definite(reference: Reference) -> Reference:
    """ "A cup" as "the cup": one that there is."""
    return replace(reference, definite=True) if isinstance(reference, NounPhrase) else reference


def is_bare(reference: Reference, *conditions: Condition) -> bool:
    """A noun and nothing else that would tell which one."""
    return isinstance(reference, NounPhrase) and reference == NounPhrase(
        reference.noun, reference.definite, conditions=conditions
    )
