"""Orders and remarks about what a thing is to be called."""

from __future__ import annotations

from scenemind.reasoning.symbolic import claims, lexicon
from scenemind.reasoning.symbolic.attribute_claims import valued_fragment
from scenemind.reasoning.symbolic.command_subjects import subject_of
from scenemind.reasoning.symbolic.command_syntax import Command, Rename, Subject
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase

_CALL = (
    "rename", "relabel", "label", "call", "i call", "we call", "i would call", "we would call",
    "people call", "correct", "name", "i would name", "retag", "reclassify", "everyone calls",
    "we usually call", "i usually call", "we use",
)  # fmt: skip
# What needs an "as": "mark this as a stool".
_RECORD = (
    "mark", "list", "record", "tag", "register", "save", "store", "log", "treat", "classify",
    "consider", "note", "file", "enter", "count", "remember", "refer to", "identify", "think of",
    "regard", "see", "show", "put", "update", "know", "describe", "reclassify", "store",
)  # fmt: skip
_AS = ("down as", "as being", "as", "to be")
_CHANGE = ("change", "update", "switch", "turn", "make", "set", "correct", "replace", "fix", "edit")
_TO = ("to", "into", "with", "by", "as", "from")
_NAME = (
    "name", "label", "word", "tag", "class", "category", "title", "term", "description", "answer",
)  # fmt: skip
_NAMES = tuple(
    f"{the}{true}{name}"
    for the in ("the ", "its ", "this ", "that ", "my ", "our ", "")
    for true in ("", "right ", "correct ", "real ", "true ", "proper ", "actual ", "best ")
    for name in _NAME
)
_OF = ("for", "of", "on", "here")
_IS = ("is", "should be", "would be", "must be", "ought to be", "should read", "should say", ",")
_SHOWN = (
    "i clicked on", "i clicked", "i marked", "i selected", "i pointed at", "here is",
    "i have marked", "here you see", "here we have", "i am pointing at", "i have clicked on",
    "you are looking at", "i have selected", "i am looking at", "here stands",
)  # fmt: skip
# What may tell of another thing, unless it is said where, or what it is not.
_NEWS = ("there is", "i see", "we have", "i mean", "i meant", "you should see", "there should be")
_MIXED_UP = (
    "confused", "mistook", "confuse", "took", "have confused", "have mistaken", "mixed up",
    "have taken", "are confusing", "mistake", "must have confused", "must have mistaken",
    "misidentified", "mislabelled", "mislabeled", "have mislabelled", "have mislabeled",
    "have mixed up", "misread", "mislabel",
)  # fmt: skip


def rename(p: Parser) -> Command | None:
    """ "rename the cup to mug", "I would call this a stool", "mark this as a stool"."""
    if p.take(*_CALL):
        subject = subject_of(p)
        if not p.take("to be", "to", "as", "into") and p.peek() not in ("a", "an", "the"):
            return None
        return _named(p, subject)
    if p.take(*_RECORD):
        subject = subject_of(p)
        return _named(p, subject) if p.take(*_AS) else None
    return None


def change(p: Parser) -> Command | None:
    """ "change the cup to a mug", "update the label of this to mug", "replace cup with mug"."""
    if not p.take(*_CHANGE):
        return None
    if p.take(*_NAMES):
        subject: Subject = Marked()
        if p.take(*_OF):
            subject = Marked() if p.words[p.at - 1] == "here" else subject_of(p)
    elif p.peek(p.peek() in ("the", "its")) in lexicon.ATTRIBUTE_NAMES:
        return None
    else:
        subject = _before(p, *_TO)
    return _named(p, subject) if p.take(*_TO, ",") else None


def _before(p: Parser, *ends: str) -> Subject:
    """The subject that ends before one of the words: "cup" of "(replace) cup with mug".

    Raises:
        ReasoningError: there is none.
    """
    words = p.words
    p.cut(next((i for i in range(p.at + 1, len(words)) if words[i] in ends), len(words)))
    subject = subject_of(p)
    if not p.done:
        raise p.fail()
    p.words = words
    return subject


def make(p: Parser) -> Command | None:
    """ "make this a stool"."""
    if not p.take("make", "consider"):
        return None
    subject = subject_of(p)
    return claims.is_a(p, subject) if p.take("a", "an", "the") else None


def name_is(p: Parser) -> Command | None:
    """ "the right name for this is stool", "its label should be stool"."""
    if not p.take(*_NAMES):
        return None
    subject: Subject = Marked()
    p.take("you are looking for", "you want", "you need", "you should use", "i would use")
    if p.take(*_OF) and p.words[p.at - 1] != "here":
        subject = subject_of(p)
    return _named(p, subject) if p.take(*_IS) else None


def call_this(p: Parser) -> Command | None:
    """ "call this one stool"; where a name without an article could be meant either way, the
    other reading is tried before."""
    if not p.take(*_CALL) or not p.take("this one", "that one", "this", "that", "it", "them"):
        return None
    given = valued_fragment(p)
    if given is not None:
        return given
    return _named(p, Marked())


def shown(p: Parser) -> Command | None:
    """ "here you see a stool", "there is a stool here"."""
    news = p.take(*_NEWS)
    if not news and not p.take(*_SHOWN):
        return None
    p.take("actually", "really", "only", "just")
    if not p.take("a", "an"):
        return None
    command = claims.is_a(p, Marked())
    denied = p.words[p.at - 1] != command.label.split()[-1]
    return command if p.take("here", "there") or denied or not news else None


def confused(p: Parser) -> Command | None:
    """ "you mistook a lamp for a vase": the vase is a lamp."""
    if not p.take("you") or not p.take(*_MIXED_UP):
        return None
    is_here = p.take("this", "that")
    p.take("a", "an", "the", "my", "our")
    label = " ".join(p.noun_words())
    if not label or not p.take("with", "for", "as", "and"):
        return None
    p.take("a", "an", "the")
    mistaken = p.reference()
    if is_here and isinstance(mistaken, NounPhrase):
        return Rename(Marked(mistaken.noun), label)
    return Rename(mistaken, label)


def _named(p: Parser, subject: Subject) -> Rename:
    p.take("being", "be")
    p.take("a", "an", "the", "our", "my")
    return claims.renamed(p, subject)
