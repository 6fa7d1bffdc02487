"""What a situation says of the things about the asker: "sitting on the couch, facing the table"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import dropwhile, takewhile

from scenemind.language.english import patterns_of, read_table, with_commas, word_set
from scenemind.language.loose import places_of, read_phrase, with_marks, words_of
from scenemind.language.shapes import Words
from scenemind.language.tokens import tokenize
from scenemind.language.trees import NounPhrase, Related, Viewer

_TABLE = read_table("scenemind.language", "situation.yaml")
_ENDS, _HAVING, _NO_THINGS, _SELF = (
    word_set(_TABLE[name]) for name in ("ends", "having", "no_things", "self")
)
_ASKER = (Viewer(),)
# What a clue says of where its thing is.
_SAID = {"far": ("in front of",), "at": ("in front of", "near")}
_MOST_WORDS = 180
_SIGNS = " ,;:.-\u2013\u2014"
_CLAUSE = re.compile(
    rf"(?<= )(?:,|while|with|and(?= (?:{_TABLE['words']['some'][0]}|there )))(?= )"
)

ROOM = "room"
"""A thing that is looked at is the room: the asker looks to where the most of it is."""
Clue = tuple[NounPhrase, Related]
"""A thing, and how it lies to the asker: it supports them, it is in front of them."""


def split_situation(text: str) -> tuple[str, str]:
    """A sentence without what it says of the asker's place, and that; empty where it says nothing.

    "What is on my left when I'm sitting at the desk?" has the situation "I'm sitting at the desk".
    """
    tokens = tokenize(with_commas(text))
    said = " ".join(token.word for token in tokens[: _MOST_WORDS + 1])
    found = next(filter(None, (shape.fullmatch(said) for shape in _splits())), None)
    if found is None or len(tokens) > _MOST_WORDS:
        return text, ""
    starts = [*(token.start for token in tokens), len(text)]
    spans = (found.span(name) for name in ("rest", "situation"))
    numbers = ((said.count(" ", 0, a), said.count(" ", 0, b) + 1) for a, b in spans)
    rest, situation = (text[starts[a] : starts[b]].strip(_SIGNS) for a, b in numbers)
    return rest, situation.rstrip("?!")


def read_situation(text: str) -> tuple[Clue, ...]:
    """Clues in a situation; empty where it names no thing near the asker."""
    words = words_of(text)[:_MOST_WORDS]
    said = f"{' '.join(words)} "
    clues = (found for clue in _clues() for found in clue.finditer(said))
    named = [(str(clue.lastgroup), _thing(_until_end(said[clue.end() :]))) for clue in clues]
    into_room = ("far", ROOM) in ((name, thing.noun) for name, thing in named)
    at = _SAID | ({"at": ("near",)} if into_room else {})
    told = [
        (thing, Related(predicate, _ASKER))
        for name, thing in named
        if _is_named(thing) or (name, thing.noun) == ("far", ROOM)
        for predicate in at.get(name, (name,))
    ]
    return tuple(dict.fromkeys((*told, *_of_marks(" ".join(with_marks(words))))))


def _of_marks(marked: str) -> Iterator[Clue]:
    """Clues of "the window is on my left" and "on my left is the window"."""
    for part in _CLAUSE.split(f" {marked} "):
        clause = part.split()
        before = tuple(takewhile(_is_word, clause))
        after = tuple(dropwhile(lambda word: not _is_word(word), clause[len(before) :]))
        start = max((at for at, word in enumerate(before) if word in _HAVING), default=-1)
        thing = _thing(before[start + 1 :])
        if not _is_named(thing):
            after = tuple(dropwhile(_SELF.__contains__, after))
            thing = _thing(_until_end(" ".join(after)))
        if _is_named(thing):
            yield from ((thing, place) for place in places_of(clause))


def _is_word(word: str) -> bool:
    return word[0] != "@"


def _is_named(thing: NounPhrase) -> bool:
    words = thing.noun.split()
    return bool(words) and words[-1] not in _NO_THINGS


def _thing(words: Sequence[str]) -> NounPhrase:
    """The thing without its relations: "the chair under the table" is a chair."""
    return read_phrase([word for word in words if word not in _SELF], related=False)


def _until_end(said: str) -> Words:
    words = with_marks(said.split())
    return tuple(takewhile(lambda word: word not in _ENDS and _is_word(word), words))


@cache
def _clues() -> list[re.Pattern[str]]:
    """Patterns of clues, with a group of the name of each."""
    found = []
    for clues in _TABLE["clues"]:
        each = patterns_of(_TABLE["words"] | clues)
        ways = (f"(?P<{name[1:]}>{each[name]})" for name in clues)
        found.append(re.compile(rf"(?<!\S)(?:{'|'.join(ways)})(?!\S)"))
    return found


@cache
def _splits() -> list[re.Pattern[str]]:
    known = patterns_of(_TABLE["words"] | {str(n): [s] for n, s in enumerate(_TABLE["splits"])})
    return [re.compile(known[str(number)]) for number in range(len(_TABLE["splits"]))]
