"""Questions about what things are like and good for."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import (
    AskAttribute,
    Attribute,
    Describe,
    HasAttribute,
    ListObjects,
    NounPhrase,
    Question,
    Related,
    Same,
    Viewer,
)
from scenemind.words.english import singular

_SOMEBODY = ("i", "you", "we", "one", "the robot", "people", "somebody", "someone", "a person")
_LONGEST_USE = 3  # words of "sit on"
# Of "made from the same material", what stands before "same".
_BEFORE_SAME = frozenset(("the", "of", "in", "from", "made", "out", "have", "has", "share", "both"))
_AND = "and"


def attribute(p: Parser) -> Question | None:
    """ "what colour is the chair", "what is the shape of the table"."""
    if not p.take("what", "which"):
        return None
    of = bool(p.take("is the", "are the"))
    key = lexicon.ATTRIBUTE_NAMES.get(p.peek())
    if key is None or key == "size":
        return None
    p.at += 1
    if of:
        return AskAttribute(p.reference(), key) if p.take("of") else None
    if p.take("do", "does"):
        subject = p.reference()
        return AskAttribute(subject, key) if p.take("have") else None
    if p.take_of(lexicon.BE):
        return AskAttribute(p.reference(), key)
    subject = p.reference()
    p.take_of(lexicon.BE)
    return AskAttribute(p.with_conditions(subject), key)


def same(p: Parser) -> Question | None:
    """ "are the shelf and the desk of the same colour", "are both doors the same colour", "is the
    shelf the same colour as the desk"."""
    if not p.take("are", "is", "do", "does", "have", "has"):
        return None
    key = _same_as(p)
    if key is None:
        return None
    first = p.reference()
    p.take("both")
    if p.done:
        return Same((first,), key)
    return Same((first, p.reference()), key) if p.take(_AND) else None


def _same_as(p: Parser) -> Attribute | None:
    """What is to be the same; these words are gone then, or an "and" for "the same colour as"."""
    for place in range(p.at, len(p.words) - 1):
        key = lexicon.ATTRIBUTE_NAMES.get(singular(p.words[place + 1]))
        if p.words[place] != "same" or key is None:
            continue
        start = place
        while start > p.at and p.words[start - 1] in _BEFORE_SAME:
            start -= 1
        rest = p.words[place + 2 :]
        if rest[:1] == ("as",):
            p.words = (*p.words[:start], _AND, *rest[1:])
            return key
        if not rest:
            p.cut(start)
            return key
    return None


def material(p: Parser) -> Question | None:
    """ "what is the chair made of", "what does it consist of"."""
    if p.take("what does", "what do"):
        subject = p.reference()
        return AskAttribute(subject, "material") if p.take("consist of") else None
    if not p.take("what is", "what are"):
        return None
    subject = p.reference()
    return AskAttribute(subject, "material") if p.take("made of", "made from", "made") else None


def use(p: Parser) -> Question | None:
    """ "what is the lamp for", "what can I do with the chair"."""
    if p.take("what can", "what could") and p.take(*_SOMEBODY):
        return AskAttribute(p.reference(), "affordance") if p.take("do with", "use") else None
    if not p.take("what is", "what are"):
        return None
    subject = p.reference()
    return AskAttribute(subject, "affordance") if p.take("used for", "good for", "for") else None


def usable(p: Parser) -> Question | None:
    """ "what can I sit on", "where can I sit", "what can I reach"."""
    if not p.take("what can", "where can", "what could", "which objects can", "which things can"):
        return None
    if not p.take(*_SOMEBODY):
        return None
    if p.take("reach"):
        return ListObjects(NounPhrase("", conditions=(Related("within reach", (Viewer(),)),)))
    said = p.words[p.at :]
    if not 1 <= len(said) <= _LONGEST_USE or said[0] not in lexicon.USES:
        return None
    p.at += len(said)
    return ListObjects(NounPhrase("", conditions=(HasAttribute("affordance", " ".join(said)),)))


def describe(p: Parser) -> Question | None:
    """ "describe the chair", "what does it look like", "tell me about object 4"."""
    if p.take("describe", "tell me about", "tell me more about", "what do you know about"):
        return Describe(p.reference())
    if not p.take("what does", "what do", "how does", "how do"):
        return None
    return Describe(p.reference()) if p.cut_ending("look like", "look") else None
