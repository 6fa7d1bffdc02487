"""Corrections of what is one thing and what is several."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import another, is_number, references
from scenemind.reasoning.symbolic.command_syntax import Command, Merge
from scenemind.reasoning.symbolic.denials import skip_contrast, skip_denial, skip_truly
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase, ObjectNumber, Reference
from scenemind.words.english import find_number, normal

_JOIN = ("merge", "join", "unite", "combine", "fuse", "unify", "group", "put", "treat", "count")
_INTO_ONE = ("together", "into one", "as one", "into a single", "as a single", "to one", "up")
_ROBOT = ("you have", "you must have", "you are", "you keep", "you", "the robot has", "the robot")
_COUNTED = (
    "counted", "count", "counting", "saw", "see", "seeing", "seen", "detected", "have", "listed",
    "got", "recorded", "mapped", "marked", "showing", "show", "put", "found", "registered",
    "added", "included", "labelled", "labeled", "list",
)  # fmt: skip
_PARTED = ("split", "cut", "divided", "broken", "broke", "separated", "turned", "made", "taken")
_TWICE = (
    "twice", "two times", "double", "as two things", "as two objects", "as two", "for two",
    "into two things", "into two objects", "into two parts", "into two", "in two", "in half",
)  # fmt: skip
_ONE = (
    "one and the same", "exactly the same", "the very same", "the same", "a single", "one single",
    "just one", "only one", "part of the same", "part of one", "parts of the same",
    "parts of one", "parts of a single", "halves of the same", "halves of one",
    "halves of a single", "pieces of the same", "pieces of one", "two parts of one",
    "two parts of the same", "two halves of one", "two halves of the same", "both the same",
    "both one", "one", "same",
)  # fmt: skip
_DUPLICATES = ("duplicates of each other", "duplicates of one another", "duplicates", "a duplicate")
_OBJECT = ("object", "number")
_BELONG = (
    "belong together", "are the same thing", "go together", "should be merged", "must be merged",
    "need to be merged", "should be joined", "should be combined", "should be one",
    "are identical", "should be counted as one", "should be treated as one",
    "should be counted once",
)  # fmt: skip
_MAKE_UP = (
    "belong to", "make up", "form", "refer to", "represent", "show", "are parts of",
    "are part of", "should be", "must be", "count as", "are both", "are all",
)  # fmt: skip
_THERE_IS = (
    "there is", "here is", "it is", "this is", "that is", "i see", "we have", "there are",
    "these are", "we only have", "i only see", "there should be", "there is really",
    "there is actually",
)  # fmt: skip


def merge(p: Parser) -> Command | None:
    """ "merge object 3 and 5", "there are two tables: merge 4 and 9", "join these into one"."""
    _skip_count(p)
    if not p.take(*_JOIN):
        return None
    by_words = p.words[p.at - 1] in ("put", "treat", "count", "group")
    words = p.words
    p.cut(next((i for i in range(p.at, len(words)) if _is_at(p, i, _INTO_ONE)), len(words)))
    first = _several_marked(p) or another(p)
    subjects = references(p, first, "with", "into", "and", "to")
    if not p.done:
        return None
    p.words = words
    together = p.take(*_INTO_ONE)
    noun = " ".join(p.noun_words()) if together.endswith(("one", "single")) else ""
    if by_words and not together:
        return None
    return _merged(subjects, noun)


def same_thing(p: Parser) -> Command | None:
    """ "these are the same chair", "object 5 is a duplicate of object 3", "both belong to one
    chair"."""
    _skip_count(p)
    first = _several_marked(p) or another(p)
    subjects = references(p, first, "and")
    p.take("both", "all", "actually", "really", "clearly")
    if p.take(*_BELONG):
        _skip_one(p)
        return _merged(subjects)
    if p.take(*_MAKE_UP):
        if not p.take(*_ONE):
            return None
    else:
        if not p.take_of(lexicon.BE):
            return None
        p.take("all", "both")
        skip_truly(p)
        skip_denial(p)
        if p.take(*_DUPLICATES):
            return _merged(references(p, *subjects, "as") if p.take("of") else subjects)
        if is_number(p.peek()) or (p.peek() in _OBJECT and is_number(p.peek(1))):
            return _merged(references(p, *subjects, "as"))  # "4 is just 9 again"
        if not p.take(*_ONE):
            return None
    noun = " ".join(p.noun_words())
    if p.take("as"):
        subjects = references(p, *subjects, "as")
    p.take("seen twice", "twice", "counted twice")
    _skip_how(p)
    skip_contrast(p)
    return _merged(subjects, noun)


def counted_twice(p: Parser) -> Command | None:
    """ "you counted one chair twice: 4 and 9", "you have split this chair into two"."""
    if not p.take(*_ROBOT) or not p.take(*_COUNTED, *_PARTED):
        return None
    twice = next((i for i in range(p.at, len(p.words)) if _is_at(p, i, _TWICE)), 0)
    if not twice:
        return None
    words = p.words
    p.cut(twice)
    p.take("the same", "one and the same", "a single", "one", "what is one", "this one", "that one")
    noun = "" if p.done else _noun_of(p.reference())
    ends_there = p.done
    p.words, p.at = words, twice
    if not ends_there or not p.take(*_TWICE):
        return None
    p.take(*lexicon.ANYTHING)
    p.noun_words()
    p.take(":", ",")
    p.take("as", "namely", "once as", "it is", "they are", "with")
    return _merged([Marked()] if p.done else references(p, "and"), noun)


def only_one(p: Parser) -> Command | None:
    """ "there is only one chair (here)": of the things that are marked."""
    if not p.take(*_THERE_IS):
        return None
    is_only = bool(p.take("only", "just"))
    skip_truly(p)
    if not p.take("one", "a single", "1"):
        return None
    noun = " ".join(p.noun_words())
    is_only |= bool(p.take("only"))
    is_only |= bool(p.take("here", "there"))
    denied = p.at
    skip_contrast(p)
    if not noun or not (is_only or p.at > denied):
        return None
    return _merged([Marked()], noun)


def one_fragment(p: Parser) -> Command | None:
    """ "one chair, not two", "the same chair"."""
    is_said = p.take("only one", "just one", "the same", "same", "a single", "one and the same")
    if not is_said and not p.take("one"):
        return None
    noun = " ".join(p.noun_words())
    denied = p.at
    skip_contrast(p)
    return _merged([Marked()], noun) if noun and (is_said or p.at > denied) else None


def _merged(subjects: list[Reference], noun: str = "") -> Merge | None:
    """None for what can be no more than one thing."""
    only = subjects[0] if len(subjects) == 1 else None
    if isinstance(only, ObjectNumber) or (only is not None and _is_anything(only)):
        return None
    return Merge(tuple(subjects), "" if noun in lexicon.ANYTHING else noun)


def _is_anything(reference: Reference) -> bool:
    """ "everything": not what anybody would mean by one thing."""
    return isinstance(reference, NounPhrase) and not (reference.noun or reference.conditions)


def _noun_of(reference: Reference) -> str:
    noun = reference.noun if isinstance(reference, NounPhrase | Marked) else ""
    return normal(noun)


def _is_at(p: Parser, place: int, phrases: Sequence[str]) -> bool:
    """One of the phrases stands at a place."""
    return any(p.words[place : place + len(t)] == t for t in (tuple(w.split()) for w in phrases))


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


def _several_marked(p: Parser) -> Reference | None:
    """ "these two", "both of these", "the two objects that I marked"."""
    start = p.at
    p.take("both of", "all of", "the two of")
    pointed = p.take("these", "those", "they", "them", "the")
    counted = p.take("two", "three", "all", "both")
    is_open = start < p.at - 1 or _ends_here(p)
    if pointed and (counted or (is_open and pointed != "the")):
        p.take("of them", "of these", "of those")
        p.take("marked", "selected")
        p.take("objects", "things", "items", "ones", "boxes", "marks", "detections", "entries")
        if p.take("i marked", "i clicked on", "i clicked", "i selected") or _ends_here(p):
            return Marked()
    p.at = start
    return None


def _skip_how(p: Parser) -> None:
    """Over "(one chair) that you have split into two"."""
    start = p.at
    p.take("that", "which")
    if not (p.take(*_ROBOT) and p.take(*_COUNTED, *_PARTED) and p.take(*_TWICE)):
        p.at = start


def _ends_here(p: Parser) -> bool:
    ends = lexicon.NOUN_END | {
        "",
        ",",
        "together",
        "into",
        "as",
        "up",
        "with",
        "belong",
        "make",
        "form",
    }
    return p.peek() in ends | {"refer", "represent", "show", "actually", "really", "both"}
