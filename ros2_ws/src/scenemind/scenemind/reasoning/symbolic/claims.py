"""Claims that correct what a thing is."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import is_said_so, subject_of
from scenemind.reasoning.symbolic.command_syntax import Command, IsA, OfOne, Rename, Subject
from scenemind.reasoning.symbolic.denials import skip_contrast, skip_denial, skip_truly
from scenemind.reasoning.symbolic.labels import label_of
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import HasAttribute, Marked, NounPhrase, Related
from scenemind.words.english import find_number, is_plural, with_article

_AN = ("a", "an", "the", "my", "our", "your", "his", "her", "their", "some", "just a", "one of my",
    "one of our", "one of the", "one of your",
)  # fmt: skip
_NAMED = (
    "called", "labelled as", "labeled as", "labelled", "labeled", "named", "tagged as", "tagged",
    "known as", "marked as", "listed as", "registered as", "classified as", "referred to as",
    "identified as", "described as", "recorded as", "relabelled as", "relabelled", "relabeled as",
    "relabeled", "renamed to", "renamed", "saved as", "stored as", "changed to", "shown as",
)  # fmt: skip
_LABELLED = tuple(
    f"{be}{actually} {named}"
    for be in ("should be", "must be", "ought to be", "has to be", "needs to be", "is")
    for actually in ("", " actually", " really", " better", " usually", " normally", " properly")
    for named in _NAMED
)
_READS = ("should read", "should say", "goes by the name of", "goes by", "is what we call")


def claim_label(p: Parser) -> Command | None:
    """ "that is a toolbox", "this should be called stool", "the chairs are stools"."""
    subject = subject_of(p)
    if p.take(*_LABELLED, *_READS):
        p.take("a", "an", "the")
        return renamed(p, subject)
    many = p.peek() == "are"
    p.take("that", "this", "it")  # "the cup? that is a mug"
    if not is_said_so(p):
        return None
    skip_truly(p)
    skip_denial(p)
    if p.take(*_AN) or (many and _says_plural(p)) or _is_pair(p.peek()):
        return _cleft(p, is_a(p, subject))
    return None


def pseudo_cleft(p: Parser) -> Command | None:
    """ "a toolbox is what you see there", "a toolbox is what this is"."""
    if not p.take(*_AN):
        return None
    label = label_of(p)
    if not p.take("is"):
        return None
    subject = subject_of(p)
    return Rename(subject, label) if isinstance(subject, Marked) else None


def fragment(p: Parser) -> Command | None:
    """ "a stool": of what is pointed at, or was spoken of."""
    p.take("should be", "must be", "just", "more like", "rather", "try", "is")
    return is_a(p, Marked()) if p.take("a", "an") else None


def is_a(p: Parser, subject: Subject) -> Rename | IsA:
    """With the label that follows here; of "a red cup", what it is and how it is."""
    start = p.at
    attributes: list[HasAttribute] = []
    while (given := _find_before_noun(p)) is not None:
        attributes.append(given)
    if not attributes:
        return renamed(p, subject)
    before = p.words[start : p.at]
    noun = label_of(p)
    skip_contrast(p)
    return IsA(
        subject,
        " ".join((*before, noun)),
        noun,
        tuple((given.key, given.value) for given in attributes),
    )


def renamed(p: Parser, subject: Subject) -> Rename:
    """With the label that follows here, word for word."""
    label = label_of(p)
    skip_contrast(p)
    return Rename(subject, label)


def _find_before_noun(p: Parser) -> HasAttribute | None:
    """ "red" of "red cup"; None (and no move) where no noun follows it."""
    start = p.at
    given = p.find_attribute()
    if given is None:
        length = lexicon.longest(lexicon.MATERIALS, p.words, p.at)[1]
        word = p.peek()
        if length:
            p.at += length
            given = HasAttribute("material", " ".join(p.words[start : p.at]))
        elif word in lexicon.QUALITIES and word not in ("on", "off"):
            p.at += 1
            given = HasAttribute(lexicon.QUALITIES[word], word)
    if given is not None and p.starts_noun():
        return given
    p.at = start
    return None


def _cleft(p: Parser, command: Rename | IsA) -> OfOne | None:
    """ "(it is a toolbox) that stands there", "... that stands on the table"."""
    if p.take("you are talking about", "you are looking at", "you see there", "you are seeing"):
        return command
    if command.subject != Marked() or not p.take("that", "which", "what"):
        return command
    if p.take("you see", "you are looking at", "i marked", "i clicked on", "we have", "you marked"):
        p.take("here", "there")
        return command
    p.take("is", "stands", "sits", "lies", "you see")
    if p.take("here", "there", "standing there", "standing here"):
        return command
    given = p.condition()
    if not isinstance(given, Related) or given.negated:
        return None
    place = NounPhrase("", True, conditions=(given,))
    if isinstance(command, IsA):
        return IsA(place, command.label, command.noun, command.attributes)
    return Rename(place, command.label)


def _says_plural(p: Parser) -> bool:
    """ "stools", but not "two stools"."""
    end = next((i for i, word in enumerate(p.words) if i > p.at and word == ","), len(p.words))
    return is_plural(p.words[end - 1]) and find_number(p.peek()) is None


def _is_pair(word: str) -> bool:
    """ "headphones", which have no article."""
    return word.isalpha() and with_article(word) == word
