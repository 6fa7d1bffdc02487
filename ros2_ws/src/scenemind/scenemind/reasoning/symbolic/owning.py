"""Whose things are: claims, and questions."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import subject_of
from scenemind.reasoning.symbolic.command_syntax import Command, SetAttribute
from scenemind.reasoning.symbolic.denials import skip_truly
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import (
    AskAttribute,
    HasAttribute,
    ListObjects,
    NounPhrase,
    Question,
    Verify,
)
from scenemind.words.english import word_set

# Of who speaks; whoever writes it down knows who that is.
SPEAKER = "me"
_MINE = word_set("mine me i")
_LONGEST_NAME = 3
_NO_NAMES = (
    lexicon.NOUN_END | lexicon.BE | word_set(", ; : nobody no none who whoever somebody everybody")
)


def owned(p: Parser) -> Command | None:
    """ "the white cup belongs to Anna", "it is Anna's", "this is mine", "Anna owns the cup"."""
    owner_first = _owner_of_verb(p)
    if owner_first:
        return SetAttribute(subject_of(p), "owner", owner_first)
    subject = subject_of(p)
    if p.take("belongs to", "belong to", "is owned by", "are owned by"):
        return SetAttribute(subject, "owner", _name(p))
    if not p.take_of(lexicon.BE):
        return None
    skip_truly(p)
    if p.take("mine"):
        return SetAttribute(subject, "owner", SPEAKER)
    return SetAttribute(subject, "owner", _name(p)) if _is_possessive(p) else None


def whose(p: Parser) -> Question | None:
    """ "whose is the cup", "who owns it", "who does the cup belong to"."""
    if p.take("whose"):
        if p.take_of(lexicon.BE):
            return AskAttribute(p.reference(), "owner")
        noun = p.reference()
        if not p.take_of(lexicon.BE):
            return None
        return AskAttribute(noun if p.done else p.reference(), "owner")
    if p.take("who owns", "who is the owner of", "who has"):
        return AskAttribute(p.reference(), "owner")
    if p.take("who does", "who do", "whom does", "whom do"):
        subject = p.reference()
        return AskAttribute(subject, "owner") if p.take("belong to", "belong") else None
    if p.take("to whom does", "to whom do"):
        subject = p.reference()
        return AskAttribute(subject, "owner") if p.take("belong") else None
    return None


def belongings(p: Parser) -> Question | None:
    """ "what belongs to Anna", "which cup is Anna's"."""
    if not p.take("what", "which"):
        return None
    if p.take("does", "do"):
        name = _name(p)
        return _belonging("", name) if p.take("own", "have") else None
    noun = "" if p.peek() in ("belongs", "belong", "is", "are") else " ".join(p.noun_words())
    noun = "" if noun in lexicon.ANYTHING else noun
    if p.take("belongs to", "belong to"):
        return _belonging(noun, _name(p))
    if p.take("is", "are") and _is_possessive(p):
        return _belonging(noun, _name(p))
    return None


def is_owned(p: Parser) -> Question | None:
    """ "does the cup belong to Anna", "is the cup Anna's"."""
    if p.take("does", "do"):
        subject = p.reference()
        if not p.take("belong to"):
            return None
        return Verify(subject, HasAttribute("owner", _name(p).lower()))
    return None


def _belonging(noun: str, name: str) -> Question:
    return ListObjects(NounPhrase(noun, conditions=(HasAttribute("owner", name.lower()),)))


def _owner_of_verb(p: Parser) -> str:
    """ "Anna" of "Anna owns the cup"; empty for another sentence."""
    verb = p.words.index("owns") if "owns" in p.words else 0
    if not 0 < verb <= _LONGEST_NAME:
        return ""
    words, p.words = p.words, p.words[:verb]
    name = _name(p)
    p.words = words
    p.at = verb + 1
    return name


def _is_possessive(p: Parser) -> bool:
    """The last word of the sentence is written "Anna's", though the ending is gone by now."""
    last = len(p.words) - 1
    if not p.at <= last < p.at + _LONGEST_NAME:
        return False
    token = p.tokens[last]
    after = p.text[token.start + len(token.word) :]
    return after.replace("\u2019", "'").startswith(("'s", "s'")) or (
        token.word.endswith("s") and after.startswith(("'", "\u2019"))
    )


def _name(p: Parser) -> str:
    """A person's, as it was written.

    Raises:
        ReasoningError: there is none, or it is too long for one.
    """
    p.take("the", "my", "our", "your")
    start = p.at
    while p.peek() and p.peek() not in _NO_NAMES and p.at - start < _LONGEST_NAME:
        if not p.peek()[0].isalnum():
            raise p.fail()
        p.at += 1
    if p.at == start:
        if p.take_of(_MINE):
            return SPEAKER
        raise p.fail()
    if p.at - start == 1 and p.words[start] in _MINE:
        return SPEAKER
    tokens = p.tokens[start : p.at]
    return " ".join(p.text[t.start : t.start + len(t.word)] for t in tokens)
