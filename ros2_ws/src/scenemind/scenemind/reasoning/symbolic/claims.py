"""Claims that correct what a thing is and how it is."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import (
    skip_contrast,
    skip_denial,
    skip_truly,
    subject_of,
)
from scenemind.reasoning.symbolic.command_syntax import (
    Command,
    Rename,
    SetAttribute,
    Subject,
)
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import (
    HasAttribute,
    Marked,
    Reference,
)
from scenemind.words.english import find_number, is_plural, singular, with_article

_MAX_LABEL_WORDS = 5
_MADE_OF = tuple(
    f"{made}{of}"
    for made in ("made ", "built ", "")
    for of in ("out of", "of", "from")
    if made or of == "out of"
)
_SHOULD_BE = ("is", "are", "should be")
_MUST_BE = (
    "should be", "must be", "ought to be", "has to be", "have to be",
    *(f"{be} {must} to be" for be in ("is", "are") for must in ("supposed", "meant", "said")),
)  # fmt: skip
_LOOKS = ("looks to be", "seems to be", "appears to be", "looks", "seems", "appears")


def set_attribute(p: Parser) -> Command | None:
    """ "the material of the chair is wood", "change the colour of the cup to red"."""
    ordered = bool(p.take("change", "set", "make"))
    p.take("the")
    key = lexicon.ATTRIBUTE_NAMES.get(p.peek())
    if key is None:
        return None
    p.at += 1
    subject: Reference = Marked()
    if p.take("of"):
        subject = p.reference()
    p.take("here", "there")
    if not (p.take("to") if ordered else p.take(*_SHOULD_BE)):
        return None
    return _valued(p, subject, key)


def own_attribute(p: Parser) -> Command | None:
    """ "the couch's colour is blue": the possessive ending is gone by now."""
    verb = next((i for i, word in enumerate(p.words) if word in ("is", "are", "should")), 0)
    key = lexicon.ATTRIBUTE_NAMES.get(p.words[verb - 1]) if verb > 1 else None
    if key is None:
        return None
    words = p.words
    p.cut(verb - 1)
    subject = Marked() if p.take("its", "their") else p.reference()
    if not p.done:
        return None
    p.words = words
    p.at = verb
    return _valued(p, subject, key) if p.take(*_SHOULD_BE) else None


def has_attribute(p: Parser) -> Command | None:
    """ "the chair has a black colour", "it has the shape of a box"."""
    subject = subject_of(p)
    if not p.take("has", "have"):
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
        return SetAttribute(subject, "material", _label(p))
    if not p.take(*_MUST_BE, *_LOOKS) and not p.take_of(lexicon.BE):
        return None
    skip_truly(p)
    denies_material = p.peek(1) == "made"
    skip_denial(p)
    if p.take(*_MADE_OF) or (denies_material and p.take("of", "from")):
        return SetAttribute(subject, "material", _valued_label(p))
    quality = p.find_quality()
    if quality is None:
        given = p.condition(adjectives=True)
        if not isinstance(given, HasAttribute) or given.negated:
            return None
        quality = given
    skip_contrast(p)
    return SetAttribute(subject, quality.key, quality.value)


def claim_label(p: Parser) -> Command | None:
    """ "that is a toolbox", "this should be called stool", "the chairs are stools"."""
    subject = subject_of(p)
    if p.take("should be called", "is called", "is actually called", *_MUST_BE):
        p.take("a", "an", "the")
        return renamed(p, subject)
    many = p.peek() in ("are", "were")
    p.take("that", "this", "it")  # "the cup? that is a mug"
    if not p.take_of(lexicon.BE):
        return None
    skip_truly(p)
    skip_denial(p)
    if p.take("a", "an") or (many and _says_plural(p)) or _is_pair(p.peek()):
        return renamed(p, subject)
    return None


def make(p: Parser) -> Command | None:
    """ "make this grey"."""
    if not p.take("make", "set", "mark", "paint", "color", "colour"):
        return None
    subject = subject_of(p)
    p.take("to", "as")
    given = p.find_attribute() or p.find_quality()
    return SetAttribute(subject, given.key, given.value) if given else None


def fragment(p: Parser) -> Command | None:
    """ "(no,) blue", "made of wood", "a stool": of what is pointed at, or was spoken of."""
    given = p.find_attribute() or p.find_quality()
    if given is not None:
        skip_contrast(p)
        return SetAttribute(Marked(), given.key, given.value)
    return renamed(p, Marked()) if p.take("a", "an") else None


def renamed(p: Parser, subject: Subject) -> Rename:
    """With the label that follows here."""
    label = _label(p)
    skip_contrast(p)
    return Rename(subject, label)


def _says_plural(p: Parser) -> bool:
    """ "stools", but not "two stools"."""
    end = next((i for i, word in enumerate(p.words) if i > p.at and word == ","), len(p.words))
    return is_plural(p.words[end - 1]) and find_number(p.peek()) is None


def _is_pair(word: str) -> bool:
    """ "headphones", which have no article."""
    return word.isalpha() and with_article(word) == word


def _valued(p: Parser, subject: Subject, key: str) -> SetAttribute | None:
    skip_truly(p)
    skip_denial(p)
    given = p.condition(adjectives=True) if key in ("color", "size") else None
    if isinstance(given, HasAttribute):
        if given.key != key:
            return None
        skip_contrast(p)
        return SetAttribute(subject, key, given.value)
    return SetAttribute(subject, key, _valued_label(p))


def _valued_label(p: Parser) -> str:
    value = _label(p)
    skip_contrast(p)
    return value


def _label(p: Parser) -> str:
    """A person's new word: up to five words, the last in the singular.

    Raises:
        ReasoningError: none, too many, or signs that belong in no label.
    """
    words: list[str] = []
    while p.peek() and not _ends_label(p):
        if len(words) >= _MAX_LABEL_WORDS or not p.peek()[0].isalnum():
            raise p.fail()
        words.append(p.peek())
        p.at += 1
    if not words:
        raise p.fail()
    return " ".join((*words[:-1], singular(words[-1])))


def _ends_label(p: Parser) -> bool:
    """A trash can is one."""
    is_noun = p.peek() == "can" and p.peek(1) in ("", ",", "and", "not")
    return p.peek() in lexicon.NOUN_END | {",", "instead"} and not is_noun
