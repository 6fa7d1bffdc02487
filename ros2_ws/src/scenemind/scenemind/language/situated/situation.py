"""What a situation says of the things about the asker: "sitting on the couch, facing the table"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, dropwhile, takewhile

from scenemind.language.english import read_table, word_set
from scenemind.language.shapes import Sentence, ShapeBook, Words
from scenemind.language.situated.phrases import (
    places_of,
    read_phrase,
    scanned,
    with_marks,
    words_of,
)
from scenemind.language.slots import SlotWords, one_word, rest
from scenemind.language.tokens import tokenize
from scenemind.language.trees import NounPhrase, Related, Viewer

_TABLE = read_table("scenemind.language.situated", "situation.yaml")
_ENDS, _HAVING, _NO_DOING, _NO_THINGS, _SELF = (
    word_set(_TABLE[name]) for name in ("ends", "having", "no_doing", "no_things", "self")
)
_SOME = frozenset(_TABLE["words"]["some"])
_ASKER = (Viewer(),)
# What a clue says of where its thing is.
_SAID = {"far": ("in front of",), "at": ("in front of", "near")}
_MOST_WORDS, _LONGEST_THING = 180, 20
# A dash, or the end of a sentence, is as good as a comma.
_BREAK = re.compile(r"[.!?;:](?=\s)|(?<=\s)[-\u2013\u2014](?=\s)")

ROOM = "room"
"""A thing that is looked at is the room: the asker looks to where the most of it is."""
_SIGNS = " ,;:.-\u2013\u2014"

Clue = tuple[NounPhrase, Related]
"""A thing, and how it lies to the asker: it supports them, it is in front of them."""


def split_situation(text: str) -> tuple[str, str]:
    """A sentence without what it says of the asker's place, and that; empty where it says nothing.

    "What is on my left when I'm sitting at the desk?" has the situation "I'm sitting at the desk".
    """
    tokens = tokenize(_BREAK.sub(",", text))
    found = _splits().find(Sentence(text, tokens)) if len(tokens) <= _MOST_WORDS else None
    if found is None:
        return text, ""
    starts = [*(token.start for token in tokens), len(text)]
    rest, situation = (text[starts[a] : starts[b]].strip(_SIGNS) for a, b in found)
    return rest, situation.rstrip("?!")


def read_situation(text: str) -> tuple[Clue, ...]:
    """Clues in a situation; empty where it names no thing near the asker."""
    words = words_of(text)[:_MOST_WORDS]
    scans = chain(*(scanned(book, words, _LONGEST_THING) for book in _clues()))
    found = [(of[0], _thing(_until_end(of[1]))) for *_, of in scans if of is not None]
    into_room = ("far", ROOM) in ((name, thing.noun) for name, thing in found)
    said = _SAID | ({"at": ("near",)} if into_room else {})
    clues = [
        (thing, Related(predicate, _ASKER))
        for name, thing in found
        if _is_named(thing) or (name, thing.noun) == ("far", ROOM)
        for predicate in said.get(name, (name,))
    ]
    return tuple(dict.fromkeys((*clues, *_of_marks(with_marks(words)))))


def _of_marks(marked: Words) -> Iterator[Clue]:
    """Clues of "the window is on my left" and "on my left is the window"."""
    for clause in _clauses(marked):
        before = tuple(takewhile(_is_word, clause))
        after = tuple(dropwhile(lambda word: not _is_word(word), clause[len(before) :]))
        start = max((at for at, word in enumerate(before) if word in _HAVING), default=-1)
        thing = _thing(before[start + 1 :])
        if not _is_named(thing):
            thing = _thing(_until_end(tuple(dropwhile(_SELF.__contains__, after))))
        if _is_named(thing):
            yield from ((thing, place) for place in places_of(clause))


def _clauses(words: Words) -> Iterator[Words]:
    start = 0
    for at, word in enumerate((*words, ",")):
        joins = word == "and" and words[at + 1 : at + 2] and words[at + 1] in {*_SOME, "there"}
        if joins or word in (",", "while", "with"):
            yield words[start:at]
            start = at + 1


def _is_word(word: str) -> bool:
    return word[0] != "@"


def _is_named(thing: NounPhrase) -> bool:
    words = thing.noun.split()
    return bool(words) and words[-1] not in _NO_THINGS


def _thing(words: Sequence[str]) -> NounPhrase:
    """The thing without its relations: "the chair under the table" is a chair."""
    return read_phrase([word for word in words if word not in _SELF], related=False)


def _until_end(words: Words) -> Words:
    return tuple(takewhile(lambda word: word not in _ENDS and _is_word(word), with_marks(words)))


def _clause(p: SlotWords) -> Words | None:
    words = rest(p)
    return None if "," in words else words


def _span(p: SlotWords) -> tuple[int, int]:
    """Numbers of the first word and of the one after the last."""
    start = p.at
    return start, start + len(rest(p))


def _span_of_clause(p: SlotWords) -> tuple[int, int] | None:
    is_one = "," not in p.words[p.at :]
    span = _span(p)
    return span if is_one else None


# A word such as "opening".
_DOING = one_word(lambda word: word if word.endswith("ing") and word not in _NO_DOING else None)
_ADVERB = one_word(lambda word: word if word.endswith("ly") else None)


@cache
def _clues() -> list[ShapeBook]:
    readers = {"words": rest, "clause": _clause, "doing": _DOING, "adverb": _ADVERB}
    return [
        ShapeBook(
            {"words": _TABLE["words"], "shapes": shapes},
            readers,
            lambda name, values: (name, values["thing"]),
        )
        for shapes in _TABLE["clues"]
    ]


@cache
def _splits() -> ShapeBook:
    readers = {"words": _span, "clause": _span_of_clause, "adverb": _ADVERB}
    return ShapeBook(_TABLE, readers, lambda _, said: (said["rest"], said["situation"]))
