"""Corrections of what is one thing and what is several, and of corrections themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import (
    another,
    references,
    skip_contrast,
    skip_denial,
    skip_truly,
)
from scenemind.reasoning.symbolic.command_syntax import (
    Agree,
    AskSimilar,
    Command,
    Confirm,
    DoSimilar,
    Merge,
    Redo,
    SetAttribute,
    Split,
    Undo,
)
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase, ObjectNumber, Reference
from scenemind.words.english import find_number, is_plural, normal, plural

_MOST_PARTS = 4
_IN_PARTS = {
    f"{into} {count}{things}": number
    for number, words in ((2, ("two", "2", "half")), (3, ("three", "3")), (4, ("four", "4")))
    for count in words
    for into in ("in", "into")
    for things in ("", " parts", " pieces", " things", " objects")
}
_PIECES = lexicon.ANYTHING | {"pieces", "parts"}
_THAT = ("that", "it", "this", "the last one", "the last", "last", "my last", "the")
_DO = (
    "the same goes", "the same holds", "the same is true", "that goes", "that holds", "do that",
    "do this", "do the same", "do so", "apply that", "apply this", "apply it", "same", "the same",
    "that is true", "rename", "also", "what about",
)  # fmt: skip
_SIMILAR = (
    "similar ones", "similar objects", "similar things", "similar", "others like it",
    "other ones like it", "ones like it", "objects like it", "things like it", "others like that",
    "objects like that", "lookalikes", "that look the same", "ones that look the same",
    "others that look the same", "objects that look the same",
)  # fmt: skip
_CONTENT = (
    "you missed nothing", "you did not miss anything", "nothing is missing", "nothing is wrong",
    "everything is right", "everything is correct", "all is right", "that is all", "well done",
    "very good", "good", "perfect", "thanks", "thank you", "you are right",
)  # fmt: skip
_THOSE = (
    "those too", "those as well", "them too", "them as well", "these too", "do those too",
    "all of those too", "all of them too", "all of them", "all of those", "also those",
    "do that to those too", "apply it to those", "apply that to those too", "do it", "do that",
    "do so",
)  # fmt: skip


def undo(p: Parser) -> Command | None:
    """ "undo", "take back correction 3"."""
    if not p.take("undo", "revert", "take back", "take that back", "take it back"):
        return None
    return Undo(_number(p))


def redo(p: Parser) -> Command | None:
    """ "redo", "redo correction 3"."""
    return Redo(_number(p)) if p.take("redo", "reapply") else None


def agree(p: Parser) -> Command | None:
    """ "you missed nothing", "thank you": what needs no answer but a friendly one."""
    return Agree() if p.take(*_CONTENT) and (p.take("now") or p.done) else None


def ask_similar(p: Parser) -> Command | None:
    """ "the same goes for the similar ones"."""
    if not p.take(*_DO):
        return None
    p.take("rename", "for", "to", "with", "of")
    p.take("all", "every")
    p.take("of")
    p.take("the", "other")
    if not p.take(*_SIMILAR):
        return None
    if not p.done and not p.take("too", "as well", "also"):
        p.reference()
    return AskSimilar()


def do_similar(p: Parser) -> Command | None:
    """ "those too", "objects 4 and 9 too" (a "yes" before it was taken off)."""
    start = p.at
    if p.take(*_DO) and p.take("for", "to", "of", "with"):
        return _numbered(references(p))
    p.at = start
    if p.take(*_THOSE):
        return DoSimilar()
    numbers = references(p)
    return _numbered(numbers) if p.take("too", "as well", "also") else None


def merge(p: Parser) -> Command | None:
    """ "merge object 3 and 5", "these are the same chair", "object 5 is the same as object 3",
    "there are two tables: merge 4 and 9", "you counted one chair twice: 4 and 9"."""
    _skip_count(p)
    if p.take("you counted", "you have counted", "you count", "you saw", "you see"):
        noun = p.reference()
        p.take(":", ",")
        if not isinstance(noun, NounPhrase) or not noun.noun.endswith(" twice"):
            return None
        return Merge(tuple(references(p)), normal(noun.noun.removesuffix(" twice")))
    ordered = bool(p.take("merge", "join", "unite", "combine"))
    first = _two_of(p) or another(p)
    if ordered:
        subjects, noun_said = references(p, first, "with", "into", "and"), ""
    else:
        subjects = references(p, first, "and")
        if p.take("belong together", "are the same thing"):
            _skip_one(p)
            return Merge(tuple(subjects))
        if not p.take_of(lexicon.BE):
            return None
        p.take("actually", "really", "all", "both", "in fact", "just", "only")
        skip_denial(p)
        if not p.take("the same", "one and the same", "a single", "one"):
            return None
        noun_said = " ".join(p.noun_words())
        if p.take("as"):
            subjects = references(p, *subjects, "as")
        skip_contrast(p)
    if len(subjects) == 1 and isinstance(subjects[0], ObjectNumber):
        return None
    return Merge(tuple(subjects), "" if noun_said in lexicon.ANYTHING else noun_said)


def split(p: Parser) -> Command | None:
    """ "object 3 is two chairs", "split object 3 in two", "there are two chairs here"."""
    if p.take("split", "divide", "separate"):
        ending = p.cut_ending(*_IN_PARTS)
        if ending:
            return Split(p.reference(), _IN_PARTS[ending])
        into = max((i for i, word in enumerate(p.words) if word in ("into", "in")), default=0)
        if into:
            words = p.words
            p.cut(into)
            subject = another(p)
            p.words, p.at = words, into + 1
            return _parts(p, subject)
        return Split(p.reference())
    if p.take("there are", "here are", "i see", "we see"):
        p.take("actually", "really")
        here = _parts(p, Marked()) if find_number(p.peek()) else None
        if here is not None and p.take("where you see", "where you have"):
            return replace(here, subject=another(p))
        return here if p.take("here", "there") or p.words[0] == "here" else None
    p.cut_ending("side by side", "next to each other", "beside each other")
    subject = another(p)
    if not p.take_of(lexicon.BE):
        return None
    skip_truly(p)
    denied = p.peek() == "not"
    skip_denial(p)
    count = find_number(p.peek()) or 0
    if denied and 1 < count <= _MOST_PARTS and not p.peek(1):  # "not one chair but two"
        p.at += 1
        return Split(subject, count)
    parts = _parts(p, subject) if (find_number(p.peek()) or 0) > 1 and p.peek(1) else None
    skip_contrast(p)
    return parts


def _skip_count(p: Parser) -> None:
    """ "there are two tables:", "there is only one chair there,", before what is to be done."""
    start = p.at
    if p.take("there is", "there are", "these are", "i see"):
        p.take("only", "just", "really", "actually")
        if find_number(p.peek()) is not None:
            p.at += 1
            p.noun_words()
            p.take("there", "here")
            if p.take(":", ",", "so"):
                p.take("please", "so")
                return
    p.at = start


def _skip_one(p: Parser) -> None:
    """ ", it is one window"."""
    if p.take(",", "and") and p.take("it is", "they are", "this is"):
        p.take("one", "a")
        p.noun_words()


def confirm(p: Parser) -> Command | None:
    """ "that is right", "confirm object 4", "object 4 really is a cup"."""
    if p.take("confirm", "keep"):
        return Confirm(p.reference())
    subject = p.reference()
    if p.take("really exists", "does exist", "really is there", "exists", "is really there"):
        return Confirm(subject)
    if p.take("really is", "really are", "is indeed", "are indeed"):
        p.take("a", "an")
        noun = p.reference()
        return Confirm(subject, noun.noun) if isinstance(noun, NounPhrase) else None
    if not p.take_of(lexicon.BE):
        return None
    return Confirm(subject) if p.take("right", "correct", "true", "there", "real") else None


def forget_attribute(p: Parser) -> Command | None:
    """ "forget its colour", "remove the material of object 4"."""
    if not p.take("forget", "remove", "delete", "drop", "clear", "erase"):
        return None
    p.take("the", "its", "their")
    key = lexicon.ATTRIBUTE_NAMES.get(p.peek())
    if key is not None:
        p.at += 1
        subject: Reference = Marked()
        if p.take("of"):
            subject = p.reference()
        return SetAttribute(subject, key, "")
    key = lexicon.ATTRIBUTE_NAMES.get(p.words[-1])
    if key is None:
        return None
    p.cut(len(p.words) - 1)
    return SetAttribute(p.reference(), key, "")


def _number(p: Parser) -> int | None:
    p.take(*_THAT)
    p.take("correction", "change", "edit")
    if not (p.peek().isascii() and p.peek().isdigit()):
        return None
    number = int(p.peek()[:9])
    p.at += 1
    return number


def _numbered(references: Sequence[Reference]) -> DoSimilar | None:
    numbers = [n for n in references if isinstance(n, ObjectNumber) and not n.noun]
    if not numbers or len(numbers) < len(references):
        return None
    return DoSimilar(tuple(n.object_id for n in numbers))


def _two_of(p: Parser) -> Reference | None:
    """ "these two"."""
    start = p.at
    if p.take("these", "those", "they") and p.take("two", "three", "all", "both"):
        p.take("objects", "things")
        return Marked()
    p.at = start
    return None


def _parts(p: Parser, subject: Reference) -> Split | None:
    """ "two chairs", but not "2 m wide" or "two chairs wide"."""
    count = find_number(p.peek()) or 0
    if not 2 <= count <= _MOST_PARTS:
        return None
    p.at += 1
    p.take("different", "separate", "distinct")
    noun = p.noun_words()
    if not noun or not (is_plural(noun[-1]) or noun[-1] == plural(noun[-1])):
        return None
    words = " ".join(noun)
    return Split(subject, count, "" if words in _PIECES else words)
