"""Noun phrases of situated questions, in which any words may stand: nothing is refused.

Places of the asker ("on my left", "in my 7 o'clock direction") become marks such as "@left_of", so
that the rest reads as noun phrases: nouns, attributes, relations, and unread words. The words are
in `places.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import dropwhile
from typing import Any

from scenemind.language import lexicon, trees
from scenemind.language.english import number_word, read_table, word_set
from scenemind.language.referring.chunks import chunks_of
from scenemind.language.referring.reader import read_chunks
from scenemind.language.relation_names import find_relation
from scenemind.language.shapes import Bound, Sentence, ShapeBook, Words
from scenemind.language.slots import READERS, rest
from scenemind.language.tokens import Token, tokenize

_TABLE = read_table("scenemind.language.situated", "places.yaml")
_REWRITES, _IN_PHRASES = (
    [(re.compile(pattern), written) for pattern, written in _TABLE[name]]
    for name in ("rewrites", "in_phrases")
)
_SMALL_WORDS, _HINTS, _LEAD, _SHAPES, _NO_GOALS = (
    word_set(_TABLE[name])
    for name in ("small_words", "hints", "lead", "shapes_of_things", "no_goals")
)
_SMALL_WORDS = (_SMALL_WORDS | _LEAD | lexicon.SMALL_WORDS) - _HINTS
ROOMS = word_set(_TABLE["rooms"])
SIDES: dict[str, str] = {**_TABLE["words"]["side"], **_TABLE["ways"]}
_LONGEST_PLACE = 16  # words, with what must not follow
_WORD = re.compile(r"[a-z][a-z'-]+")
_DIRECTLY = word_set("direct directly immediate immediately straight")
_SPEAKERS = word_set("i you we")
_HAVING = ("with", "contains")
# What "directly" means of a side.
_HOURS = {
    "in front of": "12 o'clock", "right of": "3 o'clock", "behind": "6 o'clock",
    "left of": "9 o'clock",
}  # fmt: skip
_OPPOSITES = ({"left of", "right of"}, {"in front of", "behind"})
# "The closest" before a noun is in front of all others; who asks means the nearest.
_TO_ASKER: dict[trees.Superlative, trees.Superlative] = {
    "frontmost": "closest",
    "rearmost": "farthest",
}


def words_of(text: str) -> Words:
    """The words of a text in lower case, with commas, short forms written out."""
    plain = " ".join(token.word for token in tokenize(text))
    for pattern, written in _REWRITES:
        plain = pattern.sub(written, plain)
    return tuple(word for word in plain.split() if word[0].isalnum() or word == ",")


def with_marks(words: Sequence[str]) -> Words:
    """The words with marks in place of the asker's places."""
    found: list[str] = []
    for start, end, place in scanned(_places(), words, _LONGEST_PLACE):
        if place is None:
            found.append(words[start])
            continue
        names, _ = place
        if len(names) == 1 and not _DIRECTLY.isdisjoint(words[start:end]):
            names = (_HOURS.get(names[0], names[0]),)
        found += [f"@{name.replace(' ', '_')}" for name in names]
    return tuple(found)


def scanned(
    book: ShapeBook, words: Sequence[str], longest: int
) -> Iterator[tuple[int, int, tuple[Any, Words] | None]]:
    """What shapes read among words, one after the other: from which word to which, the value, and
    the words after it; None for a word that begins no shape.

    Args:
        longest: words that are tried, with those after.
    """
    said, at = Sentence("", [Token(word, 0) for word in words]), 0
    while at < len(words):
        start, end = at, min(len(words), at + longest)
        found = book.find(said, at, end)
        at = at + 1 if found is None else end - len(found[1])
        yield start, at, found


def places_of(words: Sequence[str]) -> tuple[trees.Related, ...]:
    """The relations to the asker among words."""
    marks = (word for word in with_marks(words) if word[0] == "@")
    return tuple(condition for mark in marks for condition in _of_mark(mark))


def read_phrase(words: Sequence[str], *, related: bool = True) -> trees.NounPhrase:
    """The phrase that words are, without a question's opening; content words that it has no use
    for are unread.

    Args:
        related: whether relations to other things are read.
    """
    said = " ".join(_without_lead(words))
    for pattern, written in _IN_PHRASES:
        said = pattern.sub(written, said)
    chunks = chunks_of(said, views=False)
    phrase = read_chunks(chunks, _of_mark).phrase
    kept = tuple(c for said in phrase.conditions for c in _of_thing(said, bool(phrase.noun)))
    ranks = tuple(
        replace(rank, superlative=_TO_ASKER.get(rank.superlative, rank.superlative))
        for rank in phrase.ranks
    )
    phrase = replace(phrase, conditions=kept if related else (), ranks=ranks)
    used = {word for chunk in chunks if chunk.kind == "relation" for word in chunk.words}
    used.update(word for chunk in chunks for word in chunk.traits)
    for part in trees.noun_phrases(phrase):
        used.update((*part.noun.split(), number_word(part.count or 0)))
    unread = tuple(word for word in content_words(said.split()) if word not in used)
    return replace(phrase, unread=unread)


def read_goal(words: Sequence[str]) -> trees.NounPhrase:
    """Words that tell what something is for, with their places: all of them are unread."""
    unread = tuple(word for word in content_words(with_marks(words)) if word not in _NO_GOALS)
    return trees.NounPhrase("", conditions=places_of(words), unread=unread)


def read_open_relation(words: Sequence[str]) -> trees.Related | None:
    """What a thing is to the one that "the chair is in front of" asks for: behind it."""
    marked = _without_lead(words)
    if not _SPEAKERS.isdisjoint(marked):
        return None
    said = " ".join(marked).removesuffix(" me")
    chunks = chunks_of(said, views=False)
    phrase = read_chunks(chunks[:-1], _of_mark).phrase
    if not phrase.noun or chunks[-1].kind != "relation":
        return None
    known = find_relation(chunks[-1].value)
    return trees.Related(known.inverse if known and known.inverse else "near", (phrase,))


def _without_lead(words: Sequence[str]) -> Words:
    """Words with marks, without a question's opening, but with the article of what follows it."""
    marked = with_marks(words)
    left = tuple(dropwhile(_LEAD.__contains__, marked))
    before = marked[: len(marked) - len(left)]
    return ("the", *left) if left and before[-1:] == ("the",) else left


def content_words(words: Sequence[str]) -> tuple[str, ...]:
    """Content words, without marks."""
    return tuple(word for word in words if _WORD.fullmatch(word) and word not in _SMALL_WORDS)


def attribute_of(word: str) -> trees.HasAttribute | None:
    """The attribute that a word is a value of; None for other words."""
    key: trees.Attribute | None = None
    if word in lexicon.COLOURS:
        key = "color"
    elif word in lexicon.SIZES:
        key = "size"
    elif word in _SHAPES:
        key = "shape"
    elif word in lexicon.ADJECTIVES:
        key = lexicon.QUALITIES[word]
    return trees.HasAttribute(key, word) if key else None


def _of_thing(said: trees.Condition, is_named: bool) -> tuple[trees.Condition, ...]:
    """What a condition says of the thing: parts of the building stand in many pieces, so that it
    lies itself where they do; what a thing without a name has are hints at what it is."""
    anchor = said.anchors[0] if isinstance(said, trees.Related) else None
    if not isinstance(said, trees.Related) or not isinstance(anchor, trees.NounPhrase):
        return (said,)
    if anchor.noun in lexicon.BUILDING:
        bare = replace(said, anchors=(trees.NounPhrase(anchor.noun),))
        return (*trees.relations_to_viewer(anchor), bare)
    return () if said.predicate in _HAVING and not is_named else (said,)


@cache
def _places() -> ShapeBook:
    return ShapeBook(_TABLE, {"words": rest, "hour": READERS["number"]}, _place)


def _place(name: str, values: Bound) -> tuple[tuple[str, ...], Words]:
    """The predicates of a place, and the words after it."""
    names: tuple[str, ...] = (name,)
    if name == "hour":
        names = (f"{values['hour'] % 12 or 12} o'clock",)
    elif name == "side":
        names = tuple(dict.fromkeys((values["side"], values.get("more", values["side"]))))
        # "My left right" is none: the first one counts.
        names = names[:1] if set(names) in _OPPOSITES else names
    return names, values.get("rest", ())


def _of_mark(mark: str) -> tuple[trees.Related, ...]:
    """What a mark says of a thing."""
    return (trees.Related(mark[1:].replace("_", " "), (trees.Viewer(),)),)
