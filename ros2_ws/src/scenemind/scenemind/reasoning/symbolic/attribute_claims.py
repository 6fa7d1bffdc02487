"""Claims and orders about how a thing is: colour, material, shape, state."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import is_said_so, subject_of
from scenemind.reasoning.symbolic.command_syntax import Command, SetAttribute, Subject
from scenemind.reasoning.symbolic.denials import skip_contrast, skip_denial, skip_truly
from scenemind.reasoning.symbolic.labels import label_of
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import HasAttribute, Marked, Reference
from scenemind.reasoning.symbolic.values import find_value
from scenemind.words.english import word_set

_MADE = word_set("made built constructed manufactured crafted fabricated composed carved formed")
_OF = ("out of", "of", "from", "with", "in")
_WHOLLY = (
    "entirely", "completely", "mostly", "fully", "wholly", "mainly", "purely", "only", "all",
    "actually", "really", "up",
)  # fmt: skip
_LOOKS = ("looks to be", "seems to be", "appears to be", "looks", "seems", "appears")
_CHANGE = (
    "change", "set", "make", "update", "correct", "fix", "adjust", "edit", "switch", "put",
    "mark",
)  # fmt: skip
_REAL = ("right", "correct", "actual", "true", "real", "proper", "exact")
_IS_OR_SHOULD = (
    "is", "are", "should be", "should read", "should say", "must be", "ought to be", "has to be",
    "would be",
)  # fmt: skip


def set_attribute(p: Parser) -> Command | None:
    """ "the material of the chair is wood", "change the colour of the cup to red"."""
    ordered = bool(p.take(*_CHANGE))
    p.take("the", "its", "their")
    p.take(*_REAL)
    key = lexicon.ATTRIBUTE_NAMES.get(p.peek())
    if key is None:
        return None
    p.at += 1
    subject: Reference = Marked()
    if p.take("of", "for", "on"):
        subject = p.reference()
    p.take("here", "there")
    if not (p.take("to", "as", "into") if ordered else p.take(*_IS_OR_SHOULD, ",")):
        return None
    return _valued(p, subject, key)


def own_attribute(p: Parser) -> Command | None:
    """ "the couch's colour is blue", "change the couch's colour to blue": the possessive ending is
    gone by now."""
    ordered = bool(p.take(*_CHANGE))
    ends = ("to", "as") if ordered else ("is", "are", "should", "must", "ought", "has", "would")
    verb = next((i for i, word in enumerate(p.words) if word in ends), 0)
    key = lexicon.ATTRIBUTE_NAMES.get(p.words[verb - 1]) if verb > p.at + 1 else None
    if key is None:
        return None
    words = p.words
    p.cut(verb - 1 - (words[verb - 2] in _REAL))
    subject = Marked() if p.take("its", "their") else p.reference()
    if not p.done:
        return None
    p.words = words
    p.at = verb
    is_said = p.take("to", "as") if ordered else p.take(*_IS_OR_SHOULD)
    return _valued(p, subject, key) if is_said else None


def has_attribute(p: Parser) -> Command | None:
    """ "the chair has a black colour", "it has the shape of a box"."""
    subject = subject_of(p)
    if not p.take("has got", "has", "have", "is of", "is in"):
        return None
    p.take("a", "an", "the")
    key = lexicon.ATTRIBUTE_NAMES.get(p.peek())
    if key is not None:
        p.at += 1
        return _valued(p, subject, key)
    key = lexicon.ATTRIBUTE_NAMES.get(p.words[-1])
    if key is None:
        return None
    p.cut(len(p.words) - 1)
    return _valued(p, subject, key)


def claim_attribute(p: Parser) -> Command | None:
    """ "object 12 is grey", "the cup is made of glass", "it is not red but orange"."""
    subject = subject_of(p)
    if p.take("consists of", "consist of"):
        return SetAttribute(subject, "material", label_of(p))
    was_made = p.peek() in ("was", "were") and p.peek(1) in _MADE
    if not was_made and not is_said_so(p) and not p.take(*_LOOKS):
        return None
    p.at += was_made
    skip_truly(p)
    denies_material = p.peek(1) in _MADE
    skip_denial(p)
    if _take_made_of(p) or (denies_material and p.take("of", "from")):
        return SetAttribute(subject, "material", _valued_label(p))
    given = find_value(p)
    if given is None:
        said = p.condition(adjectives=True)
        if not isinstance(said, HasAttribute) or said.negated:
            return None
        given = said
    skip_contrast(p)
    return SetAttribute(subject, given.key, given.value)


def make(p: Parser) -> Command | None:
    """ "make this grey", "mark the cup as blue"."""
    if not p.take("paint", "color", "colour", "record", "list", "note", "register",
                  "describe", "consider", "i painted", "we painted", *_CHANGE):  # fmt: skip
        return None
    subject = subject_of(p)
    p.take("to be", "to", "as", "being")
    given = _made_of(p) or find_value(p)
    if given is None:
        return None
    skip_contrast(p)
    return SetAttribute(subject, given.key, given.value)


def valued_fragment(p: Parser) -> Command | None:
    """ "(no,) blue", "made of wood, not of glass": of what is pointed at, or was spoken of."""
    p.take("should be", "must be", "is")
    given = _made_of(p) or find_value(p)
    if given is None:
        return None
    skip_contrast(p)
    return SetAttribute(Marked(), given.key, given.value)


def _made_of(p: Parser) -> HasAttribute | None:
    if not _take_made_of(p):
        return None
    return HasAttribute("material", _valued_label(p))


def _take_made_of(p: Parser) -> bool:
    """ "made (entirely) of", "built from", "out of"."""
    start = p.at
    p.take(*_WHOLLY)
    if p.take_of(_MADE):
        while p.take(*_WHOLLY):
            if p.words[p.at - 1] == "up":  # "made up of two chairs" tells of parts
                break
        if p.words[p.at - 1] != "up" and p.take(*_OF):
            return True
    elif p.take("out of"):
        return True
    p.at = start
    return False


def _valued(p: Parser, subject: Subject, key: str) -> SetAttribute | None:
    skip_truly(p)
    skip_denial(p)
    given = find_value(p)
    if given is not None and given.key == key:
        skip_contrast(p)
        return SetAttribute(subject, key, given.value)
    if key in ("color", "size"):
        return None
    return SetAttribute(subject, key, _valued_label(p))


def _valued_label(p: Parser) -> str:
    value = label_of(p)
    skip_contrast(p)
    return value
