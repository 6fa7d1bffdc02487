"""Correcting sentences about what there is not, and what is called otherwise."""

from __future__ import annotations

from scenemind.reasoning.symbolic import claims, lexicon
from scenemind.reasoning.symbolic.command_subjects import is_bare, several, subject_of
from scenemind.reasoning.symbolic.command_syntax import Command, DeleteObject, Rename
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase
from scenemind.words.english import word_set

_NOT_REAL = word_set(
    "reflection ghost mirage shadow illusion artifact artefact mistake error duplicate"
)
_NONE = (
    "there is no", "there are no", "there is not", "there are not", "i do not see", "i see no",
    "i can not see",
)  # fmt: skip
_MADE_UP = ("you made this up", "you made that up", "you made it up", "you imagined this")
_SO = ("it is", "that is", "this is", "but", "just", "only")
_CALL = (
    "rename", "relabel", "label", "call", "i call", "we call", "i would call", "we would call",
    "you should call", "you can call", "you could call", "you may call", "people call", "correct",
)  # fmt: skip

_NAMES = tuple(
    f"the {true}{name} {of}"
    for true in ("", "right ", "correct ", "real ", "true ")
    for name in ("name", "label", "word")
    for of in ("for", "of")
)
_SHOWN = (
    "i clicked on", "i clicked", "i marked", "i selected", "i pointed at", "here is",
    "here you see", "here we have", "you see", "i see", "what you see is",
)  # fmt: skip


def delete(p: Parser) -> Command | None:
    """ "there is no window there", "delete object 4", "there is nothing here"."""
    if p.take(*_MADE_UP):
        return DeleteObject(Marked())
    if p.take("such"):  # "no such cup here": the "no" was taken for an objection
        subject = p.reference()
        if not p.take("here", "there") or not isinstance(subject, NounPhrase):
            return None
        return DeleteObject(Marked(subject.noun))
    if p.take("there is nothing", "nothing is", "i see nothing"):
        return DeleteObject(Marked()) if p.take("here", "there") or p.done else None
    if p.take(*_NONE):
        p.take("such thing as", "any", "a", "an")
        subject = p.reference()
        if p.take("here", "there") and isinstance(subject, NounPhrase) and is_bare(subject):
            return DeleteObject(Marked(subject.noun))
        return DeleteObject(subject)
    if p.take("delete", "remove", "forget", "drop", "erase"):
        return DeleteObject(several(p))
    return None


def no_but(p: Parser) -> Command | None:
    """ "there is no bowl, that is a cup"."""
    if not p.take(*_NONE):
        return None
    p.take("any", "a", "an")
    subject = p.reference()
    p.take("here", "there")
    p.take(",")
    p.take("but")
    p.take(*_SO)
    return claims.renamed(p, subject) if p.take("a", "an") else None


def not_real(p: Parser) -> Command | None:
    """ "that is a reflection", "the cup does not exist", "this is not there"."""
    subject = several(p)
    if p.take("does not exist", "do not exist"):
        return DeleteObject(subject)
    if not p.take_of(lexicon.BE):
        return None
    if p.take("not a real", "not an actual", "no real"):
        p.noun_words()
        return DeleteObject(subject)
    if p.take("gone", "not real", "not there", "not here", "not there anymore", "no longer there"):
        return DeleteObject(subject)
    p.take("just", "only")
    if p.take("a", "an") and p.take("false detection", "false positive", "mirror image"):
        return DeleteObject(subject)
    return DeleteObject(subject) if p.take_of(_NOT_REAL) else None


def confused(p: Parser) -> Command | None:
    """ "you mistook a lamp for a vase": the vase is a lamp."""
    if not p.take("you confused", "you mistook", "you confuse", "you took"):
        return None
    p.take("a", "an", "the")
    label = " ".join(p.noun_words())
    if not label or not p.take("with", "for"):
        return None
    p.take("a", "an", "the")
    return Rename(p.reference(), label)


def shown(p: Parser) -> Command | None:
    """ "here you see a stool"."""
    if not p.take(*_SHOWN) or not p.take("a", "an"):
        return None
    command = claims.renamed(p, Marked())
    p.take("here", "there")
    return command


def call_this(p: Parser) -> Command | None:
    """ "call this one stool"; where a name without an article could be meant either way, the
    other reading is tried before."""
    if not p.take(*_CALL) or not p.take("this one", "that one", "this", "that", "it"):
        return None
    given = claims.fragment(p)
    if given is not None:
        return given
    p.take("the")
    return claims.renamed(p, Marked())


def rename(p: Parser) -> Command | None:
    """ "rename the cup to mug", "I would call this a stool"."""
    if p.take(*_CALL):
        subject = subject_of(p)
        if not p.take("to", "as", "into", "a", "an", "the"):
            return None
        return claims.renamed(p, subject)
    if p.take("change"):
        if p.peek(p.peek() == "the") in lexicon.ATTRIBUTE_NAMES:
            return None
        p.take("the label of", "the name of", "label of")
        subject = p.reference()
        return claims.renamed(p, subject) if p.take("to", "into") else None
    if p.take("the label of", "the name of", *_NAMES):
        subject = p.reference()
        return claims.renamed(p, subject) if p.take("is", "should be") else None
    return None
